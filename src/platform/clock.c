/* clock.c - the system's monotonic clock; it never jumps, and costs about 25 ns to read. */
#include "clock.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

#include "../base/typical.h"

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

/* Time from a timer's end until the thread that slept runs: 5 us on a busy core, 50 on an idle one
 * of a virtual machine. */
static _Atomic int64_t lateness_ns;

/* When the timer should end. At least half of the time is slept: a thread that does not sleep
 * measures no lateness, and would poll for ever after timers had once been very late. */
static int64_t end_for(int64_t time_ns, int64_t now_ns)
{
    const int64_t half_ns = (time_ns - now_ns) / 2, late_ns = yk_typical(&lateness_ns);
    return time_ns - (late_ns < half_ns ? late_ns : half_ns);
}

struct timespec yk_clock_timer_begin(int64_t time_ns, struct yk_timer *timer)
{
    const int64_t now_ns = yk_clock_ns();
    timer->ahead = time_ns > now_ns;
    timer->end_ns = timer->ahead ? end_for(time_ns, now_ns) : time_ns;
    timer->slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    if (timer->slack != 1)
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    return (struct timespec){ .tv_sec = timer->end_ns / ns_per_second,
                              .tv_nsec = timer->end_ns % ns_per_second };
}

void yk_clock_timer_end(const struct yk_timer *timer, int expired)
{
    if (expired && timer->ahead)
        yk_typical_note(&lateness_ns, yk_clock_ns() - timer->end_ns);
    if (timer->slack != 1)
        prctl(PR_SET_TIMERSLACK, timer->slack > 0 ? (unsigned long)timer->slack : 0UL, 0UL, 0UL,
              0UL);
}

void yk_clock_sleep_until(int64_t time_ns)
{
    struct yk_timer timer;
    struct timespec end;
    if (time_ns <= yk_clock_ns())
        return;
    end = yk_clock_timer_begin(time_ns, &timer);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
    }
    yk_clock_timer_end(&timer, 1);
}
