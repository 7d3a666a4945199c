/* stuck_calls.c - detects driver calls that never return, from another thread.
 *
 * While a thread steps a device's lanes, it is listed with the device. Threads that sleep until a
 * job is done look at these lists from time to time; if the program's own thread steps the device,
 * the device's host thread looks. If a call lasts longer than all work under way on the device may
 * take (model/stall.h), the device is abandoned and the thread leaves the call with an error. From
 * then on it is treated like any device that failed.
 */

#include "stuck_calls.h"

#include "../backend/stalled.h"
#include "../base/status.h"
#include "../base/words.h"
#include "../flight/flight.h"
#include "../job/wake.h"
#include "../platform/clock.h"
#include "../platform/escape.h"

enum { LOOK_NS = 1000000000 }; /* time between two looks */

/* Returns 1 if the runtime has devices with calls to be watched. */
static int are_watched(const yoke_runtime *runtime)
{
    int d, count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), own = 0;
    for (d = 0; d < count; d++)
        own |= !runtime->devices[d].device->desc.host_memory;
    return own && runtime->watchdog > 0 && !runtime->virtual_clock;
}

void yk_calls_enter(struct yk_job *job, int device, struct yk_stepper *stepper)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_runtime_device *rd = jd->device;
    const int by_caller = !yk_is_host_thread(rd);
    int calls;
    *stepper = (struct yk_stepper){ .escape = yk_escape_self(), .issue_ns = -1 };
    yk_lock(&rd->stall_lock);
    stepper->next = rd->steppers;
    rd->steppers = stepper;
    rd->stepped++;
    calls = by_caller && job->runtime->watchdog > 0 && rd->workers && !atomic_load(&rd->attends);
    if (calls)
        atomic_store(&rd->attends, 1);
    yk_unlock(&rd->stall_lock);
    jd->stepper = stepper;
    if (calls)
        yk_parker_wake(&rd->workers->parker);
}

void yk_calls_leave(struct yk_job *job, int device, const struct yk_stepper *stepper)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_runtime_device *rd = jd->device;
    struct yk_stepper **at = &rd->steppers;
    jd->stepper = NULL;
    yk_lock(&rd->stall_lock);
    while (*at != stepper)
        at = &(*at)->next;
    *at = stepper->next;
    yk_unlock(&rd->stall_lock);
}

/* Returns an upper bound of the bytes copied to the device and back for the lane's chunk. */
static int64_t bytes_of(const struct yk_job *job, struct yk_interval items)
{
    int64_t bytes = 0, rows;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (arg->mode == YOKE_PARAM_VALUE)
            continue;
        rows = arg->array->rows;
        if (arg->shape != YOKE_WHOLE && arg->shape != YOKE_CUSTOM && arg->mode != YOKE_PARAM_ADD &&
            rows > items.last - items.first + arg->before + arg->after)
            rows = items.last - items.first + arg->before + arg->after;
        bytes += 2 * rows * arg->array->row_bytes;
    }
    return bytes;
}

static void note_issue(struct yk_job_device *jd, double issue_ns)
{
    yk_lock(&jd->device->stall_lock);
    jd->stepper->issue_ns = issue_ns;
    yk_unlock(&jd->device->stall_lock);
}

yoke_status yk_calls_issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    const struct yk_interval items = yk_flight_items(flight);
    const struct yk_stall_chunk chunk = { .items = items.last - items.first,
                                          .bytes = bytes_of(job, items),
                                          .expected_ns = (double)flight->lasts_ns,
                                          .factor = job->runtime->watchdog };
    yoke_status status;
    note_issue(jd, yk_stall_allows(&jd->pace[yk_flight_form(jd, flight)], &chunk));
    status = yk_flight_issue(job, device, lane);
    note_issue(jd, -1);
    return status;
}

/* Returns the time limit of a call in ns; 0: unknown. For an abandoned device it is short: a thread
 * that is still in it has announced no limit for its call. */
static double allows(const struct yk_runtime_device *rd, const struct yk_stepper *stepper)
{
    if (yk_device_is_left(rd->device))
        return LOOK_NS;
    if (rd->stall.untold || stepper->issue_ns == 0 || (stepper->issue_ns < 0 && !rd->stall.count))
        return 0;
    return (stepper->issue_ns > 0 ? stepper->issue_ns : 0) + rd->stall.allowed_ns;
}

/* Looks at one thread's call. If it lasts too long, abandons the device, and returns how long the
 * call has lasted; returns 0 otherwise. With stall_lock held. */
static double look_at(struct yk_runtime_device *rd, struct yk_stepper *stepper, int64_t now)
{
    double left_ns = 0;
    const unsigned call = yk_escape_call(stepper->escape);
    int64_t again_ns;
    if (call != stepper->call) {
        stepper->call = call;
        stepper->stall = (struct yk_stall){ 0 };
        if (call)
            yk_stall_begin(&stepper->stall, allows(rd, stepper), now);
    }
    if (!call || !yk_stall_look(&stepper->stall, now, &again_ns))
        return 0;
    if (!yk_device_is_left(rd->device)) {
        left_ns = stepper->stall.waited_ns;
        yk_device_break_off(rd->device);
    }
    yk_escape_force(stepper->escape, call, rd->device->desc.name);
    return left_ns;
}

void yk_calls_look(yoke_runtime *runtime)
{
    int d, count = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    for (d = 0; d < count; d++) {
        struct yk_runtime_device *rd = &runtime->devices[d];
        struct yk_stepper *stepper;
        double left_ns = 0;
        if (rd->device->desc.host_memory)
            continue;
        yk_lock(&rd->stall_lock);
        for (stepper = rd->steppers; stepper; stepper = stepper->next)
            left_ns += look_at(rd, stepper, yk_clock_ns());
        yk_unlock(&rd->stall_lock);
        if (left_ns > 0)
            yk_log(YOKE_LOG_WARN,
                   "%s: a call of its driver did not return for %s, and is left. If it is only "
                   "slow, set YOKE_WATCHDOG to more than %g, or to 0 for no limit",
                   rd->device->desc.name, yk_time_words(left_ns).text, runtime->watchdog);
    }
}

int64_t yk_calls_next_look(yoke_runtime *runtime)
{
    return are_watched(runtime) ? yk_clock_ns() + LOOK_NS : 0;
}

int64_t yk_calls_attend(struct yk_worker *worker)
{
    struct yk_runtime_device *rd = &worker->runtime->devices[worker->device];
    int attends;
    if (!atomic_load(&rd->attends))
        return 0;
    yk_calls_look(worker->runtime);
    yk_lock(&rd->stall_lock);
    attends = rd->steppers || rd->stepped != worker->stepped;
    worker->stepped = rd->stepped;
    atomic_store(&rd->attends, attends);
    yk_unlock(&rd->stall_lock);
    return attends ? yk_clock_ns() + LOOK_NS : 0;
}
