/* opencl_event.c - queued work as an event: its outcome, and when it ran.
 *
 *     event: pending --> complete (0) or failed (< 0), set once, by the first thread that sees it
 *
 * A device's clock may run at another speed. Its distance to the host's clock is measured at open
 * and then corrected by every event: work cannot start before it was submitted, nor end after it
 * was seen complete.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "opencl.h"

/* This long after a device was lost, its pending events count as failed. */
static const int64_t lost_grace_ns = 1000000000;

struct yk_event {
    struct yk_opencl_device *device;
    cl_event handle, begin; /* begin: its end is the start of the work; NULL if handle also has that
                             * time */
    int64_t submitted_ns;
    atomic_int references;
    atomic_int state; /* release by the first thread that sees the end: pairs with acquire in
                       * look */
    _Atomic int64_t seen_ns;
};

yoke_status yk_opencl_operation_begin(struct yk_opencl_operation *operation)
{
    operation->made = NULL;
    if (!operation->event)
        return YOKE_OK;
    struct yk_event *event = yk_calloc(1, sizeof *event);
    if (!event)
        return YOKE_ENOMEM;
    event->device = operation->queue->device;
    event->submitted_ns = yk_clock_ns();
    atomic_init(&event->references, 1);
    atomic_init(&event->state, YK_OPENCL_PENDING);
    operation->made = event;
    return YOKE_OK;
}

struct yk_opencl_device *yk_opencl_event_device(const struct yk_event *event)
{
    return event->device;
}

cl_event *yk_opencl_event_slot(struct yk_event *event)
{
    return event ? &event->handle : NULL;
}

cl_event *yk_opencl_event_begin_slot(struct yk_event *event)
{
    return event ? &event->begin : NULL;
}

yoke_status yk_opencl_operation_end(struct yk_opencl_operation *operation, cl_int code)
{
    const struct yk_queue *queue = operation->queue;
    if (code == CL_SUCCESS)
        code = queue->device->cl->Flush(queue->handle);
    if (code != CL_SUCCESS) {
        yk_opencl_event_close(operation->made);
        return yk_opencl_fail(queue->device, code, operation->what);
    }
    if (operation->event)
        *operation->event = operation->made;
    return YOKE_OK;
}

void yk_opencl_settle(struct yk_event *event, int state)
{
    int pending = YK_OPENCL_PENDING;
    int64_t never = 0;
    atomic_compare_exchange_strong(&event->seen_ns, &never, yk_clock_ns());
    atomic_compare_exchange_strong(&event->state, &pending, state);
}

int yk_opencl_look(struct yk_event *event)
{
    int state = atomic_load_explicit(&event->state, memory_order_acquire);
    if (state != YK_OPENCL_PENDING)
        return state;
    cl_int now = YK_OPENCL_PENDING;
    cl_int code = event->device->cl->GetEventInfo(event->handle, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                  sizeof now, &now, NULL);
    int64_t lost = atomic_load(&event->device->lost_ns);
    if (code != CL_SUCCESS)
        now = code;
    if (now > CL_COMPLETE && (!lost || yk_clock_ns() - lost < lost_grace_ns))
        return YK_OPENCL_PENDING;
    yk_opencl_settle(event, now > CL_COMPLETE ? CL_DEVICE_NOT_AVAILABLE : now);
    return atomic_load_explicit(&event->state, memory_order_acquire);
}

static yoke_status outcome(struct yk_event *event, int state)
{
    return state == CL_COMPLETE ? YOKE_OK
                                : yk_opencl_fail(event->device, state, "running what was queued");
}

int yk_opencl_poll(struct yk_event *event, yoke_status *status)
{
    int state = yk_opencl_look(event);
    if (state == YK_OPENCL_PENDING)
        return 0;
    *status = outcome(event, state);
    return 1;
}

