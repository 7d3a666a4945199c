/* sums.c - mode add: how a device's sums go home.
 *
 * A kernel of the library folds the copies of a sum into a total (fold_kernels.c). The total lies
 * in host memory if the device's kernels reach it (host_results.c), or else behind the copies, from
 * where it is copied home. If a flight is probably the device's last one, all that is queued right
 * behind its kernel. So the host waits only once. To notice the kernel's end, launch the fold, and
 * wait again would take 60 us. If the device gets another chunk after all, its sums go home again:
 * they are added to the total.
 */

#include "sums.h"

#include "flight.h"
#include "forecast.h"
#include "homeward.h"
#include "host_results.h"
#include "sum_copies.h"

/* No other chunk may add to the device's copies while they are folded. So this must be its only
 * flight, and no lane begins a chunk before it has ended. Devices that check are left out: they run
 * kernels piece by piece. */
int yk_sums_go_with(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_device_desc *desc = &jd->device->device->desc;
    return job->sums.has_add && !desc->host_memory && !desc->checks && yk_flight_is_last(jd, lane);
}

struct going { /* a sum on its way home */
    struct yk_job *job;
    int device, arg;
    struct yk_queue *queue; /* of the fold */
    int passing;            /* of the fold, as in yk_launch */
};

/* Returns 1 if the fold writes the sum into host memory. */
static int lands_by_itself(const struct yk_job_device *jd, int arg)
{
    return jd->private_folds[arg] != YK_FOLD_NOT && jd->holding[arg] == YK_HELD_HOST;
}

char *yk_sums_held(const struct yk_job *job, int device, int arg)
{
    const struct yk_job_device *jd = &job->devices[device];
    return jd->sums == YK_SUMS_HOME && jd->private_buffers[arg] && lands_by_itself(jd, arg)
               ? yk_host_results_memory(job, device, arg)
               : NULL;
}

/* Launches the fold. *event becomes its event; the one before is closed. */
static yoke_status fold(const struct going *going, struct yk_event **event)
{
    struct yk_job *job = going->job;
    const struct yk_job_device *jd = &job->devices[going->device];
    struct yk_place *place = jd->device->place;
    const struct yk_backend *backend = place->device->backend;
    const int p = going->arg;
    const int64_t size = job->kernel->kernel.params[p].size, apart = job->sums.apart[p] / size;
    const int32_t copies = jd->private_copies[p], again = jd->private_folds[p] == YK_FOLD_MORE;
    const int on_host = lands_by_itself(jd, p);
    const struct yk_launch_arg args[] = {
        { .value = &apart },
        { .value = &copies },
        { .value = &again },
        { .buffer = jd->private_buffers[p] },
        { .buffer = on_host ? NULL : jd->private_buffers[p],
          .host = on_host ? yk_host_results_memory(job, going->device, p) : NULL,
          .shift = on_host ? 0 : copies * job->sums.apart[p] },
    };
    const struct yk_launch launch = { .last = yk_private_bytes(job->args[p].array) / size,
                                      .extent = { 1, 1 },
                                      .team = 1,
                                      .args = args,
                                      .passing = going->passing };
    struct yk_event *folded = NULL;
    yoke_status status;
    yk_lock(&place->lock);
    status =
        backend->launch(going->queue, yk_fold_program(job, going->device, p), &launch, &folded);
    yk_unlock(&place->lock);
    if (status == YOKE_OK) {
        backend->event_close(*event);
        *event = folded;
    }
    return status;
}

/* The transfer to the host of a total, or of the only private copy. */
static struct yk_haul haul_of(struct yk_job *job, int device, int arg)
{
    const struct yk_job_device *jd = &job->devices[device];
    const int64_t total =
        jd->private_folds[arg] == YK_FOLD_NOT ? 0 : jd->private_copies[arg] * job->sums.apart[arg];
    return (struct yk_haul){ .place = jd->device->place,
                             .copy = { .kind = YK_COPY_FROM_DEVICE,
                                       .host = yk_private_host(job, device, 0, arg),
                                       .buffer = jd->private_buffers[arg],
                                       .offset = total,
                                       .bytes = yk_private_bytes(job->args[arg].array) } };
}

/* Notes that the sum is at the host. */
static void arrived(struct yk_job *job, int device, int arg)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->private_folds[arg] != YK_FOLD_NOT)
        jd->private_folds[arg] = YK_FOLD_MORE;
    yk_array_count_down(job->args[arg].array, yk_private_bytes(job->args[arg].array));
}

/* --- with a flight --- */

