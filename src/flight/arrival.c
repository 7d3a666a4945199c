/* arrival.c - the arguments of a chunk's kernel: values, and arrays with rows on their way to the
 * device. See flight.c.
 *
 * A device with memory of its own first sends what other devices wait for: its part of arrays that
 * several devices share. Then it copies its other rows, and last it copies the parts of the shared
 * arrays that the other devices have got in that time.
 */

#include "arrival.h"

#include "../base/status.h"
#include "../job/overlap.h"
#include "../job/rows.h"
#include "../partition/lease.h"
#include "flight.h"
#include "homeward.h"
#include "host_results.h"
#include "packed.h"
#include "sum_copies.h"
#include "window.h"

/* Tells coherence that the host's rows will be written without being read. Otherwise their old
 * versions could come home and overwrite them, when a device makes room for another job
 * (tests/model). */
static yoke_status announce(yoke_array *array, struct yk_interval rows)
{
    return yk_transfer_written(array, YK_HOST, rows);
}

/* A flight, with its job and device, and the arguments to be filled in. */
struct staging {
    struct yk_job *job;
    int device, lane;
    struct yk_job_device *jd;
    struct yk_flight *flight;
    struct yk_launch_arg *args;
};

static struct yk_interval rows_of(const struct staging *staging, int p)
{
    return yk_job_rows(staging->job, p, yk_flight_items(staging->flight));
}

/* Least bytes to bring home at once: starting a copy and noticing its end takes as long as half of
 * these bytes travel. */
static const int64_t fetched_least = 1 << 20;

/* The indexes that this device will do: those of the lane's lease, or all of the job if no other
 * device takes part. */
static struct yk_interval items_to_come(const struct staging *staging)
{
    const struct yk_job *job = staging->job;
    const struct yk_chunk *chunk = &staging->jd->leases.slots[staging->flight->slot].chunk;
    if (yk_team_only(job->split.team) == staging->device)
        return (struct yk_interval){ job->first, job->last };
    return (struct yk_interval){ chunk->first, chunk->last };
}

/* No rows if the host has those of a lane's piece; otherwise these and, if they are few, also the
 * next rows that the device will need: those behind the piece, or those before it if the host has
 * these. A lane that steals begins at the far end. */
static struct yk_interval rows_to_fetch(const struct staging *staging, int p)
{
    const struct yk_job *job = staging->job;
    yoke_array *array = job->args[p].array;
    const struct yk_interval rows = rows_of(staging, p);
    const int64_t more = fetched_least / array->row_bytes - yk_interval_length(rows);
    struct yk_interval all, ahead;
    if (yk_interval_empty(rows) || yk_array_missing(array, YK_HOST, rows) == 0)
        return (struct yk_interval){ 0, 0 };
    if (staging->flight->slot < 0 || job->args[p].shape == YOKE_CUSTOM || more <= 0)
        return rows;
    all = yk_job_rows(job, p, items_to_come(staging));
    ahead = yk_interval_common(all, (struct yk_interval){ rows.last, rows.last + more });
    if (!yk_interval_empty(ahead) && yk_array_missing(array, YK_HOST, ahead) > 0)
        return (struct yk_interval){ rows.first, ahead.last };
    return yk_interval_hull(
        rows, yk_interval_common(all, (struct yk_interval){ rows.first - more, rows.last }));
}

static yoke_status bring_home(const struct staging *staging, int p)
{
    const struct yk_job *job = staging->job;
    const int slot = staging->flight->slot;
    const int64_t begun_ns = yk_now(job->runtime);
    const yoke_status status = yk_transfer_home(job->args[p].array, rows_to_fetch(staging, p));
    if (slot >= 0)
        yk_lease_fetched(&staging->jd->leases, slot, yk_now(job->runtime) - begun_ns);
    return status;
}

/* A CPU works on the host's rows. */
static yoke_status stage_on_host(const struct staging *staging, int p)
{
    struct yk_job *job = staging->job;
    struct yk_launch_arg *out = &staging->args[p];
    yoke_array *array = job->args[p].array;
    out->host = array->host;
    out->shift = -array->first_row * array->pitch;
    if (job->args[p].mode == YOKE_PARAM_ADD) {
        out->host = yk_private_host(job, staging->device, staging->lane, p);
        return out->host ? YOKE_OK : YOKE_ENOMEM;
    }
    if (yk_flight_is_ready(staging->jd, staging->flight) || yk_array_is_host_only(array))
        return YOKE_OK;
    if (yk_reads_rows(job->args[p].mode))
        return bring_home(staging, p);
    return announce(array, rows_of(staging, p));
}

