/* affinity.c - see affinity.h. The system does not report a thread's cpuset. But a thread that
 * requests every processor gets those of the cpuset; so a thread is started for this, and ends.
 */
#include "affinity.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../base/alloc.h"
#include "../base/option.h"
#include "../base/status.h"
#include "thread.h"

enum { most_cpus = 1 << 20 };

/* The kernel refuses a set smaller than its own, so the size is increased. */
yoke_status yk_affinity_read(struct yk_processors *out)
{
    for (int cpus = CPU_SETSIZE; cpus <= most_cpus; cpus *= 2) {
        out->bytes = CPU_ALLOC_SIZE(cpus);
        out->set = yk_calloc(1, out->bytes);
        if (!out->set) {
            return YOKE_ENOMEM;
        }
        if (sched_getaffinity(0, out->bytes, out->set) == 0) {
            return YOKE_OK;
        }
        yk_free(out->set);
    }
    out->set = NULL;
    return yk_fail(YOKE_EIO,
                   "the system does not tell which processors may be used: %s; see that "
                   "sched_getaffinity is allowed (seccomp)",
                   strerror(errno));
}

void yk_affinity_widen(void)
{
    cpu_set_t every[16]; /* 16384 processors */
    memset(every, 0xff, sizeof every);
    sched_setaffinity(0, sizeof every, every);
}

struct question {
    struct yk_processors *answer;
    yoke_status status;
};

static void read_widened(void *context)
{
    struct question *question = context;
    yk_affinity_widen();
    question->status = yk_affinity_read(question->answer);
}

yoke_status yk_cpuset_read(struct yk_processors *out)
{
    struct question question = { .answer = out };
    struct yk_thread_spec spec = {
        .name = "yk-cpuset", .cpu = -1, .run = read_widened, .context = &question
    };
    struct yk_thread thread;
    yoke_status status = yk_thread_open(&spec, &thread);
    if (status != YOKE_OK) {
        return status;
    }
    yk_thread_join(&thread);
    return question.status == YOKE_OK
               ? YOKE_OK
               : yk_fail(question.status, "the processors of this process's cpuset cannot be read; "
                                          "free memory, or allow sched_getaffinity (seccomp)");
}

void yk_processors_close(struct yk_processors *processors)
{
    yk_free(processors->set);
    processors->set = NULL;
}

int yk_processors_have(const struct yk_processors *processors, int cpu)
{
    return CPU_ISSET_S((size_t)cpu, processors->bytes, (const cpu_set_t *)processors->set);
}

int yk_processors_count(const struct yk_processors *processors)
{
    return CPU_COUNT_S(processors->bytes, (const cpu_set_t *)processors->set);
}

int yk_processors_spread(const struct yk_processors *processors, int part, int parts)
{
    const int count = yk_processors_count(processors);
    int skip = (int)((int64_t)part * count / parts), cpu = 0;
    if (!count)
        return -1;
    for (; skip > 0 || !yk_processors_have(processors, cpu); cpu++)
        skip -= yk_processors_have(processors, cpu);
    return cpu;
}

void yk_processors_write(const struct yk_processors *processors, char *text, size_t size)
{
    int cpus = (int)(processors->bytes * 8);
    size_t length = 0;
    text[0] = '\0';
    for (int first = 0, last; first < cpus; first = last + 1) {
        char part[32];
        for (last = first; last < cpus && yk_processors_have(processors, last); last++) {
        }
        if (last == first) {
            continue;
        }
        const char *comma = length ? "," : "";
        int written = last - first == 1
                          ? snprintf(part, sizeof part, "%s%d", comma, first)
                          : snprintf(part, sizeof part, "%s%d-%d", comma, first, last - 1);
        if (length + (size_t)written + sizeof "..." > size) {
            snprintf(text + length, size - length, "...");
            return;
        }
        memcpy(text + length, part, (size_t)written + 1);
        length += (size_t)written;
    }
}

static int is_openmp(struct dl_phdr_info *library, size_t size, void *found)
{
    static const char *const names[] = { "libgomp.", "libomp.", "libomp5.", "libiomp5." };
    const char *slash = strrchr(library->dlpi_name, '/');
    const char *name = slash ? slash + 1 : library->dlpi_name;
    (void)size;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *(int *)found |= strncmp(name, names[i], strlen(names[i])) == 0;
    }
    return *(int *)found;
}

/* OpenMP's variables bind the thread that loads it; without OpenMP they mean nothing. */
static int find_openmp(struct yk_binder *out)
{
    static const char *const variables[] = { "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                             "OMP_PLACES" };
    int loaded = 0;
    dl_iterate_phdr(is_openmp, &loaded);
    for (size_t i = 0; loaded && i < sizeof variables / sizeof *variables; i++) {
        const char *value = yk_environment(variables[i]);
        if (!value || !*value) {
            continue;
        }
        if (strcasecmp(value, "false") == 0 || strcasecmp(value, "none") == 0 ||
            strcasecmp(value, "disabled") == 0) {
            return 0;
        }
        *out = (struct yk_binder){ .cure = "unset it", .is_side_effect = 1 };
        snprintf(out->name, sizeof out->name, "%s=%.64s", variables[i], value);
        return 1;
    }
    return 0;
}

void yk_binder_find(struct yk_binder *out)
{
    static const struct {
        const char *variable;
        struct yk_binder binder;
    } launchers[] = {
        { "OMPI_COMM_WORLD_SIZE", { "mpirun (Open MPI)", "start it with --bind-to none", 1 } },
        { "SLURM_CPU_BIND", { "srun (Slurm)", "start it with --cpu-bind=none", 1 } },
        { "PMI_SIZE", { "mpirun (MPICH, Intel MPI)", "use -bind-to none or I_MPI_PIN=off", 1 } },
        { "PMI_RANK", { "mpirun (MPICH, Intel MPI)", "use -bind-to none or I_MPI_PIN=off", 1 } },
    };
    if (find_openmp(out)) {
        return;
    }
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (yk_environment(launchers[i].variable)) {
            *out = launchers[i].binder;
            return;
        }
    }
    *out = (struct yk_binder){ "taskset, numactl or the program itself", "start it without", 0 };
}
