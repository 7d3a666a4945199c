/* unit.c - the granularity of a job: the unit of which chunks are multiples, and the number of
 * items that fill a device. Both hold for either of two kernels that do the same work. */

#include "unit.h"

#include <string.h>

#include "reduction.h"

static int64_t unit_of(const yoke_kernel *kernel)
{
    return kernel->unit > 1 ? kernel->unit : 1;
}

/* Number of indexes that give every processing element work. */
static int64_t busy_indexes(const struct yk_job *job, const yoke_kernel *kernel, int64_t fill)
{
    /* A step kernel's group has one index per lane. */
    const int lanes = kernel->kind == YOKE_KERNEL_STEP ? 1 : kernel->lanes;
    const int64_t per_index = yk_job_indexes_each(job) * (lanes > 1 ? lanes : 1);
    return fill * unit_of(kernel) / per_index;
}

int64_t yk_common_unit(const yoke_kernel *kernel, const yoke_kernel *alternative)
{
    const int64_t mine = unit_of(kernel), other = alternative ? unit_of(alternative) : 1;
    int64_t a = mine, b = other;
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return mine / a * other;
}

int64_t yk_job_unit(const struct yk_job *job)
{
    return job->reduction ? job->reduction->blocks.size
                          : yk_common_unit(&job->kernel->kernel,
                                           job->pair ? &job->pair->alternative->kernel : NULL);
}

int64_t yk_job_busy_items(const struct yk_job *job, int64_t fill)
{
    const int64_t mine = busy_indexes(job, &job->kernel->kernel, fill);
    const int64_t other = job->pair ? busy_indexes(job, &job->pair->alternative->kernel, fill) : 0;
    return mine > other ? mine : other;
}

/* The larger vector length of the job's kernels. */
int64_t yk_job_vector(const struct yk_job *job)
{
    const int mine = job->kernel->kernel.cpu.unit;
    const int other = job->pair ? job->pair->alternative->kernel.cpu.unit : 0;
    return mine > other ? mine : other;
}
