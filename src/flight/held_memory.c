/* held_memory.c - the memory that a job takes on a device, and gives back.
 *
 * Arrays that fit are allocated whole, so that rows stay for the next job. If not all fit, large
 * ones that chunks touch in part get windows (window.c). A job takes all the device memory that it
 * needs at once, or waits until other jobs have given theirs back. It takes none before jobs that
 * began earlier have theirs. So on every device a job waits only for earlier ones, and there is no
 * deadlock.
 */

#include "held_memory.h"

#include "../base/alloc.h"
#include "../job/rows.h"
#include "alternative.h"
#include "host_results.h"
#include "packed.h"
#include "step_memory.h"
#include "steps.h"
#include "sum_copies.h"
#include "window.h"

static void release_arrays(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (jd->holding[p] == YK_HELD_WHOLE)
            yk_replica_unclaim(jd->replicas[p], &jd->claims[p]);
        if (jd->holding[p] != YK_HELD_HOST)
            jd->holding[p] = YK_HELD_NOT;
    }
}

static int uses_array(const yoke_arg *arg)
{
    return arg->mode != YOKE_PARAM_VALUE && arg->mode != YOKE_PARAM_ADD;
}

/* Returns 1 if the device needs memory of its own for the argument's array. */
static int needs_memory(const struct yk_job *job, int device, int p)
{
    return uses_array(&job->args[p]) && job->devices[device].holding[p] != YK_HELD_HOST;
}

static yoke_status hold_one(struct yk_job *job, int device, int p, yk_claim_fn *claim)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status status;
    jd->claims[p].rows = yk_job_all_rows(job, p);
    status = claim(job->args[p].array, jd->device->place, &jd->claims[p], &jd->replicas[p]);
    if (status == YOKE_OK)
        jd->holding[p] = YK_HELD_WHOLE;
    return status;
}

static yoke_status hold_all(struct yk_job *job, int device)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (needs_memory(job, device, p))
            status = hold_one(job, device, p, yk_replica_claim_unchecked);
    return status == YOKE_OK ? yk_place_check_room(job->devices[device].device->place) : status;
}

/* Bytes to hold the argument's array whole; 0 if an earlier argument is the same array or lies in
 * the same memory. */
static int64_t cost_of(const struct yk_job *job, int device, int p)
{
    int q;
    if (job->args[p].mode == YOKE_PARAM_ADD) /* its private copies */
        return yk_private_bytes(job->args[p].array);
    if (!needs_memory(job, device, p))
        return 0;
    for (q = 0; q < p; q++)
        if (uses_array(&job->args[q]) && job->args[q].array->whole == job->args[p].array->whole)
            return 0;
    return yk_replica_cost(job->args[p].array->whole, job->devices[device].device->place,
                           yk_job_all_rows(job, p));
}

static int64_t cost_of_all(const struct yk_job *job, int device)
{
    int64_t bytes = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        bytes += cost_of(job, device, p);
    return bytes;
}

_Static_assert(YOKE_ARGS_MAX <= 32, "arguments are bits");

/* Uses the device's total memory, not the free memory: the latter needs a driver call, which may
 * wait for pinning. */
uint32_t yk_job_would_hold(const struct yk_job *job, int device)
{
    const struct yk_device_desc *desc = &job->devices[device].device->device->desc;
    uint32_t held = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (uses_array(&job->args[p]))
            held |= (uint32_t)1 << p;
    return held && cost_of_all(job, device) <= desc->memory_bytes ? held : 0;
}

/* Of the arguments held in windows, the one whose array needs least memory to be held whole, at
 * most `most` bytes; -1: there is none. */
static int smallest(const struct yk_job *job, int device, int64_t most)
{
    int p, found = -1;
    for (p = 0; p < job->arg_count; p++) {
        int64_t cost;
        if (job->devices[device].holding[p] != YK_HELD_WINDOW)
            continue;
        cost = cost_of(job, device, p);
        if (cost <= most) {
            most = cost - 1;
            found = p;
        }
    }
    return found;
}

/* Where column panels are held that every chunk reads whole: in the device's memory for their whole
 * array, which is better if that is there or fits, or packed. */
enum whole_panels { IN_THE_ARRAY, PACKED };

/* Holds the arrays whole that every chunk reads whole; the others get windows. */
static yoke_status hold_wholes(struct yk_job *job, int device, enum whole_panels panels)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    yoke_status status = YOKE_OK;
    int p;
    release_arrays(job, device);
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++) {
        if (!needs_memory(job, device, p))
            continue;
        if (job->args[p].shape != YOKE_WHOLE)
            jd->holding[p] = YK_HELD_WINDOW;
        else if (yk_packed_is_possible(job, p) &&
                 (panels == PACKED || cost_of(job, device, p) > yk_place_room(place)))
            jd->holding[p] = YK_HELD_PACKED;
        else
            status = hold_one(job, device, p, yk_replica_claim);
    }
    return status;
}

/* Also holds small arrays whole, in up to half of the room: their rows stay for later jobs, and
 * chunks need not be long. */