yoke_status yk_opencl_waits_open(struct yk_opencl_waits *waits, const struct yk_queue *queue,
                                 struct yk_event *const *after, int count)
{
    yoke_status status = YOKE_OK;
    waits->list = NULL;
    waits->count = 0;
    cl_event *list = waits->fixed;
    if (count > (int)(sizeof waits->fixed / sizeof(cl_event)))
        list = yk_calloc((size_t)count, sizeof(cl_event));
    if (!list)
        return YOKE_ENOMEM;
    for (int i = 0; i < count && status == YOKE_OK; ++i) {
        if (!after[i])
            continue; /* it was complete from the start */
        int state = yk_opencl_look(after[i]);
        if (state < 0)
            status = outcome(after[i], state);
        else if (state == YK_OPENCL_PENDING && after[i]->device != queue->device)
            status = yk_opencl_wait(after[i]); /* events cannot be used across contexts */
        else if (state == YK_OPENCL_PENDING)
            list[waits->count++] = after[i]->handle;
    }
    waits->list = waits->count ? list : NULL;
    if (list != waits->fixed && (status != YOKE_OK || !waits->list)) {
        yk_free(list);
        waits->list = NULL;
    }
    return status;
}

void yk_opencl_waits_close(struct yk_opencl_waits *waits)
{
    if (waits->list && waits->list != waits->fixed)
        yk_free(waits->list);
}

static cl_ulong device_time(const struct yk_opencl_device *device, cl_event handle, cl_uint name)
{
    cl_ulong time = 0;
    cl_int code = device->cl->GetEventProfilingInfo(handle, name, sizeof time, &time, NULL);
    return code == CL_SUCCESS ? time : 0;
}

yoke_status yk_opencl_clock_compare(struct yk_opencl_device *device)
{
    const cl_uint zero = 0;
    int64_t gap = INT64_MAX;
    cl_int code;
    cl_mem memory =
        device->cl->CreateBuffer(device->context, CL_MEM_READ_WRITE, sizeof zero, NULL, &code);
    if (!memory)
        return yk_opencl_fail(device, code, "comparing clocks");
    for (int round = 0; round < 3 && code == CL_SUCCESS; ++round) {
        cl_event event = NULL;
        code = device->cl->EnqueueWriteBuffer(device->errands, memory, 0, 0, sizeof zero, &zero, 0,
                                              NULL, &event);
        if (code == CL_SUCCESS)
            code = device->cl->Finish(device->errands);
        int64_t now = yk_clock_ns();
        if (code == CL_SUCCESS) {
            int64_t ended = (int64_t)device_time(device, event, CL_PROFILING_COMMAND_END);
            gap = now - ended < gap ? now - ended : gap; /* each gap is too large by the time until
                                                          * the end was seen, so the least is the
                                                          * best */
        }
        if (event)
            device->cl->ReleaseEvent(event);
    }
    device->cl->ReleaseMemObject(memory);
    if (code != CL_SUCCESS)
        return yk_opencl_fail(device, code, "comparing clocks");
    atomic_store(&device->clock_gap, gap);
    return YOKE_OK;
}

void yk_opencl_event_times(struct yk_event *event, struct yk_event_times *out)
{
    struct yk_opencl_device *device = event->device;
    int64_t gap = atomic_load(&device->clock_gap), seen = atomic_load(&event->seen_ns);
    int64_t ended = (int64_t)device_time(device, event->handle, CL_PROFILING_COMMAND_END);
    int64_t started =
        (int64_t)(event->begin ? device_time(device, event->begin, CL_PROFILING_COMMAND_END)
                               : device_time(device, event->handle, CL_PROFILING_COMMAND_START));
    *out = (struct yk_event_times){ 0 };
    if (!ended)
        return;
    /* A marker's time does not always come from the clock that times the work between markers. */
    if (started > ended || (seen && ended - started > seen - event->submitted_ns))
        started = ended;
    if (seen && ended + gap > seen)
        gap = seen - ended;
    if (started + gap < event->submitted_ns)
        gap = event->submitted_ns - started;
    atomic_store(&device->clock_gap, gap);
    out->started = started == ended ? event->submitted_ns : started + gap;
    out->ended = ended + gap;
}

void yk_opencl_event_hold(struct yk_event *event)
{
    atomic_fetch_add(&event->references, 1);
}

void yk_opencl_event_close(struct yk_event *event)
{
    if (!event || atomic_fetch_sub(&event->references, 1) != 1)
        return;
    if (event->handle)
        event->device->cl->ReleaseEvent(event->handle);
    if (event->begin)
        event->device->cl->ReleaseEvent(event->begin);
    yk_free(event);
}