static yoke_status upload_window(const struct staging *staging, int p)
{
    struct yk_place *place = staging->jd->device->place;
    const struct yk_window *window = &staging->flight->windows[p];
    yoke_array *array = staging->job->args[p].array;
    struct yk_interval rows = rows_of(staging, p);
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = window->buffer };
    yoke_status status;
    if (yk_interval_empty(rows))
        return YOKE_OK;
    yk_array_shape_copy(array, rows, &copy);
    copy.offset = window->offset;
    copy.pitch = yk_held_pitch(staging->job, staging->device, p);
    yk_lock(&place->upload_lock);
    status = yk_copy_up(place, array, &copy);
    yk_unlock(&place->upload_lock);
    yk_array_count_up(array, yk_copy_total(&copy));
    return status;
}

static yoke_status stage_window(const struct staging *staging, int p)
{
    struct yk_job *job = staging->job;
    struct yk_launch_arg *out = &staging->args[p];
    struct yk_window *window = &staging->flight->windows[p];
    yoke_array *array = job->args[p].array;
    struct yk_interval rows = rows_of(staging, p);
    const int64_t pitch = yk_held_pitch(job, staging->device, p);
    yoke_status status;
    status = yk_window_need(job, staging->device, window, (rows.last - rows.first) * pitch);
    if (status != YOKE_OK)
        return status;
    out->buffer = window->buffer;
    out->shift = window->offset - rows.first * pitch - array->column;
    if (!yk_reads_rows(job->args[p].mode))
        return announce(array, rows);
    status = yk_transfer_home(array, rows);
    if (status == YOKE_OK)
        status = upload_window(staging, p);
    staging->flight->bytes_in += (rows.last - rows.first) * array->row_bytes;
    return status;
}

static yoke_status stage_packed(const struct staging *staging, int p)
{
    struct yk_job *job = staging->job;
    struct yk_launch_arg *out = &staging->args[p];
    const yoke_array *array = job->args[p].array;
    const int64_t pitch = yk_held_pitch(job, staging->device, p);
    int64_t sent = 0;
    const yoke_status status = yk_packed_stage(job, staging->device, p, &sent);
    staging->flight->bytes_in += sent;
    out->buffer = staging->jd->windows;
    out->shift = staging->jd->held_at[p] - array->first_row * pitch - array->column;
    return status;
}

static yoke_status stage_host_results(const struct staging *staging, int p)
{
    yoke_array *array = staging->job->args[p].array;
    staging->args[p].host = yk_host_results_memory(staging->job, staging->device, p);
    staging->args[p].shift = -array->first_row * array->pitch;
    return announce(array, rows_of(staging, p));
}

/* Returns 1 if every chunk of the job reads the rows that this chunk reads. */
static int is_for_all(const struct staging *staging, int p)
{
    const struct yk_job *job = staging->job;
    struct yk_interval these, all;
    if (job->args[p].shape != YOKE_CUSTOM)
        return job->args[p].shape == YOKE_WHOLE;
    these = rows_of(staging, p);
    all = yk_job_all_rows(job, p);
    return these.first == all.first && these.last == all.last;
}

/* Places of other devices that read the same rows of the argument in this job, a bit each. */
static uint32_t sharers(const struct staging *staging, int p)
{
    struct yk_job *job = staging->job;
    const struct yk_job_device *own = staging->jd;
    uint32_t places = 0;
    int d;
    if (own->holding[p] != YK_HELD_WHOLE || !yk_reads_rows(job->args[p].mode) ||
        !atomic_load(&own->device->place->nearer) || !is_for_all(staging, p))
        return 0;
    yk_lock(&job->lock);
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        if (d != staging->device && !jd->failed && !jd->retired && !jd->benched &&
            jd->device->place->number != YK_HOST)
            places |= yk_place_bit(jd->device->place->number);
    }
    yk_unlock(&job->lock);
    return places;
}

