/* sim_event.c - events of virtual operations: complete once the clock has passed their end.
 *
 * An event is freed when all callers have closed it and its operation is over.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "sim.h"

void yk_sim_event_release(struct yk_event *event)
{
    if (--event->refs)
        return;
    yk_free(event->effect.args);
    yk_free(event);
}

/* The error text is set in the calling thread, as other backends do: the caller reads it there. */
static yoke_status say(struct yk_event *event, yoke_status outcome)
{
    return outcome == YOKE_EDEVICE ? yk_sim_lost(event->device)
           : outcome == YOKE_ELOST ? yk_sim_source_lost(event)
                                   : outcome;
}

int yk_sim_poll(struct yk_event *event, yoke_status *outcome)
{
    yoke_status how = YOKE_OK;
    yk_lock(&yk_sim.mutex);
    int done = event->done;
    if (done)
        how = event->outcome;
    yk_unlock(&yk_sim.mutex);
    if (done)
        *outcome = say(event, how);
    return done;
}

/* Waiting advances virtual time to this event's end. */
yoke_status yk_sim_wait(struct yk_event *event)
{
    yk_sim_enter();
    if (!event->done && event->ended >= YK_SIM_NEVER) /* a real device would hang here */
        yk_sim_lose(event->device);
    if (!event->done)
        yk_sim_move_to(event->ended);
    yoke_status outcome = event->outcome;
    yk_sim_leave();
    return say(event, outcome);
}

yoke_status yk_sim_notify(struct yk_event *event, void (*fn)(void *context), void *context)
{
    yk_lock(&yk_sim.mutex);
    int done = event->done;
    if (!done) {
        event->notify = fn;
        event->notify_context = context;
    }
    yk_unlock(&yk_sim.mutex);
    if (done)
        fn(context);
    return YOKE_OK;
}

void yk_sim_event_times(struct yk_event *event, struct yk_event_times *out)
{
    yk_lock(&yk_sim.mutex);
    *out = (struct yk_event_times){ .started = event->started, .ended = event->ended };
    yk_unlock(&yk_sim.mutex);
}

void yk_sim_event_hold(struct yk_event *event)
{
    yk_lock(&yk_sim.mutex);
    event->refs++;
    event->holders++;
    yk_unlock(&yk_sim.mutex);
}

void yk_sim_event_close(struct yk_event *event)
{
    if (!event)
        return;
    yk_lock(&yk_sim.mutex);
    if (event->holders)
        event->holders--;
    else
        event->notify = NULL;
    yk_sim_event_release(event);
    yk_unlock(&yk_sim.mutex);
}
