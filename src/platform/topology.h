/* topology.h - the part of the machine that this process may use: cores by affinity, cpuset and
 * quota; memory.
 *
 * The structure is read once per process, through hwloc (structure only, no I/O devices, no cpuid:
 * 2 to 3 ms), or from /sys if yoke is built without hwloc (machine.h). Affinity and quota may
 * change, so they are read at every call.
 */
#ifndef YK_PLATFORM_TOPOLOGY_H
#define YK_PLATFORM_TOPOLOGY_H
#include <stdint.h>
#include <yoke/status.h>

enum { YK_MODEL_BYTES = 64 };

struct yk_core {
    int cpu;  /* operating system's number of the core's first usable hardware thread; -1 (do not
               * bind) if hwloc describes another machine than this one (HWLOC_SYNTHETIC) */
    int core; /* logical core index on the machine */
    int numa, l3,
        l2; /* logical index of the core's NUMA node and shared caches; -1 if there is none */
};

struct yk_topology {
    struct yk_core *cores; /* usable cores, one hardware thread each, sorted by core index; owned */
    int core_count;        /* >= 1 */
    int machine_cores;     /* all of the machine, usable or not */
    int quota_cores;       /* cgroup CPU quota rounded up to whole cores; 0 if there is none */
    int64_t memory_bytes;  /* usable host memory: the machine's, or the cgroup's limit if smaller */
    int64_t l2_bytes, l3_bytes; /* size of one cache; 0 if unknown */
    char model[YK_MODEL_BYTES]; /* processor's name */
};
yoke_status yk_topology_open(struct yk_topology *out);
/* As if the calling thread were not bound: all cores of the process's cpuset. */
yoke_status yk_topology_open_cpuset(struct yk_topology *out);
void yk_topology_close(struct yk_topology *topology);

/* Bytes of host memory that can be allocated now without swapping (MemAvailable, limited by the
 * cgroup). */
int64_t yk_memory_available(void);
/* Whether the system shows any GPU device node (/dev/nvidia*, /dev/dri/render*, /dev/kfd,
 * /dev/dxg). Loading a GPU driver costs tens of milliseconds. So without a node, drivers are tried
 * only if the user names a device. */
int yk_gpu_present(void);
/* Clock of the first core in GHz: its highest, or the value that a virtual machine reports; 0 if
 * unknown. */
double yk_core_ghz(void);
#endif
