/* affinity.h - the processors a thread may run on, those its process could have, and what bound it.
 *
 * Affinity is inherited, so a binding made before yoke_open (by an OpenMP runtime, mpirun, taskset)
 * holds for all threads of yoke. The cpuset is what the administrator or the container allows: no
 * thread can leave it.
 */
#ifndef YK_PLATFORM_AFFINITY_H
#define YK_PLATFORM_AFFINITY_H

#include <stddef.h>
#include <yoke/status.h>

/* A set of processors, by the operating system's numbers; as large as the kernel requires. */
struct yk_processors {
    void *set; /* a cpu_set_t; owned */
    size_t bytes;
};

/* Processors that the calling thread, and so any thread it starts, may run on. */
yoke_status yk_affinity_read(struct yk_processors *out);
/* All processors of the process's cpuset. Starts a thread to read them, which takes some 50 us. */
yoke_status yk_cpuset_read(struct yk_processors *out);
void yk_processors_close(struct yk_processors *processors);
int yk_processors_count(const struct yk_processors *processors);
/* The first processor of part number `part`, if the set is cut into `parts`; -1: it is empty. */
int yk_processors_spread(const struct yk_processors *processors, int part, int parts);
int yk_processors_have(const struct yk_processors *processors, int cpu);
/* Written as "0-3,8"; cut with "..." if `text` is too small. */
void yk_processors_write(const struct yk_processors *processors, char *text, size_t size);

/* Lets the calling thread run on all of the cpuset. For speed only: does nothing if the system
 * refuses. */
void yk_affinity_widen(void);

/* What bound the calling thread, as far as the process can tell. */
struct yk_binder {
    char name[96];      /* "OMP_PROC_BIND=true", "mpirun (Open MPI)", "taskset or the program" */
    const char *cure;   /* "unset it" */
    int is_side_effect; /* 1: the binding was meant for other threads or ranks, not for this
                         * program's cores */
};
void yk_binder_find(struct yk_binder *out);

#endif