/* Maps the device's pages for the chunk's rows of argument `p`. */
static yoke_status make_room(const struct staging *staging, int p)
{
    const struct yk_job_device *jd = staging->jd;
    if (staging->job->args[p].mode == YOKE_PARAM_ADD || jd->holding[p] != YK_HELD_WHOLE)
        return YOKE_OK;
    return yk_replica_commit(jd->replicas[p], rows_of(staging, p));
}

/* Brings the rows of argument `p`. If load->sharers is not 0, leaves out those that come from other
 * devices: complete_on_device brings them. */
static yoke_status stage_on_device(const struct staging *staging, int p)
{
    struct yk_job *job = staging->job;
    const struct yk_job_device *jd = staging->jd;
    struct yk_launch_arg *out = &staging->args[p];
    yoke_array *array = job->args[p].array;
    struct yk_load *load = &staging->flight->loads[p];
    struct yk_interval rows;
    if (job->args[p].mode != YOKE_PARAM_ADD && jd->holding[p] == YK_HELD_WINDOW)
        return stage_window(staging, p);
    if (jd->holding[p] == YK_HELD_PACKED)
        return stage_packed(staging, p);
    out->shift = -array->first_row * array->pitch;
    if (job->args[p].mode == YOKE_PARAM_ADD)
        return yk_private_buffer(job, staging->device, p, out);
    if (jd->holding[p] == YK_HELD_HOST)
        return stage_host_results(staging, p);
    out->buffer = jd->replicas[p]->whole->buffer;
    rows = rows_of(staging, p);
    if (!yk_reads_rows(job->args[p].mode)) {
        /* From now on the host is not the only place with rows. */
        yk_array_leaves_host(array);
        return job->args[p].home == YOKE_HOME_NOW ? announce(array, rows) : YOKE_OK;
    }
    if (job->args[p].mode == YOKE_PARAM_INOUT && job->args[p].home == YOKE_HOME_NOW)
        yk_transfer_await_landing(array, rows);
    return load->sharers ? yk_transfer_up_own(jd->replicas[p], rows, load)
                         : yk_transfer_up(jd->replicas[p], rows, load);
}

/* Brings the rows that come from other devices, and counts the bytes moved. */
static yoke_status complete_on_device(const struct staging *staging, int p)
{
    struct yk_flight *flight = staging->flight;
    struct yk_load *load = &flight->loads[p];
    yoke_status status = YOKE_OK;
    if (load->sharers)
        status = yk_transfer_up(staging->jd->replicas[p], rows_of(staging, p), load);
    flight->bytes_in += load->from_host;
    if (staging->jd->share < 0 && load->from_host > 0 && is_for_all(staging, p))
        flight->bytes_once += load->from_host;
    flight->bytes_between += load->from_devices;
    flight->bytes_passed += load->to_others;
    return status;
}

/* Checks which rows a rows function returns for this chunk. Those of the whole job decided which
 * jobs may run at the same time, and coherence was told which rows the whole lease writes. So the
 * chunk's rows must lie among these. */
static yoke_status check_asked(const struct staging *staging, int p)
{
    const struct yk_job *job = staging->job;
    const struct yk_flight *flight = staging->flight;
    const yoke_arg *arg = &job->args[p];
    const struct yk_interval items = yk_flight_items(flight);
    struct yk_interval whole, of = { job->first, job->last };
    yoke_rows asked;
    if (arg->mode == YOKE_PARAM_VALUE || arg->shape != YOKE_CUSTOM)
        return YOKE_OK;
    asked = arg->rows(arg->rows_context, (yoke_rows){ items.first, items.last });
    whole = yk_job_all_rows(job, p);
    if (yk_writes_rows(arg->mode) && yk_flight_is_ready(staging->jd, flight)) {
        const struct yk_lease *lease = &staging->jd->leases.slots[flight->slot];
        whole = lease->written[p];
        of = (struct yk_interval){ lease->chunk.first, lease->chunk.last };
    }
    if (asked.first == asked.last ||
        (asked.first < asked.last && asked.first >= whole.first && asked.last <= whole.last))
        return YOKE_OK;
    return yk_fail(
        YOKE_EINVAL,
        "%s, argument %d (%s): its rows function gives [%lld, %lld) for indexes [%lld, %lld), "
        "which are not among the rows [%lld, %lld) of indexes [%lld, %lld)",
        job->name, p + 1, job->kernel->kernel.params[p].name, (long long)asked.first,
        (long long)asked.last, (long long)items.first, (long long)items.last,
        (long long)whole.first, (long long)whole.last, (long long)of.first, (long long)of.last);
}

