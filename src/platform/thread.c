/* thread.c - threads, locks and sleeping, by POSIX.
 *
 * Only creation can fail, and tests can make it fail like an allocation (see alloc.h). Locks cannot
 * fail once they are open: a non-zero result of their calls is a bug of yoke's and is asserted.
 */
#include "thread.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "clock.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { name_bytes = 16, most_cpus = 1 << 16, ns_per_second = 1000000000 };
enum { lock_tries = 70, most_pauses = 16 };

/* In checked builds a misused lock stops the program at the mistake. */
static void must(int result)
{
    assert(result == 0);
    (void)result;
}

yoke_status yk_mutex_open(yk_mutex *mutex)
{
    int error = yk_alloc_due() ? ENOMEM : pthread_mutex_init(mutex, NULL);
    if (error) {
        return yk_fail(YOKE_ENOMEM, "cannot create a lock: %s; free memory", strerror(error));
    }
    return YOKE_OK;
}

void yk_mutex_close(yk_mutex *mutex)
{
    must(pthread_mutex_destroy(mutex));
}

/* Work under a lock takes about a microsecond. A thread that sleeps instead may not get its core
 * back for milliseconds: on busy cores Linux lets other threads finish their slices, even if the
 * sleeping thread has the higher priority, because it has just run (GPUs were idle for 3 to 6 ms).
 * So it spins for about 20 us in all, with longer and longer pauses, because each try takes the
 * lock's cache line from its holder. */
void yk_lock(yk_mutex *mutex)
{
    for (int tries = 0, pauses = 1; tries < lock_tries; tries++) {
        if (pthread_mutex_trylock(mutex) == 0) {
            return;
        }
        for (int i = 0; i < pauses; i++) {
            yk_pause();
        }
        pauses = pauses < most_pauses ? 2 * pauses : pauses;
    }
    must(pthread_mutex_lock(mutex));
}

int yk_try_lock(yk_mutex *mutex)
{
    return pthread_mutex_trylock(mutex) == 0;
}

void yk_unlock(yk_mutex *mutex)
{
    must(pthread_mutex_unlock(mutex));
}

/* What a new thread needs from its creator; the thread frees it. */
struct start {
    enum yk_thread_kind kind;
    void (*run)(void *context);
    void *context;
    char name[name_bytes];
};

static _Thread_local int attends, usual_nice;

struct schedule { /* the system's sched_attr, which only recent C libraries define */
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period;
};
/* A flag: threads that drivers start from ours do not inherit the priority. Always set, because
 * clearing it needs a right. */
enum { RESET_ON_FORK = 1 };

static int apply(const struct schedule *schedule)
{
    return syscall(SYS_sched_setattr, 0, schedule, 0) == 0;
}

/* When an attending thread is woken, or its slice ends, every core may be taken by a worker, and
 * Linux lets workers finish their slices, 3 ms, during which a GPU is idle. What helps, best first:
 * real time or higher priority, both of which need a right (root, ulimit -r, ulimit -e); or slices
 * shorter than the workers' (Linux 6.12 and later). High priority has another reason: a thread that
 * has just run waits while the others have their turns, a time that Linux divides by the thread's
 * weight. If all fail, only speed is lost. */
static void go_first(void)
{
    const struct schedule wishes[] = {
        { .size = sizeof *wishes, .policy = SCHED_RR, .flags = RESET_ON_FORK, .priority = 1 },
        { .size = sizeof *wishes, .flags = RESET_ON_FORK, .nice = -20, .slice = 2000000 },
        { .size = sizeof *wishes, .flags = RESET_ON_FORK, .nice = -10, .slice = 2000000 },
        { .size = sizeof *wishes, .flags = RESET_ON_FORK, .nice = usual_nice, .slice = 500000 },
    };
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes && !apply(&wishes[i]); i++) {
    }
}

/* Long work shares a core with a worker that the rest of the job may wait for. So it asks for
 * slices as short as Linux allows, instead of 3 ms. */
void yk_thread_begin_long(void)
{
    const struct schedule usual = {
        .size = sizeof usual, .flags = RESET_ON_FORK, .nice = usual_nice, .slice = 100000
    };
    if (attends) {
        apply(&usual);
    }
}

void yk_thread_end_long(void)
{
    if (attends) {
        go_first();
    }
}

static void *thread_main(void *argument)
{
    struct start start = *(struct start *)argument;
    yk_free(argument);
    pthread_setname_np(pthread_self(), start.name);
    /* Our threads rarely sleep, and then until something is due. */
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    attends = start.kind == YK_THREAD_ATTENDS;
    usual_nice = getpriority(PRIO_PROCESS, 0);
    if (attends) {
        go_first();
    }
    start.run(start.context);
    return NULL;
}

/* Binds by attribute: the thread never runs elsewhere, and its first use of memory is local. */
static int bind_attributes(pthread_attr_t *attributes, int cpu)
{
    if (cpu >= most_cpus) {
        return EINVAL;
    }
    size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
    cpu_set_t *set = yk_alloc_kept(bytes);
    if (!set) {
        return ENOMEM;
    }
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)cpu, bytes, set);
    int error = pthread_attr_setaffinity_np(attributes, bytes, set);
    yk_free_kept(set);
    return error;
}

