/* range.c - a job's range: checks and fills in the ends of all its dimensions. */

#include "range.h"

#include "../base/status.h"

/* So the difference of two indexes, and a bound rounded up to a unit, are int64_t. */
#define INDEX_MOST ((int64_t)1 << 62)

/* The second (d = 0) or third (d = 1) dimension of a job: the indexes to do, and its size. */
struct dimension {
    struct yk_interval done;
    int64_t size;
};

static struct dimension dimension_of(const yoke_job *spec, int d)
{
    struct dimension it = { { spec->range.second.first, spec->range.second.last },
                            spec->range.extent[d] };
    if (d == 1)
        it.done = (struct yk_interval){ spec->range.third.first, spec->range.third.last };
    if (it.size == 0)
        it.size = it.done.last > 0 ? it.done.last : 1;
    if (it.done.first == 0 && it.done.last == 0)
        it.done.last = it.size;
    return it;
}

static yoke_status refuse_dimensions(const yoke_kernel *kernel)
{
    const int dimensions = kernel->dimensions > 1 ? kernel->dimensions : 1;
    const char *cure = "define it with YOKE_KERNEL2 or YOKE_KERNEL3";
    if (kernel->kind == YOKE_KERNEL_STEP || kernel->lanes > 0)
        cure = "group and step kernels have one dimension only, so leave extent, second and third "
               "zero";
    return yk_fail(YOKE_EINVAL, "kernel %s has %d dimension%s, the range has more; %s",
                   kernel->name, dimensions, dimensions == 1 ? "" : "s", cure);
}

static yoke_status check_dimension(const yoke_job *spec, int d)
{
    const struct dimension it = dimension_of(spec, d);
    const int has_it = spec->kernel->dimensions > d + 1;
    if (!has_it && (it.size != 1 || it.done.first != 0 || it.done.last != 1))
        return refuse_dimensions(spec->kernel);
    if (0 <= it.done.first && it.done.first <= it.done.last && it.done.last <= it.size)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "kernel %s: range.%s is [%lld, %lld) of a dimension of %lld (range.extent[%d]); "
                   "give 0 <= first <= last <= extent, or zeros for all of it",
                   spec->kernel->name, d ? "third" : "second", (long long)it.done.first,
                   (long long)it.done.last, (long long)it.size, d);
}

yoke_status yk_range_check(const yoke_job *spec)
{
    const int64_t first = spec->range.first, last = spec->range.last;
    const int64_t *extent = spec->range.extent;
    yoke_status status;
    if (last < first || extent[0] < 0 || extent[1] < 0)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s: the range [%lld, %lld) (x %lld x %lld) is negative; an "
                       "empty one has last = first",
                       spec->kernel->name, (long long)first, (long long)last, (long long)extent[0],
                       (long long)extent[1]);
    if (first < -INDEX_MOST || last > INDEX_MOST || extent[0] > INDEX_MOST ||
        extent[1] > INDEX_MOST)
        return yk_fail(YOKE_EINVAL,
                       "kernel %s: the range [%lld, %lld) (x %lld x %lld) has indexes beyond 2^62, "
                       "and sums of them would overflow; begin at 0, and split what is larger",
                       spec->kernel->name, (long long)first, (long long)last, (long long)extent[0],
                       (long long)extent[1]);
    status = check_dimension(spec, 0);
    return status == YOKE_OK ? check_dimension(spec, 1) : status;
}

/* Elements that the kernel does not write must stay, so devices need the old rows, as for inout.
 * Not for yoke_out_part, which says that the values of these elements do not matter. */
static void keep_edges(struct yk_job *job)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].mode == YOKE_PARAM_OUT && job->args[p].shape != YOKE_PART)
            job->args[p].mode = YOKE_PARAM_INOUT;
}

void yk_range_take(struct yk_job *job, const yoke_job *spec)
{
    int d, is_part = 0;
    job->first = spec->range.first;
    job->last = spec->range.last;
    for (d = 0; d < 2; d++) {
        struct dimension it = dimension_of(spec, d);
        is_part |= yk_interval_length(it.done) < it.size;
        if (yk_interval_empty(
                it.done)) { /* so that other code checks only the first dimension for emptiness */
            job->last = job->first;
            it.done = (struct yk_interval){ 0, it.size };
        }
        job->extent[d] = it.size;
        job->along[d] = it.done;
    }
    if (is_part)
        keep_edges(job);
}