static yoke_status stage_all_on_host(const struct staging *staging)
{
    const struct yk_job *job = staging->job;
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (job->args[p].mode != YOKE_PARAM_VALUE)
            status = stage_on_host(staging, p);
    return status;
}

/* Orders the pinning of host memory, where that pays, so that it is done while the rows before it
 * in the flight are copied. */
static void expect(const struct staging *staging, int p)
{
    const struct yk_job *job = staging->job;
    struct yk_place *place = staging->jd->device->place;
    const enum yk_holding holding = staging->jd->holding[p];
    const struct yk_interval rows = rows_of(staging, p);
    yoke_array *array = job->args[p].array;
    enum yk_copy_kind kind = YK_COPY_FROM_DEVICE;
    struct yk_pages_question asked;
    if (!place->pinner || (holding != YK_HELD_WHOLE && holding != YK_HELD_WINDOW) ||
        array->panels || yk_array_span(array, rows) < yk_pin_terms.unit)
        return;
    if (yk_reads_rows(job->args[p].mode) && yk_array_missing(array, place->number, rows) > 0)
        kind = YK_COPY_TO_DEVICE;
    else if (!yk_leaves_at_once(job, staging->jd, p))
        return;
    asked = yk_copy_question(place, array, rows, kind);
    yk_pages_expect(&asked);
}

static yoke_status stage_all_on_device(const struct staging *staging)
{
    const struct yk_job *job = staging->job;
    struct yk_load *loads = staging->flight->loads;
    uint32_t arrays = 0, shared = 0, left;
    yoke_status status = YOKE_OK;
    int p;
    /* Pages of all arguments come before the first copy, because drivers map memory slowly while
     * they copy. */
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        status = make_room(staging, p);
    for (p = 0; p < job->arg_count; p++) {
        if (job->args[p].mode == YOKE_PARAM_VALUE)
            continue;
        arrays |= 1u << p;
        loads[p].sharers = sharers(staging, p);
        loads[p].behind = &staging->flight->behind;
        /* Beside other jobs, their kernels may delay what goes there. */
        loads[p].queue = job->split.crowded ? NULL : staging->jd->device->queues[staging->lane];
        if (loads[p].sharers)
            shared |= 1u << p;
    }
    for (left = arrays; left; left &= left - 1)
        expect(staging, __builtin_ctz(left));
    for (left = shared; left && status == YOKE_OK; left &= left - 1)
        status = stage_on_device(staging, __builtin_ctz(left));
    for (left = arrays & ~shared; left && status == YOKE_OK; left &= left - 1)
        status = stage_on_device(staging, __builtin_ctz(left));
    for (left = arrays; left && status == YOKE_OK; left &= left - 1)
        status = complete_on_device(staging, __builtin_ctz(left));
    return status;
}

yoke_status yk_flight_stage(struct yk_job *job, int device, int lane, struct yk_flight_args *out)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct staging staging = { .job = job,
                                     .device = device,
                                     .lane = lane,
                                     .jd = jd,
                                     .flight = &jd->flights[lane],
                                     .args = out->args };
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++) {
        out->args[p] = (struct yk_launch_arg){ 0 };
        status = check_asked(&staging, p);
        if (job->distance_of[p]) {
            out->distances[p] = yk_packed_distance(job, device, p);
            out->args[p].value = &out->distances[p];
        } else if (job->args[p].mode == YOKE_PARAM_VALUE) {
            out->args[p].value = job->args[p].value;
        }
    }
    if (status == YOKE_OK)
        status = yk_job_check_host(job);
    if (status != YOKE_OK)
        return status;
    return jd->device->device->desc.host_memory ? stage_all_on_host(&staging)
                                                : stage_all_on_device(&staging);
}
