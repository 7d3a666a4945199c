/* cuda_event.c - queued work as an event: its outcome, and when it ran.
 *
 *     event: pending --> complete (0) or failed, set by the first thread that sees it; never back
 *
 * The driver's events are kept for later operations, because making one costs more than recording
 * it. Times come from the device's clock, as distances to an anchor event whose time on the host is
 * known. The driver gives distances as float milliseconds, so the anchor is moved before they lose
 * their microseconds.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "cuda.h"

/* Polls for look_ns before it sleeps, because that costs less than a context switch. Polls an event
 * without `wakes` every light_nap_ns. Moves the anchor when it is anchor_lasts_ns old. */
static const int64_t look_ns = 5000;
static const int64_t light_nap_ns = 50000;
static const int64_t second_ns = 1000000000;
static const int64_t anchor_lasts_ns = 4000000000;

/* An event that can wake a sleeping thread is expensive: the GPU interrupts a core, a thread of the
 * driver runs, even if no thread sleeps, and a thread that polls sees the end 25 us late. So a
 * `light` event, which cannot wake, marks the end of an operation, or `stamp` does, which can also
 * tell when that was. Only if a thread may sleep until the end, `wakes` is recorded after it, which
 * takes 1 us of the host's time. */
struct yk_event {
    struct yk_cuda_device *device;
    CUevent begin, stamp, light, wakes;
    CUevent end; /* `light`, or `stamp` if the operation is timed */
    int timed;   /* 1: begin is recorded, too */
    int called;  /* 1: wakes is recorded, too */
    int64_t submitted_ns;
    atomic_int references;
    atomic_int state; /* CUresult; release by the thread that sees the end, pairs with acquire in
                       * look */
    _Atomic int64_t seen_ns;
    struct yk_event *next_unused;
};

static void event_destroy(struct yk_event *event)
{
    const CUevent made[] = { event->begin, event->stamp, event->light, event->wakes };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (made[k])
            event->device->cu->EventDestroy(made[k]);
    yk_free(event);
}

static CUresult event_make(struct yk_cuda_device *device, struct yk_event **out)
{
    const struct yk_cuda_api *cu = device->cu;
    struct yk_event *event = yk_calloc(1, sizeof *event);
    if (!event)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->device = device;
    CUresult code = cu->EventCreate(&event->wakes, CU_EVENT_BLOCKING_SYNC);
    if (code == CUDA_SUCCESS)
        code = cu->EventCreate(&event->begin, CU_EVENT_DEFAULT);
    if (code == CUDA_SUCCESS)
        code = cu->EventCreate(&event->stamp, CU_EVENT_DEFAULT);
    if (code == CUDA_SUCCESS)
        code = cu->EventCreate(&event->light, CU_EVENT_DISABLE_TIMING);
    if (code == CUDA_SUCCESS)
        *out = event;
    else
        event_destroy(event);
    return code;
}

static CUresult event_take(struct yk_cuda_device *device, struct yk_event **out)
{
    struct yk_event *event;
    CUresult code = CUDA_SUCCESS;
    yk_lock(&device->event_lock);
    event = device->unused_events;
    if (event)
        device->unused_events = event->next_unused;
    yk_unlock(&device->event_lock);
    if (!event)
        code = event_make(device, &event);
    if (code != CUDA_SUCCESS)
        return code;
    event->end = event->light;
    event->timed = event->called = 0;
    event->submitted_ns = yk_clock_ns();
    atomic_store_explicit(&event->references, 1, memory_order_relaxed);
    atomic_store_explicit(&event->state, YK_CUDA_PENDING, memory_order_relaxed);
    atomic_store_explicit(&event->seen_ns, 0, memory_order_relaxed);
    *out = event;
    return CUDA_SUCCESS;
}

static CUresult settle(struct yk_event *event, CUresult code)
{
    int pending = YK_CUDA_PENDING;
    int64_t never = 0;
    if (code == YK_CUDA_PENDING)
        return code;
    atomic_compare_exchange_strong(&event->seen_ns, &never, yk_clock_ns());
    atomic_compare_exchange_strong(&event->state, &pending, code);
    return atomic_load_explicit(&event->state, memory_order_acquire);
}

/* Every launch on a place comes after the place's last upload, which has mostly ended long before.
 * So the event is polled: that costs no more than a wait in the stream, and once it is seen
 * complete, later launches need no call. */
static int is_over(struct yk_event *event, const struct yk_cuda_device *current)
{
    if (atomic_load_explicit(&event->state, memory_order_acquire) == CUDA_SUCCESS)
        return 1;
    return event->device == current && current->cu->EventQuery(event->end) == CUDA_SUCCESS &&
           settle(event, CUDA_SUCCESS) == CUDA_SUCCESS;
}

