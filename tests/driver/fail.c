/* fail.c - calls that are made to fail, counted over all threads. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct standin_failure failure; /* under lock; nth counts down to 0 */
static int failed;                     /* under lock */
/* Checked before the lock is taken, so the lock adds no ordering to runs without failures. */
static atomic_int armed;
static atomic_long calls;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Call counts by name, in the order of first calls. Each function passes its own __func__. */
enum { FUNCTIONS_MOST = 96 };
static struct {
    _Atomic(const char *) name;
    atomic_long calls;
} functions[FUNCTIONS_MOST];

static void count(const char *name)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    for (int i = 0; i < FUNCTIONS_MOST; i++) {
        const char *other = atomic_load_explicit(&functions[i].name, memory_order_relaxed);
        if (other == name ||
            (!other &&
             (atomic_compare_exchange_strong(&functions[i].name, &other, name) || other == name))) {
            atomic_fetch_add_explicit(&functions[i].calls, 1, memory_order_relaxed);
            return;
        }
    }
}

static void arm(const struct standin_failure *wanted)
{
    pthread_mutex_lock(&lock);
    failure = wanted ? *wanted : (struct standin_failure){ 0 };
    failed = 0;
    atomic_store_explicit(&armed, failure.nth > 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

static void arm_from_settings(void)
{
    arm(&standin_settings()->failure);
}

void standin_fail(const struct standin_failure *wanted)
{
    pthread_once(&once, arm_from_settings); /* otherwise the first call would undo this */
    arm(wanted);
}

int standin_failed(void)
{
    pthread_mutex_lock(&lock);
    int result = failed;
    pthread_mutex_unlock(&lock);
    return result;
}

long standin_calls(void)
{
    return atomic_load_explicit(&calls, memory_order_relaxed);
}

long standin_calls_of(const char *function)
{
    long found = 0;
    for (int i = 0; i < FUNCTIONS_MOST; i++) {
        const char *name = atomic_load(&functions[i].name);
        if (name && strcmp(name, function) == 0)
            found += atomic_load_explicit(&functions[i].calls, memory_order_relaxed);
    }
    return found;
}

/* With the lock held. */
static CUresult count_down(void)
{
    if (--failure.nth > 0)
        return CUDA_SUCCESS;
    atomic_store_explicit(&armed, 0, memory_order_relaxed);
    failed = 1;
    return failure.code;
}

CUresult standin_due(const char *function, int *for_good)
{
    CUresult code = CUDA_SUCCESS;
    int hangs = 0;
    *for_good = 0;
    pthread_once(&once, arm_from_settings);
    count(function);
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return code;
    pthread_mutex_lock(&lock);
    if (failure.nth > 0 && failure.kind != STANDIN_LATER &&
        (!failure.function || strcmp(failure.function, function) == 0)) {
        code = count_down();
        *for_good = failure.kind == STANDIN_FOR_GOOD;
        hangs = code != CUDA_SUCCESS && failure.kind == STANDIN_HANGS;
    }
    pthread_mutex_unlock(&lock);
    while (hangs)
        sleep(1000);
    return code;
}

CUresult standin_due_later(void)
{
    CUresult code = CUDA_SUCCESS;
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return code;
    pthread_mutex_lock(&lock);
    if (failure.nth > 0 && failure.kind == STANDIN_LATER)
        code = count_down();
    pthread_mutex_unlock(&lock);
    return code;
}
