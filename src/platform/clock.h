/* clock.h - monotonic time in nanoseconds. */
#ifndef YK_PLATFORM_CLOCK_H
#define YK_PLATFORM_CLOCK_H
#include <stdint.h>
int64_t yk_clock_ns(void);
/* CPU time this process has used so far, all threads. */
int64_t yk_clock_process_ns(void);
void yk_clock_sleep_ns(int64_t duration_ns);
/* Sleeps until about that time: neither the 50 us that the system adds by default to save wake-ups
 * nor the usual lateness of timers here are added. It may return before, after half of
 * the time at least. */
void yk_clock_sleep_until(int64_t time_ns);
#endif