/* Takes the memory for all sums, so that later steps fail only if the driver does. */
static int has_memory(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    int p, all = 1;
    for (p = 0; p < job->arg_count && all; p++)
        if (jd->private_buffers[p])
            all = lands_by_itself(jd, p) ||
                  (yk_private_host(job, device, 0, p) && yk_flight_has_hauls(job, device, lane));
    return all;
}

static yoke_status send(const struct going *going, struct yk_flight *flight)
{
    const struct yk_job_device *jd = &going->job->devices[going->device];
    const int p = going->arg;
    yoke_status status = YOKE_OK;
    if (jd->private_folds[p] != YK_FOLD_NOT)
        status = fold(going, &flight->folded);
    if (status != YOKE_OK || lands_by_itself(jd, p))
        return status;
    flight->hauls[p] = haul_of(going->job, going->device, p);
    yk_flight_haul_behind(flight, &flight->hauls[p]);
    return yk_haul_start(&flight->hauls[p], &flight->home);
}

/* Returns 1 if the device has a sum of a later argument. */
static int others_follow(const struct going *going)
{
    const struct yk_job *job = going->job;
    int p = going->arg + 1;
    while (p < job->arg_count && !job->devices[going->device].private_buffers[p])
        p++;
    return p < job->arg_count;
}

yoke_status yk_sums_send(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct going going = { .job = job, .device = device, .queue = jd->device->queues[lane] };
    yoke_status status = YOKE_OK;
    if (!has_memory(job, device, lane))
        return YOKE_OK;
    jd->sums = YK_SUMS_LEAVING;
    for (; going.arg < job->arg_count && status == YOKE_OK; going.arg++) {
        if (!jd->private_buffers[going.arg])
            continue;
        going.passing = others_follow(&going) || !lands_by_itself(jd, going.arg) ||
                        yk_flight_comes_home(job, device) || yk_flight_is_polled(job, device, lane);
        status = send(&going, flight);
    }
    if (status == YOKE_ENOMEM && !flight->folded && !flight->home) {
        jd->sums = YK_SUMS_THERE;
        return YOKE_OK;
    }
    return status;
}

void yk_sums_land(struct yk_job *job, int device, int lane, yoke_status outcome)
{
    struct yk_job_device *jd = &job->devices[device];
    int p;
    if (jd->sums != YK_SUMS_LEAVING)
        return;
    jd->sums = outcome == YOKE_OK ? YK_SUMS_HOME : YK_SUMS_THERE;
    for (p = 0; p < job->arg_count && outcome == YOKE_OK; p++)
        if (jd->private_buffers[p]) {
            arrived(job, device, p);
            jd->flights[lane].bytes_out += yk_private_bytes(job->args[p].array);
        }
}

/* --- at the end of the job --- */

/* The transfer follows the fold in one queue, so one wait is enough for both. Nothing else is on
 * its way to the device now, so a lack of memory is temporary: tries the fold twice. */
static yoke_status collect(const struct going *going)
{
    struct yk_job *job = going->job;
    const struct yk_job_device *jd = &job->devices[going->device];
    const int p = going->arg, folds = jd->private_folds[p] != YK_FOLD_NOT;
    const int lands = lands_by_itself(jd, p);
    struct yk_haul haul = { 0 };
    struct yk_event *folded = NULL;
    yoke_status status = YOKE_OK, arrival = YOKE_OK;
    if (!lands)
        haul = haul_of(job, going->device, p);
    if (!lands && !haul.copy.host)
        return YOKE_ENOMEM;
    if (folds)
        status = fold(going, &folded);
    if (status == YOKE_ENOMEM)
        status = fold(going, &folded);
    if (status != YOKE_OK)
        return status;
    if (!lands)
        arrival = yk_haul_finish(&haul);
    status = yk_place_wait(jd->device->place, folded);
    if (status == YOKE_OK)
        status = arrival;
    if (status == YOKE_OK) {
        arrived(job, going->device, p);
        atomic_fetch_add(&job->outcome.bytes_from, yk_private_bytes(job->args[p].array));
    }
    return status;
}

yoke_status yk_sums_collect(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct going going = { .job = job, .device = device, .queue = jd->device->place->download };
    yoke_status status = YOKE_OK;
    if (jd->sums == YK_SUMS_HOME)
        return YOKE_OK;
    for (; going.arg < job->arg_count && status == YOKE_OK; going.arg++)
        if (jd->private_buffers[going.arg])
            status = collect(&going);
    if (status == YOKE_OK)
        jd->sums = YK_SUMS_HOME;
    return status;
}
