/* yoke/doctor.h - what a machine offers and what is missing, for people and for the yoke command.
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
    char processor[64];
    int cores;                              /* by affinity and cpuset; quota not considered */
    int quota_cores;                        /* cgroup CPU quota in whole cores; 0: none */
    int numa_nodes;                         /* that these cores belong to; 0: unknown */
    int64_t memory_bytes, memory_available; /* cgroup limits considered */
    int64_t l2_bytes, l3_bytes;             /* size of one cache; 0: unknown */
    int gpu_nodes;                          /* 1: the system shows a GPU's device node */
    char cache_folder[512];                 /* of compiled kernels; "": switched off */
    const char *described_by; /* "hwloc"; "/sys" where yoke was built without it (YOKE_HWLOC) */
} yoke_machine;
YOKE_API yoke_status yoke_machine_get(yoke_machine *out);

/* What looking for one backend's devices gave. */
typedef struct yoke_finding {
    const char *backend, *summary;
    int devices;    /* found, whether or not they would be used by default */
    int missing;    /* 1: something has to be installed or allowed before it can work */
    char text[512]; /* what was found, or what is missing and what to install */
} yoke_finding;
typedef void yoke_finding_fn(void *context, const yoke_finding *finding);
/* Looks for the devices of every backend, drivers included, and calls `fn` for each backend.
 * YOKE_ENODEV if the CPU does not work. */
YOKE_API yoke_status yoke_doctor(yoke_finding_fn *fn, void *context);

/* The partitioners there are, one after the other from index 0; NULL after the last. */
YOKE_API const char *yoke_partitioner_name(int index);
YOKE_API const char *yoke_partitioner_summary(int index);
/* Its settings, a line each ("chunk: items of a chunk"), from 0; NULL after the last. The text goes
 * to `line`, capacity 256. */
YOKE_API const char *yoke_partitioner_setting(int index, int setting, char *line);

#ifdef __cplusplus
}
#endif
#endif
