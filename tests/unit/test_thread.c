/* test_thread.c - threads start with the requested placement and attributes, no wake-up is lost,
 * the clock is monotonic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "platform/clock.h"
#include "platform/gate.h"
#include "platform/thread.h"

enum { ms = 1000000 };

static int no_memory_left(void **state)
{
    (void)state;
    yk_alloc_fail_at(0);
    return yk_alloc_outstanding() != 0;
}

struct seen {
    char name[16];
    int cpu, cpus;
    int deaf, hears_faults;
};

static void look_around(void *context)
{
    struct seen *seen = context;
    cpu_set_t set;
    sigset_t blocked;
    pthread_getname_np(pthread_self(), seen->name, sizeof seen->name);
    sched_getaffinity(0, sizeof set, &set);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    seen->cpu = yk_thread_cpu();
    seen->cpus = CPU_COUNT(&set);
    seen->deaf = sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM) &&
                 sigismember(&blocked, SIGCHLD) && sigismember(&blocked, SIGALRM);
    seen->hears_faults = !sigismember(&blocked, SIGSEGV) && !sigismember(&blocked, SIGPROF);
}

static struct seen start_and_join(const char *name, int cpu)
{
    struct seen seen = { .cpu = -7 };
    struct yk_thread thread;
    struct yk_thread_spec spec = { .name = name, .cpu = cpu, .run = look_around, .context = &seen };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    yk_thread_join(&thread);
    return seen;
}

static void a_thread_is_named_and_deaf(void **state)
{
    (void)state;
    cpu_set_t set;
    sigset_t before, after;
    sched_getaffinity(0, sizeof set, &set);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct seen seen = start_and_join("yoke worker 12 of many", -1);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_string_equal(seen.name, "yoke worker 12 ");
    assert_true(seen.deaf && seen.hears_faults);
    assert_int_equal(seen.cpus, CPU_COUNT(&set));
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

static void a_bound_thread_runs_where_it_was_bound(void **state)
{
    (void)state;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set)) {
            struct seen seen = start_and_join("bound", cpu);
            assert_int_equal(seen.cpu, cpu);
            assert_int_equal(seen.cpus, 1);
        }
    }
}

static void a_processor_that_is_not_there_is_named(void **state)
{
    (void)state;
    static const int absent[] = { 60000, 1 << 20, INT_MAX };
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        struct yk_thread thread;
        struct yk_thread_spec spec = { .name = "lost", .cpu = absent[i], .run = look_around };
        assert_int_equal(yk_thread_open(&spec, &thread), YOKE_EINVAL);
        assert_non_null(strstr(yoke_error_text(), "is not among those this process may use"));
    }
}

static void each_step_of_opening_may_fail(void **state)
{
    (void)state;
    int reached = 1;
    int failures = 0;
    for (int nth = 1; reached; nth++) {
        struct seen seen = { .cpu = -7 };
        struct yk_thread thread;
        struct yk_thread_spec spec = {
            .name = "t", .cpu = sched_getcpu(), .run = look_around, .context = &seen
        };
        yk_alloc_fail_at(nth);
        yoke_status status = yk_thread_open(&spec, &thread);
        if (status == YOKE_OK) {
            yk_thread_join(&thread);
        }
        reached = yk_alloc_failed();
        failures += reached;
        assert_int_equal(status, reached ? YOKE_ENOMEM : YOKE_OK);
        assert_int_equal(seen.cpus, reached ? 0 : 1);
        assert_int_equal(yk_alloc_outstanding(), 0);
    }
    assert_int_equal(failures, 3); /* start record, affinity, thread */
}

static void a_wake_before_sleep_is_remembered_once(void **state)
{
    (void)state;
    struct yk_parker parker = { 0 };
    assert_int_equal(yk_parker_sleep(&parker, 0), 0);
    yk_parker_wake(&parker);
    yk_parker_wake(&parker);
    assert_int_equal(yk_parker_sleep(&parker, -1), 1);
    assert_int_equal(yk_parker_sleep(&parker, 0), 0);
    yk_parker_wake(&parker);
    assert_int_equal(yk_parker_sleep(&parker, 0), 1);
    yk_parker_wake(&parker);
    assert_int_equal(yk_parker_sleep(&parker, INT64_MAX), 1);
}

