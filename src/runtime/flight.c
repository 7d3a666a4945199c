/* flight.c - one chunk's way through a device: rows in, kernel, results home.
 *
 * Everything is issued at once and ordered by queues and events, so that the copies of one lane's
 * chunk overlap the kernel of another's; the driving thread comes back when the last event is
 * complete. On a CPU the "launch" is the work itself and rows are only asked for where some device
 * has ever had them.
 */
#include "flight.h"

#include "../base/alloc.h"
#include "../base/status.h"

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

static int reads(yoke_param_mode mode)
{
    return mode == YOKE_PARAM_IN || mode == YOKE_PARAM_INOUT;
}

/* Rows of the host will be written without being read. Old versions of them must not come home any
 * more, as they would if a device made room for another job meanwhile (tests/model). */
static yoke_status announce(yoke_array *array, struct yk_interval rows)
{
    return yk_transfer_written(array, YK_HOST, rows);
}

int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight)
{
    return device->leases.slots && flight->slot >= 0 &&
           yk_lease_is_ready(&device->leases, flight->slot);
}

/* A CPU works on the host's rows. */
static yoke_status stage_on_host(struct yk_job *job, int device, int lane, int p,
                                 struct yk_launch_arg *out)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    yoke_array *array = job->args[p].array;
    out->host = array->host;
    out->shift = -array->first_row * array->pitch;
    if (job->args[p].mode == YOKE_PARAM_ADD) {
        out->host = yk_private_host(job, device, lane, p);
        return out->host ? YOKE_OK : YOKE_ENOMEM;
    }
    if (yk_flight_is_ready(&job->devices[device], flight) || yk_array_is_host_only(array))
        return YOKE_OK;
    if (reads(job->args[p].mode))
        return yk_transfer_home(array, yk_job_rows(job, p, yk_flight_items(flight)));
    return announce(array, yk_job_rows(job, p, yk_flight_items(flight)));
}

static yoke_status upload_window(struct yk_job *job, int device, int lane, int p)
{
    struct yk_place *place = job->devices[device].device->place;
    const struct yk_flight *flight = &job->devices[device].flights[lane];
    yoke_array *array = job->args[p].array;
    struct yk_interval rows = yk_job_rows(job, p, yk_flight_items(flight));
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = flight->windows[p].buffer };
    yoke_status status;
    if (yk_interval_empty(rows))
        return YOKE_OK;
    yk_array_shape_copy(array, rows, &copy);
    copy.offset = flight->windows[p].offset;
    copy.pitch = yk_held_pitch(job, device, p);
    yk_lock(&place->upload_lock);
    status = yk_copy_up(place, array, &copy);
    yk_unlock(&place->upload_lock);
    yk_array_count_up(array, yk_copy_total(&copy));
    return status;
}

static yoke_status stage_window(struct yk_job *job, int device, int lane, int p,
                                struct yk_launch_arg *out)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_window *window = &flight->windows[p];
    yoke_array *array = job->args[p].array;
    struct yk_interval rows = yk_job_rows(job, p, yk_flight_items(flight));
    const int64_t pitch = yk_held_pitch(job, device, p);
    yoke_status status;
    status = yk_window_need(job, device, window, (rows.last - rows.first) * pitch);
    if (status != YOKE_OK)
        return status;
    out->buffer = window->buffer;
    out->shift = window->offset - rows.first * pitch - array->column;
    if (!reads(job->args[p].mode))
        return announce(array, rows);
    status = yk_transfer_home(array, rows);
    if (status == YOKE_OK)
        status = upload_window(job, device, lane, p);
    flight->bytes_in += (rows.last - rows.first) * array->row_bytes;
    return status;
}

