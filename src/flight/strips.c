/* strips.c - a core does a heavy item of a 2-D or 3-D range in strips of its second dimension.
 * Between two strips it looks whether an idle device would do the whole lease sooner.
 *
 * A row of a matrix product of 2,048 rows takes a core 20 to 50 ms, and an H200 does all rows
 * in 2.6 ms. Before that is known, each core has begun a row, and the job would wait for it. A
 * lease that is given back counts as not done: all its lanes leave it, and its items return to the
 * range. That is possible because the kernel only writes: what a core left of a row is written
 * again. A stopped job ends sooner, too. Strips cost a matrix product 4 % of the cores' time, so
 * there are none if an item takes a core less time than the whole lease another device.
 */
#include "strips.h"

#include <math.h>

#include "../job/kernel.h"
#include "../partition/lease.h"
#include "../partition/partitioner.h"
#include "alternative.h"
#include "flight.h"

/* Indexes of the second dimension in the first strip of a 2-D range, which fill the widest vectors;
 * of a 3-D range, in which each has a whole third dimension. */
enum { FIRST_STRIP = 64, FIRST_STRIP3 = 1 };

/* What a core left is written again: the kernel changes no argument in place, and adds to none. The
 * job's own modes do not tell: what a job leaves of rows is `inout`. */
static int only_writes(const yoke_kernel *kernel)
{
    int p;
    for (p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].mode != YOKE_PARAM_VALUE && kernel->params[p].mode != YOKE_PARAM_IN &&
            kernel->params[p].mode != YOKE_PARAM_OUT)
            return 0;
    return 1;
}

/* Returns 1 if an item takes a core long enough for two strips, or nobody knows yet. */
static int is_heavy(const struct yk_job *job, const struct yk_job_device *jd)
{
    const double ns = (double)yk_dispatch_forecast(job->dispatch, jd->device->number, 1);
    return ns <= 0 || ns * jd->device->lanes >= 2 * YK_PIECE_NS;
}

int yk_strips_suit(const struct yk_job *job, int device, const struct yk_chunk *chunk)
{
    const struct yk_job_device *jd = &job->devices[device];
    const yoke_kernel *kernel = &yk_job_kernel(job, chunk->form)->kernel;
    return job->extent[0] > 1 && !kernel->cpu.team && kernel->kind == YOKE_KERNEL_RANGE &&
           !jd->device->device->desc.virtual_clock && only_writes(kernel) && is_heavy(job, jd) &&
           yk_dispatch_may_give_back(job->dispatch, chunk);
}

/* A piece that a core is at. */
struct at {
    struct yk_job *job;
    int device;
    struct yk_program *program;
    struct yk_lease *lease;
    const struct yk_launch *piece;
    struct yk_launch strip; /* the latest one */
    int64_t began_ns, now_ns;
    double done; /* number of items of the piece that are done */
};

/* Time until the lease is done, if all its items take as long as those of this piece: what is left
 * of the piece, and then the core's part of what the lanes have not begun. */
static double left_ns(const struct at *at)
{
    const struct yk_job_device *jd = &at->job->devices[at->device];
    const double items = (double)(at->piece->last - at->piece->first);
    const double lanes = jd->device->lanes - jd->kept;
    const double begun = fmin((double)yk_lease_left(at->lease), items * lanes);
    const double after = ((double)yk_lease_left(at->lease) - begun) / lanes;
    return (double)(at->now_ns - at->began_ns) / at->done * (items - at->done + after);
}

/* Returns 1 if an idle device would do the whole lease before the cores end it. Nearly always one
 * look at `hungry` tells that none would: no lane waits for work. */
static int is_outdone(const struct at *at)
{
    struct yk_job *job = at->job;
    int outdone;
    if (!(at->done > 0) || !atomic_load(&job->lanes.all_out) || !atomic_load(&job->lanes.hungry))
        return 0;
    yk_lock(&job->lock);
    outdone = yk_dispatch_gives_back(job->dispatch, &at->lease->chunk, left_ns(at));
    yk_unlock(&job->lock);
    return outdone;
}

/* Returns 1 if the core should leave the piece, because the lease is given back. */
static int leaves(const struct at *at)
{
    if (yk_lease_is_given_back(at->lease))
        return 1;
    if (!yk_job_is_stopped(at->job) && !is_outdone(at))
        return 0;
    atomic_store_explicit(&at->lease->given_back, 1, memory_order_relaxed);
    return 1;
}

static void note_done(struct yk_lease *lease, double items)
{
    atomic_fetch_add_explicit(&lease->strips_done, (int64_t)(items * YK_STRIP_SHARES),
                              memory_order_relaxed);
}

/* Goes on to the next strip, of at most `width` indexes. Returns 0 at the end of the piece. */
static int advance(struct at *at, int64_t width)
{
    struct yk_launch *strip = &at->strip;
    if (strip->second.last == at->piece->second.last) {
        strip->first = strip->last++;
        strip->second.last = at->piece->second.first;
    }
    strip->second.first = strip->second.last;
    strip->second.last = at->piece->second.last - strip->second.first > width
                             ? strip->second.first + width
                             : at->piece->second.last;
    return strip->first < at->piece->last;
}

/* Does a strip. Returns the time it took, ns. */
static int64_t do_strip(struct at *at)
{
    struct yk_job_device *jd = &at->job->devices[at->device];
    const struct yk_launch *piece = at->piece, *strip = &at->strip;
    const int64_t before = at->now_ns;
    jd->device->device->backend->launch(jd->device->queues[piece->lane], at->program, strip, NULL);
    at->now_ns = yk_now(at->job->runtime);
    at->done = (double)(strip->first - piece->first) +
               (double)(strip->second.last - piece->second.first) /
                   (double)(piece->second.last - piece->second.first);
    return at->now_ns - before;
}

void yk_strips_run(struct yk_job *job, int device, const struct yk_launch *piece)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[piece->lane];
    const int form = yk_flight_form(jd, flight);
    struct at at = { .job = job,
                     .device = device,
                     .program = yk_job_kernel(job, form)->builds[jd->device->number].program,
                     .lease = &jd->leases.slots[flight->slot],
                     .piece = piece,
                     .strip = *piece,
                     .began_ns = yk_now(job->runtime) };
    int64_t width = job->extent[1] > 1 ? FIRST_STRIP3 : FIRST_STRIP;
    at.now_ns = at.began_ns;
    at.strip.last = piece->first;
    at.strip.second.last = piece->second.last;
    while (!leaves(&at) && advance(&at, width))
        if (do_strip(&at) < YK_PIECE_NS && width < piece->second.last)
            width *= 2;
    note_done(at.lease, at.done);
}
