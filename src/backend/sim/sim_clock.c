/* sim_clock.c - the virtual clock: pending operations, advancing to the next end or to a given
 * time, losing devices.
 *
 * Pending operations form a list in the order of issue; finding the next to end takes a search
 * (there are a few per queue). Ends on one queue never decrease, and equal ends complete in the
 * order of issue, so effects, too, happen in the order of the queues and of `after`.
 */
#include <math.h>
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "sim.h"

struct sim_clock yk_sim = { .moving = YK_MUTEX_INITIAL, .mutex = YK_MUTEX_INITIAL };

void yk_sim_enter(void)
{
    yk_lock(&yk_sim.moving);
    yk_lock(&yk_sim.mutex);
}

void yk_sim_leave(void)
{
    yk_unlock(&yk_sim.mutex);
    yk_unlock(&yk_sim.moving);
}

int64_t yk_sim_now(void)
{
    yk_lock(&yk_sim.mutex);
    int64_t now = yk_sim.now;
    yk_unlock(&yk_sim.mutex);
    return now;
}

static void pending_remove(struct yk_event *event)
{
    struct yk_event **at = &yk_sim.pending;
    while (*at != event)
        at = &(*at)->next;
    *at = event->next;
    event->next = NULL;
}

static void copy_take(const struct sim_effect *effect)
{
    const char *from = effect->from;
    char *to = effect->to;
    int64_t row = 0;
    do {
        memcpy(to, from, (size_t)effect->bytes);
        to += effect->to_pitch;
        from += effect->from_pitch;
    } while (++row < effect->rows);
}

/* Processes the whole chunk, as if one launch had emptied the queue. */
static void steps_take(const struct sim_effect *effect)
{
    yk_step_run(&(struct yk_step_work){ effect->run, &effect->step, effect->args, &effect->chunk },
                effect->words);
    effect->words[YK_STEP_SEEDS] = (uint32_t)(effect->chunk.last - effect->chunk.first);
}

static void effect_take(const struct sim_effect *effect)
{
    if (effect->run && effect->words)
        steps_take(effect);
    else if (effect->run)
        effect->run(effect->args, &effect->chunk);
    else if (effect->from)
        copy_take(effect);
    else if (effect->to)
        memset(effect->to, 0, (size_t)effect->bytes);
}

/* Loses the device if the effect wrote memory that is not mapped. */
static yoke_status effect_judge(struct yk_event *event)
{
    struct sim_device *device = event->device;
    if (device->lost || !yk_sim_strayed(device))
        return YOKE_OK;
    yk_log(YOKE_LOG_ERROR, "%s: an operation wrote memory that was not committed",
           device->base.desc.name);
    yk_sim_lose(device);
    return YOKE_EDEVICE;
}

/* Call it when the event is off the list. It releases the lock while the kernel or the notify
 * function runs, so the lists may have changed when it returns. */
static void complete(struct yk_event *event, yoke_status outcome)
{
    if (outcome == YOKE_OK && event->source && event->source->lost)
        outcome = YOKE_ELOST;
    if (outcome == YOKE_OK) {
        yk_unlock(&yk_sim.mutex);
        if (event->device->settings.results)
            effect_take(&event->effect);
        yk_lock(&yk_sim.mutex);
        outcome = effect_judge(event);
    }
    void (*notify)(void *) = event->notify;
    event->outcome = outcome;
    event->done = 1;
    if (notify) {
        yk_unlock(&yk_sim.mutex);
        notify(event->notify_context);
        yk_lock(&yk_sim.mutex);
    }
    yk_sim_event_release(event);
}

static struct yk_event *pending_of(const struct sim_device *device)
{
    struct yk_event *event = yk_sim.pending;
    while (event && event->device != device)
        event = event->next;
    return event;
}

void yk_sim_lose(struct sim_device *device)
{
    device->lost = 1;
    for (struct yk_buffer *buffer = device->buffers; buffer; buffer = buffer->next)
        yk_sim_poison(buffer, 0, buffer->bytes);
    yk_log(YOKE_LOG_INFO, "%s is lost at %.9f s of its clock", device->base.desc.name,
           (double)yk_sim.now / 1e9);
    for (struct yk_event *event; (event = pending_of(device));) {
        pending_remove(event);
        if (event->ended > yk_sim.now)
            event->ended = yk_sim.now;
        if (event->started > event->ended)
            event->started = event->ended;
        complete(event, YOKE_EDEVICE);
    }
}