static yoke_status stage_packed(struct yk_job *job, int device, int lane, int p,
                                struct yk_launch_arg *out)
{
    struct yk_job_device *jd = &job->devices[device];
    const yoke_array *array = job->args[p].array;
    int64_t sent = 0;
    const yoke_status status = yk_packed_stage(job, device, p, &sent);
    jd->flights[lane].bytes_in += sent;
    out->buffer = jd->windows;
    out->shift =
        jd->packed_at[p] - array->first_row * yk_held_pitch(job, device, p) - array->column;
    return status;
}

/* Every chunk of the job reads the rows that this one does. */
static int is_for_all(const struct yk_job *job, int p, const struct yk_flight *flight)
{
    struct yk_interval these, all;
    if (job->args[p].shape != YOKE_CUSTOM)
        return job->args[p].shape == YOKE_WHOLE;
    these = yk_job_rows(job, p, yk_flight_items(flight));
    all = yk_job_rows(job, p, (struct yk_interval){ job->first, job->last });
    return these.first == all.first && these.last == all.last;
}

/* Places of other devices that read the same of the argument in this job. */
static uint32_t sharers(struct yk_job *job, int device, int lane, int p)
{
    const struct yk_place *own = job->devices[device].device->place;
    uint32_t places = 0;
    int d;
    if (!atomic_load(&own->nearer) || !is_for_all(job, p, &job->devices[device].flights[lane]))
        return 0;
    yk_lock(&job->lock);
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        if (d != device && !jd->failed && !jd->retired && !jd->benched &&
            jd->device->place->number != YK_HOST)
            places |= yk_place_bit(jd->device->place->number);
    }
    yk_unlock(&job->lock);
    return places;
}

static yoke_status stage_on_device(struct yk_job *job, int device, int lane, int p,
                                   struct yk_launch_arg *out)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_array *array = job->args[p].array;
    struct yk_load *load = &flight->loads[p];
    struct yk_interval rows;
    yoke_status status;
    if (job->args[p].mode != YOKE_PARAM_ADD && jd->holding[p] == YK_HELD_WINDOW)
        return stage_window(job, device, lane, p, out);
    if (jd->holding[p] == YK_HELD_PACKED)
        return stage_packed(job, device, lane, p, out);
    out->shift = -array->first_row * array->pitch;
    if (job->args[p].mode == YOKE_PARAM_ADD) {
        status = yk_private_buffer(job, device, p);
        out->buffer = jd->private_buffers[p];
        return status;
    }
    out->buffer = jd->replicas[p]->whole->buffer;
    rows = yk_job_rows(job, p, yk_flight_items(flight));
    status = yk_replica_commit(jd->replicas[p], rows);
    if (status != YOKE_OK)
        return status;
    if (!reads(job->args[p].mode)) {
        /* From here on the host is not the only one with rows. */
        yk_array_leaves_host(array);
        return job->args[p].home == YOKE_HOME_NOW ? announce(array, rows) : YOKE_OK;
    }
    if (job->args[p].mode == YOKE_PARAM_INOUT && job->args[p].home == YOKE_HOME_NOW)
        yk_transfer_await_landing(array, rows);
    load->sharers = sharers(job, device, lane, p);
    status = yk_transfer_up(jd->replicas[p], rows, load);
    flight->bytes_in += load->from_host;
    if (jd->share < 0 && load->from_host > 0 && is_for_all(job, p, flight))
        flight->bytes_once += load->from_host;
    flight->bytes_between += load->from_devices;
    flight->bytes_passed += load->to_others;
    return status;
}

