/* wake_time.h - what it costs to sleep, in ns. */
#ifndef YK_BASE_WAKE_TIME_H
#define YK_BASE_WAKE_TIME_H

/* Time from the end of a chunk until the thread that slept for it runs: 30 to 60 us were measured
 * when a driver wakes it, on a machine with an H200. A thread does not sleep for a chunk that lasts
 * only a few times as long (flight/forecast.c). */
enum { YK_WAKE_NS = 40000 };

/* A thread of the program that steps GPUs, or waits for rows, has nothing else to do. So it sleeps
 * only for what lasts longer: then a late look, a wake, costs less than a fortieth. (A sleep cost
 * jobs of 1.2 ms 25 us, because caches are cold after it.) */
enum { YK_CALLER_BRIEF_NS = 40 * YK_WAKE_NS };

#endif