static struct yk_event *next_end(void)
{
    struct yk_event *next = yk_sim.pending;
    for (struct yk_event *event = next; event; event = event->next)
        if (event->ended < next->ended)
            next = event;
    return next;
}

static struct sim_device *next_failure(void)
{
    struct sim_device *next = NULL;
    for (struct sim_device *device = yk_sim.devices; device; device = device->next)
        if (!device->lost && device->fail_ns != INT64_MAX &&
            (!next || device->fail_ns < next->fail_ns))
            next = device;
    return next;
}

/* If a device fails at the time at which operations end, it fails before they end. */
void yk_sim_move_to(int64_t time)
{
    for (;;) {
        struct yk_event *event = next_end();
        struct sim_device *failing = next_failure();
        int64_t end = event ? event->ended : INT64_MAX;
        int64_t failure = failing ? failing->fail_ns : INT64_MAX;
        if ((end < failure ? end : failure) > time)
            break;
        int64_t at = end < failure ? end : failure;
        if (at > yk_sim.now)
            yk_sim.now = at;
        if (failure <= end) {
            yk_sim_lose(failing);
        } else {
            pending_remove(event);
            complete(event, YOKE_OK);
        }
    }
    if (time > yk_sim.now)
        yk_sim.now = time;
}

int yk_sim_advance(int64_t until)
{
    yk_sim_enter();
    struct yk_event *next = next_end();
    if (next && next->ended >= YK_SIM_NEVER)
        next = NULL;
    int limited = until > yk_sim.now && (!next || until < next->ended);
    if (limited || next)
        yk_sim_move_to(limited ? until : next->ended);
    yk_sim_leave();
    return limited || next;
}

/* Returns the end in ns; 9e18 or more means never, because the clock overflows after 290 years. */
static double end_ns(const struct sim_device *device, const struct sim_cost *cost, int64_t start,
                     double duration_ns)
{
    if (!cost->is_kernel || device->settings.loads.count == 0)
        return (double)start + duration_ns;
    return 1e9 *
           yk_slowdowns_end(&device->settings.loads, 1e-9 * (double)start, 1e-9 * duration_ns);
}

static int64_t end_of(const struct sim_device *device, const struct sim_cost *cost, int64_t start,
                      double duration_ns)
{
    const double end = end_ns(device, cost, start, duration_ns);
    return end < 9e18 ? start + llround(end - (double)start) : YK_SIM_NEVER;
}

/* Returns the first time from `start` on at which the engine is free for the operation's whole
 * duration. So an operation that still waits for others does not delay later ones of other
 * queues. */
static int64_t free_from(const struct sim_device *device, const struct sim_cost *cost,
                         int64_t start, double duration_ns)
{
    const struct yk_event *other = yk_sim.pending;
    while (other) {
        const int64_t end = end_of(device, cost, start, duration_ns);
        if (other->engine == cost->engine && other->started < end && other->ended > start) {
            start = other->ended;
            other = yk_sim.pending;
        } else {
            other = other->next;
        }
    }
    return start;
}

static void pending_append(struct yk_event *event)
{
    struct yk_event **at = &yk_sim.pending;
    while (*at)
        at = &(*at)->next;
    *at = event;
}

void yk_sim_schedule(struct yk_queue *queue, const struct sim_cost *cost, struct yk_event *event)
{
    struct sim_device *device = queue->device;
    const double duration =
        cost->duration_ns * yk_machine_noise(device->settings.noise, &device->noise_state);
    int64_t start = yk_sim.now + llround(cost->delay_ns);
    if (start < queue->tail)
        start = queue->tail;
    if (start < cost->ready)
        start = cost->ready;
    if (device->lane_free && start < *cost->engine)
        start = *cost->engine;
    event->device = device;
    event->engine = cost->engine;
    event->started = device->lane_free ? start : free_from(device, cost, start, duration);
    event->ended = end_of(device, cost, event->started, duration);
    if (cost->is_kernel && event->ended > device->stall_ns)
        event->ended = YK_SIM_NEVER;
    queue->tail = *cost->engine = event->ended;
    if (event->ended > device->fail_ns)
        event->ended = device->fail_ns;
    device->operation_count++;
    event->refs++;
    pending_append(event);
    if (event->ended <= yk_sim.now)
        yk_sim_move_to(yk_sim.now);
}