static void sleep_ends_when_time_is_up_and_costs_nothing(void **state)
{
    (void)state;
    struct yk_parker parker = { 0 };
    int64_t start = yk_clock_ns();
    int64_t used = yk_clock_process_ns();
    assert_int_equal(yk_parker_sleep(&parker, 30 * ms), 0);
    assert_true(yk_clock_ns() - start >= 30 * ms);
    assert_true(yk_clock_process_ns() - used < 15 * ms);
}

/* Two threads take turns; one lost wake-up would hang them. */
struct turns {
    struct yk_parker mine[2];
    int64_t count; /* belongs to the thread that is awake */
};

enum { turn_count = 20000 };

static void take_turns(void *context)
{
    struct turns *turns = context;
    for (int i = 0; i < turn_count; i++) {
        yk_parker_sleep(&turns->mine[1], i % 2 ? -1 : INT64_C(60) * 1000 * ms);
        turns->count++;
        yk_parker_wake(&turns->mine[0]);
    }
}

static void no_wake_is_lost(void **state)
{
    (void)state;
    struct turns turns = { .count = 0 };
    struct yk_thread thread;
    struct yk_thread_spec spec = {
        .name = "turns", .cpu = -1, .run = take_turns, .context = &turns
    };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    for (int i = 0; i < turn_count; i++) {
        turns.count++;
        yk_parker_wake(&turns.mine[1]);
        assert_int_equal(yk_parker_sleep(&turns.mine[0], -1), 1);
    }
    yk_thread_join(&thread);
    assert_int_equal(turns.count, 2 * turn_count);
}

/* The sleeper's parker is gone right after the wake-up; sanitizers check the waking thread. */
static void wake_once(void *context)
{
    yk_parker_wake(context);
}

static void the_sleeper_may_close_as_soon_as_it_is_woken(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct yk_parker parker = { 0 };
        struct yk_thread thread;
        struct yk_thread_spec spec = {
            .name = "waker", .cpu = -1, .run = wake_once, .context = &parker
        };
        assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
        assert_int_equal(yk_parker_sleep(&parker, -1), 1);
        yk_thread_join(&thread);
    }
}

static yk_mutex static_lock = YK_MUTEX_INITIAL;

struct counter {
    yk_mutex lock;
    int64_t count, count_static;
};

static void count_up(void *context)
{
    struct counter *counter = context;
    for (int i = 0; i < turn_count; i++) {
        yk_lock(&counter->lock);
        counter->count++;
        yk_unlock(&counter->lock);
        yk_pause();
        yk_lock(&static_lock);
        counter->count_static++;
        yk_unlock(&static_lock);
        if (i % 100 == 0) {
            yk_yield();
        }
    }
}

static void locks_exclude(void **state)
{
    (void)state;
    struct counter counter = { .count = 0 };
    struct yk_thread threads[3];
    struct yk_thread_spec spec = {
        .name = "count", .cpu = -1, .run = count_up, .context = &counter
    };
    assert_int_equal(yk_mutex_open(&counter.lock), YOKE_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(yk_thread_open(&spec, &threads[i]), YOKE_OK);
    }
    for (int i = 0; i < 3; i++) {
        yk_thread_join(&threads[i]);
    }
    assert_int_equal(counter.count, 3 * turn_count);
    assert_int_equal(counter.count_static, 3 * turn_count);
    yk_mutex_close(&counter.lock);
}

static volatile uint64_t sink;

static void clocks_go_forward(void **state)
{
    (void)state;
    int64_t before = yk_clock_ns();
    for (int i = 0; i < 1000; i++) {
        int64_t next = yk_clock_ns();
        assert_true(next >= before);
        before = next;
    }
    int64_t used = yk_clock_process_ns();
    while (yk_clock_ns() - before < 20 * ms) {
        sink += 1;
    }
    used = yk_clock_process_ns() - used;
    assert_true(used > 0 && used <= 40 * ms); /* one thread; the machine may be busy */
}

static void sleeping_lasts(void **state)
{
    (void)state;
    int64_t start = yk_clock_ns();
    yk_clock_sleep_ns(0);
    yk_clock_sleep_ns(-5);
    int64_t used = yk_clock_process_ns();
    yk_clock_sleep_ns(20 * ms);
    assert_true(yk_clock_ns() - start >= 20 * ms);
    assert_true(yk_clock_process_ns() - used < 10 * ms);
}

