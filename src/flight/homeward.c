/* homeward.c - results go home: copies, behind the flight's last launch, of the rows that it
 * writes, and sums (sums.c). */

#include "homeward.h"

#include "../base/alloc.h"
#include "../job/rows.h"
#include "../partition/lease.h"
#include "flight.h"
#include "forecast.h"
#include "packed.h"
#include "sums.h"

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

int yk_flight_comes_home(const struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (yk_leaves_at_once(job, jd, p))
            return 1;
    return 0;
}

int yk_flight_has_hauls(const struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    if (!flight->hauls)
        flight->hauls = yk_calloc((size_t)job->arg_count, sizeof *flight->hauls);
    return flight->hauls != NULL;
}

void yk_flight_haul_behind(struct yk_flight *flight, struct yk_haul *haul)
{
    haul->copy.after = flight->folded ? &flight->folded : &flight->kernel;
    haul->copy.after_count = *haul->copy.after != NULL;
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
    /* Hauls are needed after the issue only if rows go through staging buffers. */
    if (place->device->backend->host_alloc && !yk_flight_has_hauls(job, device, lane))
        return YOKE_ENOMEM;
    yk_transfer_landing(array, rows);
    if (!flight->home) /* otherwise an earlier copy on the queue waits for the kernel */
        yk_flight_haul_behind(flight, &haul);
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

static yoke_status send_home(struct yk_job *job, int device, int lane)
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

yoke_status yk_flight_leave(struct yk_job *job, int device, int lane)
{
    yoke_status status = YOKE_OK;
    if (yk_sums_go_with(job, device, lane))
        status = yk_sums_send(job, device, lane);
    return status == YOKE_OK ? send_home(job, device, lane) : status;
}
