/* decomposition_ready.c - see decomposition_ready.h. */
#include "decomposition_ready.h"

#include <math.h>

#include "../array/copy.h"
#include "../array/place.h"
#include "../job/kernel.h"
#include "decomposition.h"

/* The device's rows of the array, by the cuts of the leading kernel. */
static struct yk_interval rows_of(const yoke_array *array, const double *share, int device)
{
    const double first = yk_plan_first(share, device), rows = (double)array->rows;
    return yk_interval_common(
        (struct yk_interval){ (int64_t)(first * rows), (int64_t)((first + share[device]) * rows) },
        yk_array_rows(array));
}

/* The next array of the decomposition whose rows are copied from the host; after NULL the first. */
static yoke_array *next_of(const struct yk_job *job, const yoke_array *array)
{
    yoke_array *next = array ? array->next : job->runtime->arrays;
    while (next &&
           (next->decomposition != job->split.decomposition || !next->carried || next->panels))
        next = next->next;
    return next;
}

int yk_decomposition_needs(const struct yk_job *job)
{
    const yoke_array *array = NULL;
    int m, count = 0;
    while ((array = next_of(job, array)))
        count++;
    for (m = 0; m < YK_PLAN_KERNELS; m++)
        count += job->split.decomposition->members[m].kernel != NULL;
    return count;
}

/* Returns 1 while some kernel of the decomposition is being built for the device. */
static int is_building(const struct yk_decomposition *decomposition, int device)
{
    int m, builds = 0;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        const struct yk_kernel *kernel = decomposition->members[m].kernel;
        builds |= kernel && yk_kernel_is_building(kernel, device);
    }
    return builds;
}

int yk_decomposition_builds(const struct yk_job *job)
{
    int d, builds = 0;
    for (d = 0; d < job->device_count; d++)
        builds |= is_building(job->split.decomposition, d);
    return builds;
}

int yk_decomposition_awaits(const struct yk_job *job, const struct yk_cuts *cuts, double gain_ns)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const double *share = cuts->share[decomposition->leads];
    double all_ns = 0;
    int d, builds = 0;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_place *place = job->runtime->devices[d].place;
        yoke_array *array = NULL;
        builds |= share[d] > 0 && is_building(decomposition, d);
        while (share[d] > 0 && place->pinner && (array = next_of(job, array)))
            all_ns += yk_copy_expect(place, array, rows_of(array, share, d));
    }
    return builds || all_ns > fmax(0, gain_ns);
}

int yk_decomposition_is_unready(const struct yk_job *job)
{
    int d, unready = yk_decomposition_builds(job);
    for (d = 0; d < job->device_count; d++) {
        const struct yk_place *place = job->runtime->devices[d].place;
        yoke_array *array = NULL;
        while (place->pinner && (array = next_of(job, array))) {
            const struct yk_pages_question asked =
                yk_copy_question(place, array, yk_array_rows(array), YK_COPY_TO_DEVICE);
            unready |= yk_pages_pending(&asked);
        }
    }
    return unready;
}
