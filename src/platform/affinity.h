/* affinity.h - the processors a thread may run on, those its process could have, and who bound it.
 *
 * A thread's affinity is inherited, so a binding made before yoke_open (by an OpenMP runtime, by
 * mpirun, by taskset) holds for all threads of ours. The cpuset is what the administrator or the
 * container allows: no thread can leave it.
 */
#ifndef YK_PLATFORM_AFFINITY_H
#define YK_PLATFORM_AFFINITY_H

#include <stddef.h>
#include <yoke/status.h>

/* A set of processors, by the operating system's numbers; as large as the kernel wants it. */
struct yk_processors {
    void *set; /* a cpu_set_t; owned */
    size_t bytes;
};

/* Those the calling thread, and so any thread it starts, may run on. */
yoke_status yk_affinity_read(struct yk_processors *out);
/* All of the process's cpuset. Takes a thread of its own where it is asked for, some 50 us. */
yoke_status yk_cpuset_read(struct yk_processors *out);
void yk_processors_close(struct yk_processors *processors);
int yk_processors_have(const struct yk_processors *processors, int cpu);
/* As "0-3,8"; cut with "..." where `text` is too small. */
void yk_processors_write(const struct yk_processors *processors, char *text, size_t size);

/* The calling thread may run on all of the cpuset from now on. Speed only: nothing if the system
 * refuses. */
void yk_affinity_widen(void);

/* Who bound the calling thread, as far as the process can tell. */
struct yk_binder {
    char name[96];      /* "OMP_PROC_BIND=true", "mpirun (Open MPI)", "taskset or the program" */
    const char *cure;   /* "unset it" */
    int is_side_effect; /* it was told of other threads or ranks, not of this program's cores */
};
void yk_binder_find(struct yk_binder *out);

#endif
