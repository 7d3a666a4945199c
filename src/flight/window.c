/* window.c - device memory for the rows of one chunk at a time, for arrays that do not fit. There
 * is a window per lane, so that one chunk's rows arrive while another chunk computes and the
 * results of a third one leave.
 *
 * All windows of a job lie in one buffer, taken when the job gets the device and kept until it
 * ends. So no chunk waits for memory, and the buffer stays for the next job (yk_place_give). The
 * size of the windows limits the length of chunks. Only if a function returns the rows of a chunk
 * (YOKE_CUSTOM) may a chunk need more than expected. Its lane then takes a separate buffer, or the
 * chunk is made smaller.
 */

#include "window.h"

#include <math.h>
#include <stdio.h>

#include "../base/status.h"
#include "../job/rows.h"
#include "../job/unit.h"
#include "packed.h"

/* At most STREAM_CHUNKS chunks. The first chunk's copies to the device and the last one's to the
 * host overlap with nothing, so there should be many chunks. But halo rows are copied again with
 * each chunk, and copies shorter than SATURATING_NS (SATURATING_BYTES, if the link's speed is
 * unknown) do not use the whole link. */
enum { STREAM_CHUNKS = 48, SATURATING_NS = 100000, SATURATING_BYTES = 4 << 20 };

/* Windows are aligned like separate buffers. */
enum { WINDOW_ALIGNMENT = 256 };

/* Items of the job; an empty one, which has no chunks, counts as one. */
static int64_t range_of(const struct yk_job *job)
{
    return job->last > job->first ? job->last - job->first : 1;
}

/* Most rows of the argument that `items` items touch: exact, or an estimate if a function returns
 * the rows. */
static int64_t window_rows(const struct yk_job *job, int p, int64_t items)
{
    const yoke_arg *arg = &job->args[p];
    struct yk_interval all;
    double density;
    if (arg->shape == YOKE_HALO)
        return items + arg->before + arg->after;
    if (arg->shape != YOKE_CUSTOM)
        return items;
    all = yk_job_all_rows(job, p);
    density = (double)(all.last - all.first) / (double)range_of(job);
    return (int64_t)(density * (double)items) + 1;
}

static int64_t window_bytes(const struct yk_job *job, int device, int p, int64_t items)
{
    const yoke_array *array = job->args[p].array;
    int64_t rows = window_rows(job, p, items);
    int64_t bytes = (rows < array->rows ? rows : array->rows) * yk_held_pitch(job, device, p);
    return (bytes / WINDOW_ALIGNMENT + 1) * WINDOW_ALIGNMENT;
}

/* Bytes of one lane's windows. 0: nothing is held in windows. */
static int64_t lane_bytes(const struct yk_job *job, int device, int64_t items)
{
    const struct yk_job_device *jd = &job->devices[device];
    int64_t bytes = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (jd->holding[p] == YK_HELD_WINDOW)
            bytes += window_bytes(job, device, p, items);
    return bytes;
}

/* The best number of chunks. A job of n chunks takes 1 + 2 / n + n * halo / items times as long as
 * one that needs no halo and whose copies all overlap. */
static double good_count(const struct yk_job *job, int device)
{
    double halo = 0, least;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->devices[device].holding[p] == YK_HELD_WINDOW && job->args[p].shape == YOKE_HALO)
            halo = fmax(halo, (double)(job->args[p].before + job->args[p].after));
    least = halo > 0 ? sqrt(2 * (double)range_of(job) / halo) : STREAM_CHUNKS;
    return fmax(1, fmin(least, STREAM_CHUNKS));
}

/* The longest chunk that is useful for the job, with unlimited memory. */
static int64_t wanted_items(const struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    int64_t items = range_of(job);
    double item_bytes = fmax((double)lane_bytes(job, device, items) / (double)items, 1e-9);
    double link = jd->device->device->desc.link_bytes_per_ns;
    double part = (jd->share > 0 ? jd->share : 1) * (double)items / good_count(job, device);
    double least = (link > 0 ? link * SATURATING_NS : SATURATING_BYTES) / item_bytes;
    double wanted = part > least ? part : least;
    return wanted < (double)items ? (int64_t)wanted + 1 : items;
}

/* As many of a kernel's units as fit; at least one. */
static int64_t fitting_items(const struct yk_job *job, int device, int64_t lane_room)
{
    int64_t unit = yk_job_unit(job), low = 1, high = wanted_items(job, device) / unit + 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (lane_bytes(job, device, middle * unit) <= lane_room)
            low = middle;
        else
            high = middle - 1;
    }
    return low * unit;
}