static void hold_small(struct yk_job *job, int device)
{
    struct yk_place *place = job->devices[device].device->place;
    int64_t room = (yk_place_room(place) - yk_packed_bytes(job, device)) / 2;
    int p;
    while ((p = smallest(job, device, room)) >= 0) {
        room -= cost_of(job, device, p);
        if (hold_one(job, device, p, yk_replica_claim) != YOKE_OK)
            break; /* a window is enough */
    }
}

/* Holds the arrays and the copies of sums if there is room for all of them. */
static yoke_status take_all(struct yk_job *job, int device)
{
    yoke_status status = YOKE_ENOMEM;
    if (cost_of_all(job, device) <= yk_place_room(job->devices[device].device->place))
        status = hold_all(job, device);
    return status == YOKE_OK ? yk_private_take(job, device) : status;
}

/* Opens windows in what is left of the memory. */
static yoke_status hold_some(struct yk_job *job, int device)
{
    const int last = job->packs ? PACKED : IN_THE_ARRAY;
    yoke_status status = hold_wholes(job, device, IN_THE_ARRAY);
    int panels;
    if (status == YOKE_OK) {
        hold_small(job, device);
        status = yk_windows_open(job, device);
    }
    for (panels = IN_THE_ARRAY; status == YOKE_ENOMEM && panels <= last; panels++) {
        status = hold_wholes(job, device, panels); /* the windows need all memory */
        if (status == YOKE_OK)
            status = yk_windows_open(job, device);
    }
    return status;
}

/* Copies of sums are taken before windows, which take what is left. */
static yoke_status take_room(struct yk_job *job, int device)
{
    yoke_status status = take_all(job, device);
    if (status != YOKE_ENOMEM)
        return status;
    release_arrays(job, device);
    status = yk_private_take(job, device);
    return status == YOKE_OK ? hold_some(job, device) : status;
}

/* Returns 1 if a job that began earlier does not have its part of the device's memory yet. */
static int is_behind(struct yk_job *job, int device)
{
    yoke_runtime *runtime = job->runtime;
    struct yk_job *earlier;
    int behind = 0;
    yk_lock(&runtime->lock);
    for (earlier = runtime->running; earlier && earlier->turn < job->turn && !behind;
         earlier = earlier->lists.next_running) {
        const struct yk_job_device *jd = &earlier->devices[device];
        if (device >= earlier->device_count || atomic_load(&earlier->phase) != YK_RUNNING ||
            atomic_load(&earlier->lanes.stop))
            continue;
        yk_lock(&earlier->lock);
        behind = !jd->joined && !atomic_load(&jd->ready);
        yk_unlock(&earlier->lock);
    }
    yk_unlock(&runtime->lock);
    return behind;
}

/* A job that holds memory on the device has enough to continue there, so every job gets its turn.
 */
yoke_status yk_job_make_room(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status status;
    if (jd->device->device->desc.host_memory)
        return YOKE_OK;
    if (is_behind(job, device))
        return YOKE_EBUSY;
    yk_lock(&jd->device->admission);
    status = yk_steps_open(job, device);
    if (status == YOKE_ENOMEM && yk_alternative_does_without_steps(job, device))
        status = YOKE_OK;
    if (status == YOKE_OK) {
        yk_host_results_open(job, device);
        status = take_room(job, device);
    }
    if (status == YOKE_OK) {
        jd->device->holders++;
        jd->admitted = 1;
    } else {
        release_arrays(job, device);
        yk_private_close(job, device);
        yk_host_results_close(job, device);
        yk_steps_close(job, device);
        if (status == YOKE_ENOMEM && jd->device->holders > 0)
            status = YOKE_EBUSY;
    }
    yk_unlock(&jd->device->admission);
    return status;
}

static void clear_lists(struct yk_flight *flight, int args)
{
    int p;
    yk_free(flight->hauls);
    flight->hauls = NULL;
    yk_steps_forget(flight);
    for (p = 0; flight->loads && p < args; p++)
        yk_load_close(&flight->loads[p]);
}

/* Returns 1 if flights of the device may have lists. Cores do not read each other's flights without
 * need, which costs them a cache miss each. */
static int has_lists(const struct yk_job *job, const struct yk_job_device *jd)
{
    return !jd->device->device->desc.host_memory || yk_form_is_steps(job, 0) ||
           (job->pair && yk_form_is_steps(job, 1));
}

void yk_job_let_go(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    release_arrays(job, device);
    yk_windows_close(job, device);
    yk_host_results_close(job, device);
    yk_steps_close(job, device);
    for (lane = 0; has_lists(job, jd) && lane < jd->device->lanes; lane++)
        if (jd->flights[lane].turn_of_job == job->turn)
            clear_lists(&jd->flights[lane], job->arg_count);
    yk_private_close(job, device);
    if (jd->admitted) {
        yk_lock(&jd->device->admission);
        jd->device->holders--;
        yk_unlock(&jd->device->admission);
        jd->admitted = 0;
    }
}
