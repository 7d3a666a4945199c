/* flight.c - one chunk's way through a device: rows in, kernel, results home.
 *
 * Everything is issued at once and ordered by queues and events, so that the copies of one lane's
 * chunk overlap the kernel of another's. The driving thread returns when the last event is
 * complete. On a CPU the "launch" is the work itself, and rows are only requested if a device has
 * ever had them.
 */
#include "flight.h"
#include "reduction.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "declare.h"

struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items)
{
    const yoke_arg *a = &job->args[arg];
    struct yk_interval all = yk_array_rows(a->array), rows = items;
    if (a->shape == YOKE_WHOLE)
        return all;
    if (a->shape == YOKE_HALO)
        rows = (struct yk_interval){ items.first - a->before, items.last + a->after };
    if (a->shape == YOKE_CUSTOM) {
        yoke_rows asked = a->rows(a->rows_context, (yoke_rows){ items.first, items.last });
        rows = (struct yk_interval){ asked.first, asked.last };
    }
    if (rows.first < all.first)
        rows.first = all.first;
    if (rows.last > all.last)
        rows.last = all.last;
    if (rows.last < rows.first)
        rows.last = rows.first;
    return rows;
}

int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight)
{
    return device->leases.slots && flight->slot >= 0 &&
           yk_lease_is_ready(&device->leases, flight->slot);
}

int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *jd, int p)
{
    return yk_writes_rows(job->args[p].mode) && jd->holding[p] != YK_HELD_HOST &&
           (jd->holding[p] == YK_HELD_WINDOW || job->args[p].home == YOKE_HOME_NOW);
}

static int comes_home(const struct yk_job *job, const struct yk_job_device *jd)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (yk_leaves_at_once(job, jd, p))
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
    struct yk_event *after[2];
    yoke_status status;
    if (place->device->desc.checks) {
        yk_job_declare(job, device, &declared);
        launch->declared = &declared.all;
        flight->launched = 1; /* it runs piece by piece, and may end between two of them */
    }
    yk_lock(&place->lock);
    after[0] = place->last_upload;
    after[1] = yk_exchange_latest(&place->exchange);
    launch->after = after;
    launch->after_count = after[1] ? 2 : after[0] ? 1 : 0;
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
                                .timed = job->runtime->trace || yk_flight_tells_fetch(job, flight),
                                .passing = is_steps || comes_home(job, jd) ||
                                           yk_flight_is_polled(job, device, lane) };
    yoke_status status = is_steps ? yk_steps_prepare(job, device, lane, args) : YOKE_OK;
    if (status != YOKE_OK)
        return status;
    if (job->reduction)
        launch.blocks = job->reduction->blocks;
    launch.steps = is_steps ? yk_steps_launch(flight) : NULL;
    if (!place->device->desc.host_memory)
        return launch_there(job, device, lane, &launch);
    return place->device->backend->launch(
        jd->device->queues[lane], yk_job_kernel(job, form)->builds[jd->device->number].program,
        &launch, &flight->kernel);
}

/* Hauls are needed after the issue only if rows go through staging buffers. */
static yoke_status need_hauls(const struct yk_job *job, const struct yk_place *place,
                              struct yk_flight *flight)
{
    if (!place->device->backend->host_alloc || flight->hauls)
        return YOKE_OK;
    flight->hauls = yk_calloc((size_t)job->arg_count, sizeof *flight->hauls);
    return flight->hauls ? YOKE_OK : YOKE_ENOMEM;
}

static yoke_status send_rows(struct yk_job *job, int device, int lane, int p)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_place *place = jd->device->place;
    yoke_array *array = job->args[p].array;
    struct yk_interval rows = yk_job_rows(job, p, yk_flight_items(flight));
    int window = jd->holding[p] == YK_HELD_WINDOW;
    struct yk_haul haul = { .place = place,
                            .array = array,
                            .copy = { .kind = YK_COPY_FROM_DEVICE,
                                      .buffer = window ? flight->windows[p].buffer
                                                       : jd->replicas[p]->whole->buffer,
                                      .timed = job->runtime->trace != NULL,
                                      .passing = yk_flight_is_polled(job, device, lane) } };
    yoke_status status;
    if (yk_interval_empty(rows))
        return YOKE_OK;
    yk_array_shape_copy(array, rows, &haul.copy);
    haul.copy.pitch = yk_held_pitch(job, device, p);
    if (window)
        haul.copy.offset = flight->windows[p].offset;
    status = need_hauls(job, place, flight);
    if (status != YOKE_OK)
        return status;
    yk_transfer_landing(array, rows);
    if (flight->kernel && !flight->home) { /* otherwise a copy behind the kernel is in the queue
                                            * already */
        haul.copy.after = &flight->kernel;
        haul.copy.after_count = 1;
    }
    status = yk_haul_start(&haul, &flight->home);
    flight->homing |= haul.direct;
    if (flight->hauls)
        flight->hauls[p] = haul;
    if (status != YOKE_OK)
        return status;
    flight->bytes_out += yk_copy_total(&haul.copy);
    yk_array_count_down(array, yk_copy_total(&haul.copy));
    return YOKE_OK;
}

yoke_status yk_flight_send_home(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    yoke_status status = YOKE_OK;
    int p;
    if (jd->device->device->desc.host_memory)
        return YOKE_OK;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (yk_leaves_at_once(job, jd, p))
            status = send_rows(job, device, lane, p);
    return status;
}

yoke_status yk_flight_issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_launch_arg args[YOKE_ARGS_MAX]; /* not cleared: that would cost more than most
                                               * launches */
    int64_t distances[YOKE_ARGS_MAX];
    const int host_memory = jd->device->device->desc.host_memory;
    yoke_status status;
    flight->busy = 1;
    flight->launched = flight->homing = 0;
    flight->bytes_in = flight->bytes_out = flight->seen_busy_ns = 0;
    flight->bytes_between = flight->bytes_passed = flight->bytes_once = 0;
    flight->relies_on = yk_exchange_oldest(jd->device->place);
    status = yk_flight_stage(job, device, lane, args, distances);
    if (status == YOKE_OK) {
        status = launch(job, device, lane, args);
        flight->launched |= status == YOKE_OK;
    }
    if (status == YOKE_OK && !yk_form_is_steps(job, yk_flight_form(jd, flight)))
        status = yk_flight_send_home(job, device, lane);
    else if (status == YOKE_OK && host_memory && !flight->kernel)
        status = yk_steps_outcome(job, jd, flight);
    return status;
}