/* A new thread inherits its creator's signal mask, so the creator blocks the signals that the
 * thread must not take: all except faults that a thread causes itself, whose handlers (crash
 * reports, sanitizers) have to run, and the profilers' clock. */
static int create_deaf(pthread_t *handle, const pthread_attr_t *attributes, struct start *start)
{
    static const int heard[] = {
        SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF
    };
    sigset_t deaf, before;
    sigfillset(&deaf);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
        sigdelset(&deaf, heard[i]);
    }
    must(pthread_sigmask(SIG_SETMASK, &deaf, &before));
    int error = yk_alloc_due() ? EAGAIN : pthread_create(handle, attributes, thread_main, start);
    must(pthread_sigmask(SIG_SETMASK, &before, NULL));
    return error;
}

static yoke_status no_thread(const struct yk_thread_spec *spec, int error)
{
    if (error == EINVAL && spec->cpu >= 0) {
        return yk_fail(YOKE_EINVAL,
                       "processor %d is not among those this process may use; widen its affinity "
                       "(taskset, cpuset) or leave that processor out",
                       spec->cpu);
    }
    return yk_fail(YOKE_ENOMEM,
                   "cannot create thread '%s': %s; raise the limits on processes (ulimit -u, "
                   "cgroup pids) and memory (ulimit -v), or use fewer threads",
                   spec->name, strerror(error));
}

yoke_status yk_thread_open(const struct yk_thread_spec *spec, struct yk_thread *out)
{
    struct start *start = yk_calloc(1, sizeof *start);
    if (!start) {
        return YOKE_ENOMEM;
    }
    start->kind = spec->kind;
    start->run = spec->run;
    start->context = spec->context;
    snprintf(start->name, sizeof start->name, "%s", spec->name);

    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) {
        goto free_start;
    }
    error = spec->cpu >= 0 ? bind_attributes(&attributes, spec->cpu) : 0;
    if (error) {
        goto destroy_attributes;
    }
    pthread_t handle;
    error = create_deaf(&handle, &attributes, start);
    if (error) {
        goto destroy_attributes;
    }
    pthread_attr_destroy(&attributes);
    out->handle = handle;
    return YOKE_OK;
destroy_attributes:
    pthread_attr_destroy(&attributes);
free_start:
    yk_free(start);
    return no_thread(spec, error);
}

void yk_thread_join(struct yk_thread *thread)
{
    must(pthread_join(thread->handle, NULL));
}

int yk_thread_cpu(void)
{
    return sched_getcpu();
}

_Static_assert(sizeof(struct yk_affinity) == sizeof(cpu_set_t), "yk_affinity holds a cpu_set_t");

int yk_thread_pin(int cpu, struct yk_affinity *before)
{
    cpu_set_t one;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof *before, (void *)before) != 0)
        return 0;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

void yk_thread_unpin(const struct yk_affinity *before)
{
    sched_setaffinity(0, sizeof *before, (const void *)before);
}

/* --- sleeping --- */

enum { NOTHING, WOKEN, ASLEEP };

static struct timespec deadline_after(int64_t timeout_ns)
{
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    int64_t ns = when.tv_nsec + timeout_ns % ns_per_second;
    when.tv_sec += (time_t)(timeout_ns / ns_per_second + ns / ns_per_second);
    when.tv_nsec = (long)(ns % ns_per_second);
    return when;
}

/* deadline NULL: none. */
static int park(struct yk_parker *parker, const struct timespec *deadline)
{
    unsigned seen = NOTHING;
    long result = 0;
    if (atomic_compare_exchange_strong(&parker->state, &seen, ASLEEP)) {
        do {
            result = syscall(SYS_futex, &parker->state, FUTEX_WAIT_BITSET_PRIVATE, ASLEEP, deadline,
                             NULL, FUTEX_BITSET_MATCH_ANY);
        } while (atomic_load(&parker->state) == ASLEEP && !(result != 0 && errno == ETIMEDOUT));
    }
    return atomic_exchange(&parker->state, NOTHING) == WOKEN;
}

int yk_parker_sleep(struct yk_parker *parker, int64_t timeout_ns)
{
    struct timespec deadline;
    if (timeout_ns < 0) {
        return park(parker, NULL);
    }
    if (timeout_ns == 0) {
        return atomic_exchange(&parker->state, NOTHING) == WOKEN;
    }
    deadline = deadline_after(timeout_ns);
    return park(parker, &deadline);
}

int yk_parker_sleep_until(struct yk_parker *parker, int64_t time_ns)
{
    struct yk_timer timer;
    const struct timespec end = yk_clock_timer_begin(time_ns, &timer);
    const int woken = park(parker, &end);
    yk_clock_timer_end(&timer, !woken);
    return woken;
}

/* The sleeping thread may close the parker as soon as it is woken. Then the system call finds no
 * sleeping thread, or wakes another one for nothing, which futexes permit. */
void yk_parker_wake(struct yk_parker *parker)
{
    if (atomic_exchange(&parker->state, WOKEN) == ASLEEP) {
        syscall(SYS_futex, &parker->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

void yk_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

void yk_yield(void)
{
    sched_yield();
}
