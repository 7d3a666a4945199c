/* flight.c - one chunk's way through a device: rows in, kernel, results home.
 *
 * Everything is issued at once and ordered by queues and events, so that the copies of one lane's
 * chunk overlap the kernel of another's. The driving thread checks later whether the last event is
 * complete. On a CPU the "launch" is the work itself, and rows are requested only if a device has
 * ever had them.
 */
#include "flight.h"

#include "../job/reduction.h"
#include "alternative.h"
#include "arrival.h"
#include "declare.h"
#include "forecast.h"
#include "homeward.h"
#include "steps.h"
#include "strips.h"
#include "sums.h"

/* Returns 1 if rows come from another device for this flight. Their copies wait for the kernels of
 * other devices in flight->behind, so its own kernel need not. */
static int takes_rows(const struct yk_job *job, const struct yk_flight *flight)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (flight->loads[p].exchanges)
            return 1;
    return 0;
}

/* Launches on a device with memory of its own, after the copies that bring rows there. */
static yoke_status launch_there(struct yk_job *job, int device, int lane, struct yk_launch *launch)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_place *place = jd->device->place;
    const int form = yk_flight_form(jd, flight);
    struct yk_program *program = yk_job_kernel(job, form)->builds[jd->device->number].program;
    struct yk_job_declared declared;
    struct yk_event *after[2 + YK_BEHIND_MOST];
    yoke_status status;
    if (place->device->desc.checks) {
        yk_job_declare(job, device, &declared);
        launch->declared = &declared.all;
        flight->launched = 1; /* it runs piece by piece, and may fail between two of them */
    }
    yk_lock(&place->lock);
    after[0] = place->last_upload;
    after[1] = yk_exchange_latest(&place->exchange, jd->device->queues[lane]);
    flight->relies.latest = place->exchange.issued;
    launch->after = after;
    launch->after_count = 2;
    for (int i = takes_rows(job, flight) ? flight->crosses : 0; i < flight->behind.count; i++)
        after[launch->after_count++] = flight->behind.kernel[i];
    status = yk_form_is_steps(job, form)
                 ? yk_steps_begin(job, device, lane, launch)
                 : place->device->backend->launch(jd->device->queues[lane], program, launch,
                                                  &flight->kernel);
    yk_unlock(&place->lock);
    return status;
}

static yoke_status launch(struct yk_job *job, int device, int lane,
                          const struct yk_launch_arg *args)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_place *place = jd->device->place;
    const int form = yk_flight_form(jd, flight);
    const int is_steps =
        yk_form_is_steps(job, form); /* its state is copied home after each launch */
    struct yk_launch launch = { .first = flight->chunk.first,
                                .last = flight->chunk.last,
                                .extent = { job->extent[0], job->extent[1] },
                                .second = { job->along[0].first, job->along[0].last },
                                .third = { job->along[1].first, job->along[1].last },
                                .args = args,
                                .lane = lane,
                                .team = jd->device->lanes,
                                .timed =
                                    job->runtime->trace || yk_flight_tells_fetch(job, jd, flight),
                                .passing = is_steps || yk_flight_comes_home(job, device) ||
                                           yk_sums_go_with(job, device, lane) ||
                                           yk_flight_is_polled(job, device, lane) };
    yoke_status status = is_steps ? yk_steps_prepare(job, device, lane, args) : YOKE_OK;
    if (status != YOKE_OK)
        return status;
    if (job->reduction) {
        launch.blocks = job->reduction->blocks;
        launch.block_count = job->reduction->count;
    }
    launch.steps = is_steps ? yk_steps_launch(flight) : NULL;
    if (!place->device->desc.host_memory)
        return launch_there(job, device, lane, &launch);
    if (flight->slot >= 0 && jd->leases.slots[flight->slot].in_strips) {
        yk_strips_run(job, device, &launch);
        return YOKE_OK;
    }
    return place->device->backend->launch(
        jd->device->queues[lane], yk_job_kernel(job, form)->builds[jd->device->number].program,
        &launch, &flight->kernel);
}

yoke_status yk_flight_issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_flight_args args;
    const int host_memory = jd->device->device->desc.host_memory;
    yoke_status status;
    flight->busy = 1;
    flight->launched = flight->homing = 0;
    flight->bytes_in = flight->bytes_out = flight->seen_busy_ns = 0;
    flight->bytes_between = flight->bytes_passed = flight->bytes_once = 0;
    flight->relies.oldest = yk_exchange_oldest(jd->device->place);
    status = yk_flight_stage(job, device, lane, &args);
    flight->staged_ns = flight->bytes_in > 0 ? yk_now(job->runtime) - flight->issued_ns : 0;
    if (status == YOKE_OK) {
        status = launch(job, device, lane, args.args);
        flight->launched |= status == YOKE_OK;
    }
    if (status == YOKE_OK && !yk_form_is_steps(job, yk_flight_form(jd, flight)))
        status = yk_flight_leave(job, device, lane);
    else if (status == YOKE_OK && host_memory && !flight->kernel)
        status = yk_steps_outcome(job, jd, flight);
    return status;
}
