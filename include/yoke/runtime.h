/* yoke/runtime.h - open and close: everything else needs a runtime.
 *
 * A runtime owns one worker thread for each core it uses, asleep unless a job runs, and a host
 * thread for each GPU, which drives it and sleeps while it works. Several may be open in a process;
 * each uses what its configuration says.
 *
 * A child of fork has none of these threads: calls with a runtime or an array of the parent end
 * with YOKE_EINVAL there. It can open a runtime of its own; if the parent had used GPUs, on the
 * cores only, as drivers of GPUs do not work in a child.
 */
#ifndef YOKE_RUNTIME_H
#define YOKE_RUNTIME_H

#include <stddef.h>
#include <yoke/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How host threads wait for their device, and the thread in yoke_run where it drives one. */
typedef enum yoke_waiting {
    YOKE_WAIT_AUTO,  /* sleep until shortly before the end that earlier chunks foretell, and watch
                        for a moment; chunks that are too short for a sleep are watched all the
                        time. The result says what it came to */
    YOKE_WAIT_SPIN,  /* poll all the time: a core for each device at work */
    YOKE_WAIT_YIELD, /* poll, giving way to other threads each time */
    YOKE_WAIT_BLOCK  /* sleep until the device's driver says that it is done */
} yoke_waiting;

/* Zero-initialise, then set what matters. Each field falls back to the environment variable named,
 * then to the default. */
typedef struct yoke_config {
    size_t size; /* sizeof(yoke_config), which fields added after version 0.1 need. 0: all fields of
                    version 0.1. YOKE_EINVAL: a size that this library does not know */
    const char
        *devices; /* YOKE_DEVICES, "cpu:8,opencl:0:mem=1G"; default: all cores and all GPUs */
    const char *partitioner; /* YOKE_PARTITIONER; default auto */
    int threads;             /* YOKE_THREADS: threads that do CPU work, 1 to 4096, of each CPU
                                device; those beyond its cores are bound to none. Default 0: one a
                                core; with partitioner nc-ht, and waiting auto or block, one more
                                for each stream of a GPU */
    yoke_waiting waiting;    /* YOKE_WAIT */
    const char *
        trace; /* YOKE_TRACE: write a timeline here at close (.json: Chrome trace, .html: a page) */
    const char *knowledge; /* YOKE_KB: the file that keeps what was learned from one process to the
                              next, or "off". Default: knowledge.db in the cache folder (yoke kb).
                              With "off" here nothing is told at close either (YOKE_EXPLAIN) */
    int check; /* YOKE_CHECK: not 0: one core runs all jobs on guarded copies, and what a kernel
                  touches beside what its job declares ends the job with YOKE_EINVAL, as does what
                  the program does with an array's memory that it has not acquired
                  (docs/checking.md). `devices` and partitioners are left aside. Slow */
    /* YOKE_WATCHDOG: a GPU is taken out as lost when what it does takes so many times as long as
     * expected, and 10 seconds at least; others do its chunks. Only chunks of which three like them
     * were measured count. So is one whose driver does not return from a call for as long: a thread
     * that waits for a job notices, and the one in the call is sent out of it by SIGILL, whose
     * handler yoke then has and passes on other ones. Default 100; < 0 (YOKE_WATCHDOG=0): whatever
     * it takes is waited for. A device that was taken out keeps its memory until the process ends,
     * as its driver has to be left alone; should its kernel end after all, rows that were to come
     * home at once (home YOKE_HOME_NOW, windows) may still be written. Cores are not watched. */
    double watchdog;
} yoke_config;

/* `config` NULL: all defaults. Never waits for GPU drivers: they load in the background and their
 * devices join when ready (yoke_ready waits); but with nc-ht, whose number of threads depends on
 * how many there are. Fails if a device that was asked for by name is missing. */
YOKE_API yoke_status yoke_open(const yoke_config *config, yoke_runtime **out);
/* Waits for jobs, not for GPU drivers that are still being loaded: the thread that loads them ends
 * after the driver's call it is in (0.1 to 0.3 s), and serves the next yoke_open until then.
 * exit(), a return from main and dlclose of the library wait for it. Arrays must be closed before
 * (YOKE_EBUSY, and nothing is closed). NULL is fine. YOKE_EINVAL: it was closed before, or a
 * progress callback of one of its jobs calls. */
YOKE_API yoke_status yoke_close(yoke_runtime *runtime);
/* Wait until every device is open. Reports the first device that was asked for by name and could
 * not be. */
YOKE_API yoke_status yoke_ready(yoke_runtime *runtime);

/* Write the timeline of what ran so far; the suffix decides the format (.json or .html). Recording
 * is on if config.trace was set or yoke_trace_start was called. */
YOKE_API yoke_status yoke_trace_start(yoke_runtime *runtime);
YOKE_API yoke_status yoke_trace_write(yoke_runtime *runtime, const char *path);

/* The runtime's clock in seconds: real, or virtual where all devices are simulated. */
YOKE_API double yoke_seconds(yoke_runtime *runtime);

/* "0.1.0" */
YOKE_API const char *yoke_version(void);

#ifdef __cplusplus
}
#endif
#endif