struct urgency {
    int policy, nice;
};
struct urgencies {
    struct urgency first, amid, after;
};

static struct urgency urgency(void)
{
    return (struct urgency){ sched_getscheduler(0) & ~SCHED_RESET_ON_FORK,
                             getpriority(PRIO_PROCESS, 0) };
}

static void work_for_long(void *context)
{
    struct urgencies *seen = context;
    seen->first = urgency();
    yk_thread_begin_long();
    seen->amid = urgency();
    yk_thread_end_long();
    seen->after = urgency();
}

static struct urgencies urgencies_of(enum yk_thread_kind kind)
{
    struct urgencies seen;
    struct yk_thread thread;
    const struct yk_thread_spec spec = {
        .name = "urgent", .cpu = -1, .kind = kind, .run = work_for_long, .context = &seen
    };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    yk_thread_join(&thread);
    return seen;
}

/* Its priority depends on the rights of this process; long work never gets it. */
static void attending_threads_go_first_but_not_for_long(void **state)
{
    const struct urgency mine = urgency();
    const struct urgencies works = urgencies_of(YK_THREAD_WORKS);
    const struct urgencies attends = urgencies_of(YK_THREAD_ATTENDS);
    (void)state;
    assert_memory_equal(&works.first, &mine, sizeof mine);
    assert_memory_equal(&works.amid, &mine, sizeof mine);
    assert_memory_equal(&works.after, &mine, sizeof mine);
    assert_int_equal(attends.amid.policy, mine.policy);
    assert_int_equal(attends.amid.nice, mine.nice);
    assert_memory_equal(&attends.after, &attends.first, sizeof mine);
    assert_true(attends.first.policy == SCHED_RR ||
                (attends.first.policy == mine.policy && attends.first.nice <= mine.nice));
}

static void sleeping_until_a_time(void **state)
{
    int64_t until = yk_clock_ns() + 3 * ms;
    (void)state;
    yk_clock_sleep_until(until);
    assert_true(yk_clock_ns() >= until);
    yk_clock_sleep_until(until); /* long past */
}

/* Both end early if they are woken or opened, else not before half of the time, and leave the
 * thread's timers as imprecise as they were. */
static void sleeping_until_a_time_or_a_wake(void **state)
{
    struct yk_parker parker = { 0 };
    struct yk_gate gate = { 0 };
    const int slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    const int64_t start = yk_clock_ns();
    (void)state;
    assert_int_equal(yk_parker_sleep_until(&parker, start + 4 * ms), 0);
    assert_true(yk_clock_ns() >= start + 2 * ms);
    yk_parker_wake(&parker);
    assert_int_equal(yk_parker_sleep_until(&parker, INT64_MAX), 1);
    yk_gate_pass_until(&gate, start + 8 * ms);
    assert_true(yk_clock_ns() >= start + 4 * ms);
    yk_gate_open(&gate);
    yk_gate_pass_until(&gate, INT64_MAX);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), slack);
}

/* A time that has passed says nothing about how late timers are; else a later sleep would be cut.
 */
static void sleeping_until_a_time_long_past(void **state)
{
    struct yk_gate gate = { 0 };
    int64_t start;
    (void)state;
    for (int i = 0; i < 100; i++)
        yk_gate_pass_until(&gate, yk_clock_ns() - INT64_C(100000) * ms);
    start = yk_clock_ns();
    yk_clock_sleep_until(start + 200 * ms);
    assert_true(yk_clock_ns() >= start + 120 * ms);
}

int main(void)
{
#define clean(test) cmocka_unit_test_teardown(test, no_memory_left)
    const struct CMUnitTest tests[] = {
        clean(a_thread_is_named_and_deaf),
        clean(a_bound_thread_runs_where_it_was_bound),
        clean(a_processor_that_is_not_there_is_named),
        clean(each_step_of_opening_may_fail),
        clean(a_wake_before_sleep_is_remembered_once),
        clean(sleep_ends_when_time_is_up_and_costs_nothing),
        clean(no_wake_is_lost),
        clean(the_sleeper_may_close_as_soon_as_it_is_woken),
        clean(locks_exclude),
        clean(clocks_go_forward),
        clean(sleeping_lasts),
        clean(sleeping_until_a_time),
        clean(sleeping_until_a_time_or_a_wake),
        clean(sleeping_until_a_time_long_past),
        clean(attending_threads_go_first_but_not_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
