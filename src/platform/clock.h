/* clock.h - monotonic time in nanoseconds. */
#ifndef YK_PLATFORM_CLOCK_H
#define YK_PLATFORM_CLOCK_H
#include <stdint.h>
#include <time.h>
int64_t yk_clock_ns(void);
/* CPU time this process has used so far, all threads. */
int64_t yk_clock_process_ns(void);
void yk_clock_sleep_ns(int64_t duration_ns);
/* Sleeps until about that time. Switches off the 50 us that the system may add to save wake-ups,
 * and subtracts the usual lateness of timers here. So it may return too early, but not before half
 * of the time has passed. */
void yk_clock_sleep_until(int64_t time_ns);
/* The same for a sleep that may end earlier: begin returns the end for the system call; end tells
 * whether the timer has ended it. */
struct yk_timer {
    int64_t end_ns;
    int ahead; /* 1: the time had not passed; otherwise the lateness of its end says nothing */
    int slack;
};
struct timespec yk_clock_timer_begin(int64_t time_ns, struct yk_timer *timer);
void yk_clock_timer_end(const struct yk_timer *timer, int expired);
#endif
