/* yoke/runtime.h - open and close: everything else needs a runtime.
 *
 * A runtime owns one worker thread for each core it uses, and a host thread for each GPU, which
 * drives it and sleeps while the GPU works. Workers sleep unless a job runs; after a job they stay
 * awake for 80 us, so that the next one finds them, if waiting is YOKE_WAIT_AUTO. A process may
 * open several runtimes; each uses what its configuration says.
 *
 * A child of fork has none of these threads: there, calls with a runtime, an array or a ticket of
 * the parent return YOKE_EINVAL. The child can open its own runtime. If the parent had used GPUs,
 * that runtime only uses cores, because GPU drivers do not work in a child; one that names GPUs, in
 * the configuration or YOKE_DEVICES, is refused.
 *
 * Threads of a runtime block signals, so that the program's handlers run in the program's threads;
 * exceptions are faults (SIGSEGV and the like), SIGABRT and SIGPROF. Threads that a driver starts
 * for itself (PoCL does) may take signals. So if the program's own
 * threads have all ended (pthread_exit in main) while a runtime is open, the process goes on, and
 * neither SIGTERM nor SIGINT ends it: call yoke_close before (yoke_default() is closed likewise),
 * or exit().
 *
 * docs/backends.md explains the names of devices, docs/scheduling.md the partitioners.
 */
#ifndef YOKE_RUNTIME_H
#define YOKE_RUNTIME_H

#include <stddef.h>
#include <yoke/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How host threads wait for their device; also the thread in yoke_run if it drives a device. */
typedef enum yoke_waiting {
    YOKE_WAIT_AUTO,  /* sleep until shortly before the predicted end, then poll briefly; if a chunk
                      * is too short for a sleep, poll all the time. The result says which was
                      * chosen */
    YOKE_WAIT_SPIN,  /* poll all the time: takes a core for each device at work */
    YOKE_WAIT_YIELD, /* poll, and yield to other threads each time */
    YOKE_WAIT_BLOCK  /* sleep until the device's driver reports the end */
} yoke_waiting;

/* When drivers of GPUs that `devices` does not name are loaded. Loading takes 0.1 to 0.5 s of one
 * core, while jobs run; GPUs take part in the rest of these and in later jobs. Calls that need all
 * devices load the drivers at once and wait: yoke_ready, yoke_device_count, yoke_prepare,
 * yoke_trace_start, and a job whose kernel is not for cores, or that is split by a weight or a
 * partitioner other than auto and alone. */
typedef enum yoke_loading {
    YOKE_LOAD_LATER, /* 0.25 s after the process's first yoke_open, or when a job will take longer
                      * than that, judging by earlier ones like it or by its first chunks. Until
                      * then a thread sleeps; a process that ends earlier loads nothing */
    YOKE_LOAD_OPEN   /* in yoke_open, which does not wait for it */
} yoke_loading;

/* Zero-initialise, then set fields as needed. A field that is zero takes the value of the
 * environment variable named beside it, or else the default. */
typedef struct yoke_config {
    size_t size; /* sizeof(yoke_config): set it to use fields added after version 0.1. 0: only the
                  * fields of version 0.1 are read. YOKE_EINVAL: a size that this library does not
                  * know */
    const char
        *devices; /* YOKE_DEVICES, "cpu:8,opencl:0:mem=1G"; default: all cores and all GPUs */
    const char *partitioner; /* YOKE_PARTITIONER; default auto */
    int threads;             /* YOKE_THREADS: number of threads for CPU work, 1 to 4096, per CPU
                              * device; threads beyond its cores are not bound. Default 0: one per
                              * core; with partitioner nc-ht and waiting auto or block, one more for
                              * each stream of a GPU */
    yoke_waiting waiting;    /* YOKE_WAIT */
    const char *trace; /* YOKE_TRACE: write a timeline to this file at close (.json: Chrome trace,
                        * .html: a page) */
    const char *knowledge; /* YOKE_KB: the file that keeps what was learned from one process to the
                            * next, or "off". Default: knowledge.db in the cache folder (yoke kb).
                            * With "off" here (not in YOKE_KB) no report is printed at close either
                            * (YOKE_EXPLAIN) */
    int check; /* YOKE_CHECK: not 0: one core runs all jobs on guarded copies. A job ends with
                * YOKE_EINVAL if its kernel touches memory that the job does not declare, or if the
                * program uses an array's memory without acquiring it (docs/checking.md). `devices`
                * and partitioners are ignored. Slow */
    yoke_loading loading; /* YOKE_LOAD, "later" or "open"; default later */
    /* YOKE_WATCHDOG: a GPU is taken out as lost when its work takes `watchdog` times the expected
     * time, and at least 10 seconds; other devices do its chunks. Only chunks that resemble at
     * least three measured ones are watched. A GPU is also taken out if its driver does not return
     * from a call for that long: a thread that waits for a job notices it and forces the calling
     * thread out of the driver by SIGILL. yoke then owns the handler of SIGILL, which passes on
     * other SIGILLs. Default 100; < 0 (YOKE_WATCHDOG=0): wait without limit. A device that was
     * taken out keeps its memory until the process ends, because its driver must not be called any
     * more. If its kernel ends after all, it may still write rows that were to come home at once
     * (home YOKE_HOME_NOW, windows, yoke_for). Cores are not watched. */
    double watchdog;
} yoke_config;

/* Opens a runtime; `config` NULL: all defaults. Opens the devices that are named and fails if one
 * is missing; by default opens the cores, and GPUs later (yoke_loading). Does not wait for GPU
 * drivers. Exception: nc-ht, whose number of threads depends on the number of GPUs. Threads may
 * open runtimes at the same time. */
YOKE_API yoke_status yoke_open(const yoke_config *config, yoke_runtime **out);
/* No other thread may be in a call with this runtime, its arrays or its jobs, nor call one with
 * them later. Waits for jobs, but not for GPU drivers that are being loaded: the thread that loads
 * them ends after its present driver call (0.1 to 0.3 s), unless yoke_open is called until then.
 * exit(), a return from main and dlclose of the library wait for it. Arrays must be closed before
 * (otherwise YOKE_EBUSY, and nothing is closed). NULL is allowed. YOKE_EINVAL: it was closed
 * before, or the call comes from a progress callback of one of its jobs. */
YOKE_API yoke_status yoke_close(yoke_runtime *runtime);
/* Loads GPU drivers unless that has begun, and waits until every device is open. YOKE_ENOMEM: there
 * is no memory, or no thread, to load them. */
YOKE_API yoke_status yoke_ready(yoke_runtime *runtime);

/* Begins to record what devices do, if it is not recorded already. Waits for the jobs submitted
 * before, and until every device is open. YOKE_EINVAL: the runtime is NULL; YOKE_ENOMEM: there is
 * no memory for the records. */
YOKE_API yoke_status yoke_trace_start(yoke_runtime *runtime);
/* Waits for the jobs submitted before and writes the timeline of what ran so far; the suffix
 * selects the format (.json or .html). YOKE_EINVAL: nothing was recorded, because neither
 * config.trace was set nor yoke_trace_start called. YOKE_EIO: the file cannot be written. */
YOKE_API yoke_status yoke_trace_write(yoke_runtime *runtime, const char *path);

/* The runtime's clock in seconds: real, or virtual if all devices are simulated. 0: the runtime is
 * not open. */
YOKE_API double yoke_seconds(yoke_runtime *runtime);

/* "0.1.0" */
YOKE_API const char *yoke_version(void);

#ifdef __cplusplus
}
#endif
#endif
