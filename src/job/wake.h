/* wake.h - see wake.c. Functions need no lock unless their comment says so. */
#ifndef YK_JOB_WAKE_H
#define YK_JOB_WAKE_H

#include "job.h"

/* Wakes all sleeping threads, because lanes may find work that they did not find before. */
void yk_wake_all(yoke_runtime *runtime);
/* Returns the device's lane whose worker is bound to the processor; -1: none. */
int yk_lane_on(const struct yk_runtime_device *device, int cpu);
/* Called by a thread that was woken: wakes threads that yk_wake_all has still to wake. */
void yk_wake_help(yoke_runtime *runtime);
/* Wakes the sleeping threads of these devices, given as bits. */
void yk_wake_devices(yoke_runtime *runtime, uint32_t devices);
/* Wakes the threads of these devices; all if these are all devices. */
void yk_wake_team(yoke_runtime *runtime, uint32_t devices);
/* Makes this worker look for work again. */
void yk_wake(yoke_runtime *runtime, struct yk_worker *worker);
/* Makes this worker look again if it sleeps, unless a thread of the program steps its device, which
 * wakes it later. It must have been given something before. */
void yk_wake_sleeper(struct yk_worker *worker);
/* For a brief job of these devices that has begun, as one of `running` jobs: wakes at most one of
 * their cores, and none if it is the only job and one of them is awake. */
void yk_wake_few(yoke_runtime *runtime, uint32_t devices, int running);
/* Returns 1 if the calling thread is the worker of one of these devices' cores, so it looks for
 * jobs next. */
int yk_is_core(const yoke_runtime *runtime, uint32_t devices);
/* Returns 1 if the calling thread is the host thread of that device with memory of its own. */
int yk_is_host_thread(const struct yk_runtime_device *device);
/* Notes that the calling thread is `worker`. */
void yk_worker_enter(const struct yk_worker *worker);

#endif
