/* yoke/doctor.h - what a machine has and what is missing, for people and for the yoke command
 * (yoke-doctor(1)). docs/backends.md explains how devices are found.
 */
#ifndef YOKE_DOCTOR_H
#define YOKE_DOCTOR_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The machine as this process may use it. */
typedef struct yoke_machine {
    char processor[64];                     /* its model, as the system names it */
    int cores;                              /* allowed by affinity and cpuset, whatever the quota */
    int quota_cores;                        /* cgroup CPU quota in whole cores; 0: none */
    int numa_nodes;                         /* that these cores belong to; 0: unknown */
    int64_t memory_bytes, memory_available; /* within the cgroup's limits */
    int64_t l2_bytes, l3_bytes;             /* size of one cache; 0: unknown */
    int gpu_nodes;                          /* 1 if the system has a GPU's device node */
    char cache_folder[512];                 /* for compiled kernels; "": switched off */
    const char *described_by; /* "hwloc"; "/sys" if yoke was built without it (YOKE_HWLOC) */
} yoke_machine;
/* Describes this machine. YOKE_EINVAL: `out` is NULL. Thread-safe. */
YOKE_API yoke_status yoke_machine_get(yoke_machine *out);
/* Why nothing can be kept in the cache folder, in the system's words ("Permission denied"), valid
 * until the thread's next call; then kernels are compiled anew in every run. NULL: it can be
 * written, or it is switched off. Thread-safe. */
YOKE_API const char *yoke_cache_trouble(void);

/* The result of looking for one backend's devices. */
typedef struct yoke_finding {
    const char *backend; /* "cpu", "cuda", "opencl", "sim"; static */
    const char *summary; /* what the backend is, in a few words; static */
    int devices;         /* number found, also those not used by default */
    int missing;         /* 1: something must be installed or permitted before it can work */
    char text[512];      /* what was found, or what is missing and what to install */
} yoke_finding;
/* Gets one finding, which is valid only during the call. */
typedef void yoke_finding_fn(void *context, const yoke_finding *finding);
/* Looks for the devices of every backend, drivers included, and calls `fn` for each backend.
 * YOKE_ENODEV if the CPU does not work. */
YOKE_API yoke_status yoke_doctor(yoke_finding_fn *fn, void *context);

/* Name of a partitioner, from index 0; NULL after the last (docs/scheduling.md). */
YOKE_API const char *yoke_partitioner_name(int index);
/* What the partitioner does, in one line; NULL after the last. */
YOKE_API const char *yoke_partitioner_summary(int index);
/* One line about setting number `setting` of the partitioner ("chunk: items of a chunk"), from 0;
 * NULL after the last. The text is written to `line`, which holds 256 bytes. */
YOKE_API const char *yoke_partitioner_setting(int index, int setting, char *line);

#ifdef __cplusplus
}
#endif
#endif
