/* fiber.c - fibers: a stack of its own for code that must stop in the middle.
 *
 *     resume: the caller's stack --> the fiber's;  yield: back
 *
 * A fiber stays on the thread that opened it. Sanitizers are told of every switch; otherwise they
 * would confuse the stacks.
 *
 * swapcontext makes a system call for the signal mask at each switch, and the lanes of a warp
 * switch thousands of times. So only a fiber's first switch uses it; the others are the compiler's
 * own jumps, which sanitizers do not intercept.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "driver.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 256 << 10, IDLE_MOST = 4096 };

/* Stacks for later fibers: to map and unmap them took most of the time of test_reduce. */
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static void *idle_stacks[IDLE_MOST]; /* this and the next under idle_lock */
static int idle_count;

static void *open_stack(void)
{
    void *stack = NULL;
    pthread_mutex_lock(&idle_lock);
    if (idle_count > 0)
        stack = idle_stacks[--idle_count];
    pthread_mutex_unlock(&idle_lock);
    if (stack)
        return stack;
    stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return stack == MAP_FAILED ? NULL : stack;
}

static void close_stack(void *stack)
{
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, STACK_BYTES);
#endif
    pthread_mutex_lock(&idle_lock);
    if (idle_count < IDLE_MOST) {
        idle_stacks[idle_count++] = stack;
        stack = NULL;
    }
    pthread_mutex_unlock(&idle_lock);
    if (stack)
        munmap(stack, STACK_BYTES);
}

struct side {         /* one side of a switch */
    ucontext_t first; /* entry of the fiber */
    void *stopped[5]; /* for the compiler's jumps */
    int has_stopped;
};

struct standin_fiber {
    struct side own, caller;
    void (*run)(void *context);
    void *context, *stack;
    void *own_race, *caller_race; /* the race detector's view of both stacks */
    void *own_fake, *caller_fake; /* the address checker's */
    const void *caller_bottom;
    size_t caller_bytes;
};

/* Where a jump leaves a function, the address sanitizer would clear what it knows of the stack. */
#ifdef __x86_64__
#if defined(__clang__)
#define UNCHECKED __attribute__((noinline, no_sanitize("address", "thread")))
#else
#define UNCHECKED __attribute__((noinline, no_sanitize_address, no_sanitize_thread))
#endif

UNCHECKED static void jump_to(struct side *to)
{
    if (to->has_stopped)
        __builtin_longjmp(to->stopped, 1);
    setcontext(&to->first);
}

UNCHECKED static void switch_sides(struct side *from, struct side *to)
{
    from->has_stopped = 1;
    if (__builtin_setjmp(from->stopped) == 0)
        jump_to(to);
}
#else
static void switch_sides(struct side *from, struct side *to)
{
    swapcontext(&from->first, &to->first);
}
#endif

static void leave_caller(struct standin_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fiber->caller_fake, fiber->stack, STACK_BYTES);
#endif
#ifdef __SANITIZE_THREAD__
    fiber->caller_race = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->own_race, 0);
#endif
    switch_sides(&fiber->caller, &fiber->own);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->caller_fake, NULL, NULL);
#endif
}

/* Runs on the fiber, first after each switch to it. */
static void arrive(struct standin_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->own_fake, &fiber->caller_bottom, &fiber->caller_bytes);
#endif
    (void)fiber;
}

static void fiber_run(unsigned high, unsigned low)
{
    struct standin_fiber *fiber = (void *)((uintptr_t)high << 32 | low);
    arrive(fiber);
    /* Otherwise the address sanitizer would clear what it knows of this stack at every switch. */
    fiber->own.first.uc_stack.ss_size = 0;
    fiber->run(fiber->context);
}

struct standin_fiber *standin_fiber_open(void (*run)(void *context), void *context)
{
    struct standin_fiber *volatile fiber = calloc(1, sizeof *fiber); /* getcontext returns twice */
    if (!fiber)
        return NULL;
    fiber->run = run;
    fiber->context = context;
    fiber->stack = open_stack();
    if (!fiber->stack) {
        free(fiber);
        return NULL;
    }
#ifdef __SANITIZE_THREAD__
    fiber->own_race = __tsan_create_fiber(0);
#endif
    getcontext(&fiber->own.first);
    fiber->own.first.uc_stack.ss_sp = fiber->stack;
    fiber->own.first.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber->own.first, (void (*)(void))fiber_run, 2, (unsigned)((uintptr_t)fiber >> 32),
                (unsigned)(uintptr_t)fiber);
    return fiber;
}

void standin_fiber_resume(struct standin_fiber *fiber)
{
    leave_caller(fiber);
}

void standin_fiber_yield(struct standin_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fiber->own_fake, fiber->caller_bottom, fiber->caller_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber->caller_race, 0);
#endif
    switch_sides(&fiber->own, &fiber->caller);
    arrive(fiber);
}

void standin_fiber_close(struct standin_fiber *fiber)
{
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(fiber->own_race);
#endif
    close_stack(fiber->stack);
    free(fiber);
}