static void deal_out(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int64_t at = 0;
    int lane, p;
    yk_packed_deal_out(job, device, 0);
    at = yk_packed_bytes(job, device);
    for (lane = 0; lane < jd->device->lanes; lane++)
        for (p = 0; p < job->arg_count; p++) {
            int64_t bytes;
            if (jd->holding[p] != YK_HELD_WINDOW)
                continue;
            bytes = window_bytes(job, device, p, jd->window_items);
            jd->flights[lane].windows[p] =
                (struct yk_window){ .buffer = jd->windows, .offset = at, .bytes = bytes };
            at += bytes;
        }
}

static yoke_status too_small(const struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_device_desc *desc = &jd->device->device->desc;
    const int64_t packed = yk_packed_bytes(job, device);
    int lanes = jd->device->lanes;
    char whole[96] = "";
    if (packed)
        snprintf(whole, sizeof whole, "%lld for panels that it reads whole and ",
                 (long long)packed);
    return yk_fail(YOKE_ENOMEM,
                   "%s: its memory of %lld bytes has room for %lld more, which is too small for "
                   "%s: it needs %s%lld for the rows of the shortest chunk on %d lanes; give it "
                   "more (mem=), fewer lanes (lanes=), or smaller rows%s",
                   desc->name, (long long)desc->memory_bytes,
                   (long long)yk_place_room(jd->device->place), job->name, whole,
                   (long long)(lanes * lane_bytes(job, device, yk_job_unit(job))), lanes,
                   packed ? " and panels" : "");
}

/* Memory that the job may take, in bytes. If it has a packed panel, the jobs behind it probably
 * have one, too. They need room, so that their panels can arrive while this job runs. */
static int64_t room_of(const struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    const int64_t room = yk_place_room(jd->device->place);
    const int64_t least = yk_packed_bytes(job, device) +
                          jd->device->lanes * lane_bytes(job, device, yk_job_unit(job));
    const int is_first = yk_packed_bytes(job, device) && jd->device->holders == 0;
    return is_first && least <= room / 2 ? room / 2 : room;
}

yoke_status yk_windows_open(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    int64_t lanes = jd->device->lanes, unit = yk_job_unit(job), items;
    struct yk_spare windows = { 0 };
    yoke_status status = YOKE_ENOMEM;
    const int64_t packed = yk_packed_bytes(job, device);
    if (!packed && !lane_bytes(job, device, unit))
        return YOKE_OK;
    items = fitting_items(job, device, (room_of(job, device) - packed) / lanes);
    for (; status == YOKE_ENOMEM && items >= unit; items = items / 2 / unit * unit) {
        status = yk_place_borrow(&job->runtime->places, place,
                                 packed + lanes * lane_bytes(job, device, items), &windows);
        jd->window_items = items;
    }
    jd->windows = windows.buffer;
    jd->windows_bytes = windows.bytes;
    if (status == YOKE_OK)
        deal_out(job, device);
    return status == YOKE_ENOMEM ? too_small(job, device) : status;
}

static void close_apart(struct yk_place *place, struct yk_window *window)
{
    if (window->apart) {
        yk_lock(&place->lock);
        place->device->backend->free(place->device, window->buffer);
        yk_unlock(&place->lock);
    }
    *window = (struct yk_window){ 0 };
}

void yk_windows_close(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane, p;
    if (!jd->windows)
        return;
    yk_packed_await(job, device);
    for (lane = 0; lane < jd->device->lanes; lane++)
        for (p = 0; p < job->arg_count; p++)
            close_apart(jd->device->place, &jd->flights[lane].windows[p]);
    yk_place_give(jd->device->place,
                  &(struct yk_spare){ .buffer = jd->windows, .bytes = jd->windows_bytes });
    jd->windows = NULL;
}

yoke_status yk_window_need(struct yk_job *job, int device, struct yk_window *window, int64_t bytes)
{
    struct yk_place *place = job->devices[device].device->place;
    struct yk_buffer *larger;
    yoke_status status;
    if (bytes <= window->bytes)
        return YOKE_OK;
    if (window->apart)
        close_apart(place, window);
    status = yk_place_alloc(&job->runtime->places, place, bytes, &larger);
    if (status == YOKE_OK)
        *window = (struct yk_window){ .buffer = larger, .bytes = bytes, .apart = 1 };
    return status;
}
