/* clock.c - the system's monotonic clock; it never jumps, and costs about 25 ns to read. */
#include "clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

enum { ns_per_second = 1000000000 };

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now); /* fails only for clocks that do not exist */
    return (int64_t)now.tv_sec * ns_per_second + now.tv_nsec;
}

int64_t yk_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t yk_clock_process_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void yk_clock_sleep_ns(int64_t duration_ns)
{
    if (duration_ns <= 0) {
        return;
    }
    struct timespec left = { .tv_sec = duration_ns / ns_per_second,
                             .tv_nsec = duration_ns % ns_per_second };
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

/* Typical time from a timer's end to the thread that slept: 5 us on a busy core, 50 on an idle one
 * of a virtual machine. Its median is followed, by steps of an eighth: a thread that was kept from
 * its core for milliseconds says nothing about the next one. */
static _Atomic int64_t lateness_ns;

static void note_lateness(int64_t late_ns)
{
    const int64_t known = atomic_load_explicit(&lateness_ns, memory_order_relaxed);
    const int64_t step = known / 8 + 100;
    const int64_t next = late_ns > known ? known + step : known > step ? known - step : 0;
    atomic_store_explicit(&lateness_ns, next, memory_order_relaxed);
}

void yk_clock_sleep_until(int64_t time_ns)
{
    const int64_t end_ns = time_ns - atomic_load_explicit(&lateness_ns, memory_order_relaxed);
    const struct timespec end = { .tv_sec = end_ns / ns_per_second,
                                  .tv_nsec = end_ns % ns_per_second };
    int slack;
    if (end_ns <= yk_clock_ns())
        return;
    slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
    }
    note_lateness(yk_clock_ns() - end_ns);
    prctl(PR_SET_TIMERSLACK, slack > 0 ? (unsigned long)slack : 0UL);
}