static CUresult wait_for(const struct yk_cuda_operation *operation)
{
    const struct yk_cuda_api *cu = operation->queue->device->cu;
    CUresult code = CUDA_SUCCESS;
    for (int i = 0; i < operation->after_count && code == CUDA_SUCCESS; ++i) {
        struct yk_event *event = operation->after[i];
        if (event && !is_over(event, operation->queue->device))
            code = cu->StreamWaitEvent(operation->queue->stream, event->end, 0);
    }
    return code;
}

yoke_status yk_cuda_operation_begin(struct yk_cuda_operation *operation)
{
    struct yk_cuda_device *device = operation->queue->device;
    operation->made = NULL;
    CUresult code = CUDA_SUCCESS;
    if (operation->event)
        code = event_take(device, &operation->made);
    if (code == CUDA_SUCCESS)
        code = wait_for(operation);
    if (code == CUDA_SUCCESS && operation->made && operation->timed) {
        code = device->cu->EventRecord(operation->made->begin, operation->queue->stream);
        operation->made->end = operation->made->stamp;
        operation->made->timed = 1;
    }
    if (code == CUDA_SUCCESS)
        return YOKE_OK;
    yk_cuda_event_close(operation->made);
    return yk_cuda_refuse(device, code, operation->what);
}

static CUresult record_end(const struct yk_cuda_operation *operation)
{
    const struct yk_queue *queue = operation->queue;
    const struct yk_cuda_api *cu = queue->device->cu;
    struct yk_event *event = operation->made;
    CUresult code = cu->EventRecord(event->end, queue->stream);
    event->called = !operation->passing;
    if (code == CUDA_SUCCESS && event->called)
        code = cu->EventRecord(event->wakes, queue->stream);
    return code;
}

yoke_status yk_cuda_operation_end(struct yk_cuda_operation *operation, CUresult code)
{
    struct yk_cuda_device *device = operation->queue->device;
    int is_queued = code == CUDA_SUCCESS;
    if (is_queued && operation->made)
        code = record_end(operation);
    if (code == CUDA_SUCCESS) {
        if (operation->event) {
            atomic_store_explicit(&device->well_ns, operation->made->submitted_ns,
                                  memory_order_relaxed);
            *operation->event = operation->made;
        }
        return YOKE_OK;
    }
    /* A part may be queued, and no event will report its end. */
    device->cu->StreamSynchronize(operation->queue->stream);
    yk_cuda_event_close(operation->made);
    return is_queued ? yk_cuda_lose(device, code, operation->what)
                     : yk_cuda_refuse(device, code, operation->what);
}

struct yk_cuda_device *yk_cuda_event_device(const struct yk_event *event)
{
    return event->device;
}

static CUresult sleep_until_end(struct yk_event *event)
{
    const struct yk_cuda_api *cu = event->device->cu;
    CUresult code = YK_CUDA_PENDING;
    if (event->called)
        return cu->EventSynchronize(event->wakes);
    while ((code = cu->EventQuery(event->end)) == YK_CUDA_PENDING)
        yk_clock_sleep_ns(light_nap_ns); /* cuEventSynchronize on `end` would spin */
    return code;
}

/* Sleeps until the event is over. The context must be current. If the driver reports an error, asks
 * again: in a dead context the answer comes at once and is the same. In any other the work may
 * still run, so the second call waits for it. */
static CUresult see_end(struct yk_event *event)
{
    CUresult code = sleep_until_end(event);
    if (code != CUDA_SUCCESS)
        code = sleep_until_end(event);
    return code;
}

CUresult yk_cuda_look(struct yk_event *event)
{
    struct yk_cuda_device *device = event->device;
    CUresult state = atomic_load_explicit(&event->state, memory_order_acquire);
    if (state != YK_CUDA_PENDING)
        return state;
    if (!yk_cuda_enter_anyway(device))
        return settle(event, CUDA_ERROR_INVALID_CONTEXT);
    state = device->cu->EventQuery(event->end);
    if (state != CUDA_SUCCESS && state != YK_CUDA_PENDING)
        state = see_end(event);
    yk_cuda_leave(device);
    return settle(event, state);
}

CUresult yk_cuda_sleep(struct yk_event *event)
{
    struct yk_cuda_device *device = event->device;
    int64_t start = yk_clock_ns();
    CUresult state = yk_cuda_look(event);
    while (state == YK_CUDA_PENDING && yk_clock_ns() - start < look_ns) {
        yk_pause();
        state = yk_cuda_look(event);
    }
    if (state != YK_CUDA_PENDING)
        return state;
    if (!yk_cuda_enter_anyway(device))
        return settle(event, CUDA_ERROR_INVALID_CONTEXT);
    state = see_end(event);
    yk_cuda_leave(device);
    return settle(event, state);
}

static yoke_status outcome_of(struct yk_event *event, CUresult state)
{
    return state == CUDA_SUCCESS ? YOKE_OK
                                 : yk_cuda_lose(event->device, state, "running what was queued");
}

