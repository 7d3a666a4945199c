/* clock.h - monotonic time in nanoseconds. */
#ifndef YK_PLATFORM_CLOCK_H
#define YK_PLATFORM_CLOCK_H
#include <stdint.h>
int64_t yk_clock_ns(void);
/* CPU time this process has used so far, all threads. */
int64_t yk_clock_process_ns(void);
void yk_clock_sleep_ns(int64_t duration_ns);
/* Sleeps until about that time. Switches off the 50 us that the system may add to save wake-ups,
 * and subtracts the usual lateness of timers here. So it may return too early, but not before half
 * of the time has passed. */
void yk_clock_sleep_until(int64_t time_ns);
#endif
