/* clock.c - the system's monotonic clock; it never jumps, and costs about 25 ns to read. */
#include "clock.h"

#include <errno.h>
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

void yk_clock_sleep_until(int64_t time_ns)
{
    const struct timespec time = { .tv_sec = time_ns / ns_per_second,
                                   .tv_nsec = time_ns % ns_per_second };
    const int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
    prctl(PR_SET_TIMERSLACK, slack > 0 ? (unsigned long)slack : 0UL);
}