int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *jd, int p)
{
    return yk_writes_rows(job->args[p].mode) &&
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

static yoke_status launch(struct yk_job *job, int device, int lane,
                          const struct yk_launch_arg *args)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_place *place = jd->device->place;
    struct yk_launch launch = { .first = flight->chunk.first,
                                .last = flight->chunk.last,
                                .extent = { job->extent[0], job->extent[1] },
                                .args = args,
                                .lane = lane,
                                .team = jd->device->lanes,
                                .timed = job->runtime->trace || flight->bytes_once,
                                .passing = comes_home(job, jd) };
    struct yk_program *program = job->kernel->builds[jd->device->number].program;
    const struct yk_backend *backend = place->device->backend;
    struct yk_event *after[2];
    yoke_status status;
    if (place->device->desc.host_memory)
        return backend->launch(jd->device->queues[lane], program, &launch, &flight->kernel);
    yk_lock(&place->lock);
    after[0] = place->last_upload;
    after[1] = yk_exchange_latest(&place->exchange);
    launch.after = after;
    launch.after_count = after[1] ? 2 : after[0] ? 1 : 0;
    status = backend->launch(jd->device->queues[lane], program, &launch, &flight->kernel);
    yk_unlock(&place->lock);
    return status;
}

/* Hauls are kept beyond the issue only where rows come through staging buffers. */
static yoke_status need_hauls(const struct yk_job *job, const struct yk_place *place,
                              struct yk_flight *flight)
{
    if (!place->device->backend->host_alloc || flight->hauls)
        return YOKE_OK;
    flight->hauls = yk_calloc((size_t)job->arg_count, sizeof *flight->hauls);
    return flight->hauls ? YOKE_OK : YOKE_ENOMEM;
}

static yoke_status send_home(struct yk_job *job, int device, int lane, int p)
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
                                      .timed = job->runtime->trace != NULL } };
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
    if (flight->kernel) {
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

/* Which jobs may run at once was told by the rows of all its indexes. */
static yoke_status check_asked(const struct yk_job *job, int p, struct yk_interval items)
{
    const yoke_arg *arg = &job->args[p];
    struct yk_interval whole;
    yoke_rows asked;
    if (arg->mode == YOKE_PARAM_VALUE || arg->shape != YOKE_CUSTOM)
        return YOKE_OK;
    asked = arg->rows(arg->rows_context, (yoke_rows){ items.first, items.last });
    whole = yk_job_rows(job, p, (struct yk_interval){ job->first, job->last });
    if (asked.first == asked.last ||
        (asked.first < asked.last && asked.first >= whole.first && asked.last <= whole.last))
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "%s, array %s: its rows function gives %lld .. %lld for indexes %lld .. %lld, "
                   "which are not among the rows %lld .. %lld of all indexes",
                   job->name, arg->array->name, (long long)asked.first, (long long)asked.last,
                   (long long)items.first, (long long)items.last, (long long)whole.first,
                   (long long)whole.last);
}

yoke_status yk_flight_issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_launch_arg args[YOKE_ARGS_MAX]; /* clearing all would cost more than most launches */
    int64_t distances[YOKE_ARGS_MAX];
    int host_memory = jd->device->device->desc.host_memory, p;
    yoke_status status = YOKE_OK;
    flight->busy = 1;
    flight->launched = flight->homing = 0;
    flight->bytes_in = flight->bytes_out = flight->seen_busy_ns = 0;
    flight->bytes_between = flight->bytes_passed = flight->bytes_once = 0;
    flight->relies_on = yk_exchange_oldest(jd->device->place);
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++) {
        args[p] = (struct yk_launch_arg){ 0 };
        status = check_asked(job, p, yk_flight_items(flight));
        if (status != YOKE_OK)
            break;
        if (job->distance_of[p]) {
            distances[p] = yk_packed_distance(job, device, p);
            args[p].value = &distances[p];
        } else if (job->args[p].mode == YOKE_PARAM_VALUE) {
            args[p].value = job->args[p].value;
        } else {
            status = host_memory ? stage_on_host(job, device, lane, p, &args[p])
                                 : stage_on_device(job, device, lane, p, &args[p]);
        }
    }
    if (status == YOKE_OK) {
        status = launch(job, device, lane, args);
        flight->launched = status == YOKE_OK;
    }
    for (p = 0; p < job->arg_count && status == YOKE_OK && !host_memory; p++)
        if (yk_leaves_at_once(job, jd, p))
            status = send_home(job, device, lane, p);
    return status;
}