int yk_cuda_poll(struct yk_event *event, yoke_status *outcome)
{
    CUresult state = yk_cuda_look(event);
    if (state == YK_CUDA_PENDING) {
        yk_cuda_memory_notice(event->device, event->submitted_ns);
        return 0;
    }
    *outcome = outcome_of(event, state);
    return 1;
}

yoke_status yk_cuda_wait(struct yk_event *event)
{
    return outcome_of(event, yk_cuda_sleep(event));
}

/* ---- times ---- */

/* Records `event` in a new stream and polls it; *seen_ns is when it was seen complete. The context
 * must be current. */
static CUresult record_now(struct yk_cuda_device *device, CUevent event, int64_t *seen_ns)
{
    CUstream stream;
    CUresult code = device->cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (code != CUDA_SUCCESS)
        return code;
    code = device->cu->EventRecord(event, stream);
    const int64_t deadline = yk_clock_ns() + second_ns;
    if (code == CUDA_SUCCESS)
        while ((code = device->cu->EventQuery(event)) == CUDA_ERROR_NOT_READY &&
               yk_clock_ns() < deadline)
            yk_pause();
    *seen_ns = yk_clock_ns();
    device->cu->StreamDestroy(stream);
    return code;
}

/* Nanoseconds from the anchor to `event` on the device's clock; -1 if unknown. */
static int64_t since_anchor(const struct yk_cuda_device *device, CUevent event)
{
    float milliseconds = 0;
    CUresult code = device->cu->EventElapsedTime(&milliseconds, device->anchor, event);
    return code == CUDA_SUCCESS ? (int64_t)((double)milliseconds * 1e6) : -1;
}

/* Moves the anchor to now. Its time is computed from the old anchor's, because the host's clock is
 * read too late if this thread is delayed. */
static void move_anchor(struct yk_cuda_device *device)
{
    int64_t seen, distance;
    if (record_now(device, device->next_anchor, &seen) != CUDA_SUCCESS)
        return;
    distance = since_anchor(device, device->next_anchor);
    if (distance < 0)
        return;
    CUevent old = device->anchor;
    device->anchor = device->next_anchor;
    device->next_anchor = old;
    device->anchor_ns += distance;
    if (device->anchor_ns > seen)
        device->anchor_ns = seen;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

void yk_cuda_event_times(struct yk_event *event, struct yk_event_times *out)
{
    struct yk_cuda_device *device = event->device;
    int64_t seen = atomic_load(&event->seen_ns);
    *out = (struct yk_event_times){ 0 };
    if (atomic_load(&device->lost) || !yk_cuda_enter_anyway(device))
        return;
    yk_lock(&device->event_lock);
    int64_t end = event->timed    ? since_anchor(device, event->stamp)
                  : event->called ? since_anchor(device, event->wakes)
                                  : -1;
    int64_t begin = event->timed ? since_anchor(device, event->begin) : -1;
    int64_t zero = device->anchor_ns;
    if (end > anchor_lasts_ns)
        move_anchor(device);
    yk_unlock(&device->event_lock);
    yk_cuda_leave(device);
    if (end < 0)
        return;
    /* Work cannot start before it was submitted, nor end after it was seen complete. */
    int64_t latest = seen ? seen : yk_clock_ns();
    out->ended = clamp(zero + end, event->submitted_ns, latest);
    if (begin >= 0)
        out->started = clamp(zero + begin, event->submitted_ns, out->ended);
}

/* ---- life ---- */

void yk_cuda_event_hold(struct yk_event *event)
{
    atomic_fetch_add(&event->references, 1);
}

void yk_cuda_event_close(struct yk_event *event)
{
    if (!event || atomic_fetch_sub(&event->references, 1) != 1)
        return;
    yk_lock(&event->device->event_lock);
    event->next_unused = event->device->unused_events;
    event->device->unused_events = event;
    yk_unlock(&event->device->event_lock);
}

yoke_status yk_cuda_events_open(struct yk_cuda_device *device)
{
    CUresult code = device->cu->EventCreate(&device->anchor, CU_EVENT_BLOCKING_SYNC);
    if (code == CUDA_SUCCESS)
        code = device->cu->EventCreate(&device->next_anchor, CU_EVENT_BLOCKING_SYNC);
    /* Twice, because the first call also initialises the driver. */
    for (int i = 0; i < 2 && code == CUDA_SUCCESS; ++i)
        code = record_now(device, device->anchor, &device->anchor_ns);
    return code == CUDA_SUCCESS ? YOKE_OK : yk_cuda_fail(device, code, "comparing clocks");
}

void yk_cuda_events_close(struct yk_cuda_device *device)
{
    while (device->unused_events) {
        struct yk_event *event = device->unused_events;
        device->unused_events = event->next_unused;
        event_destroy(event);
    }
    if (device->anchor)
        device->cu->EventDestroy(device->anchor);
    if (device->next_anchor)
        device->cu->EventDestroy(device->next_anchor);
    yk_mutex_close(&device->event_lock);
}
