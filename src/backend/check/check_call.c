/* check_call.c - see check_call.h. */
#include "check_call.h"

#include "../../base/alloc.h"

struct check_queue *yk_check_call_queue(const struct yk_queue *handle, const char *slot,
                                        int needs_memory)
{
    struct check_queue *queue = yk_check_find(NULL, CHECK_QUEUE, handle, slot);
    if (!queue || !needs_memory || !queue->object.device->base.desc.host_memory)
        return queue;
    yk_check_breach(queue->object.device, slot, "not used on a device that works in host memory");
    return NULL;
}

/* Returns 1 if an operation of `device` may wait for an event of `other`. */
static int may_wait_for(const struct check_device *device, const struct check_device *other)
{
    return device == other ||
           (device->base.desc.backend == other->base.desc.backend && atomic_load(&device->reaches));
}

/* Adds all operations that come before the events to those that come before this operation, and
 * stores the inner handles of the events in call->after. */
static yoke_status after_take(struct check_call *call, const struct check_call_arguments *a)
{
    call->after_count = 0;
    if (a->after_count < 0 || (a->after_count && !a->after))
        return yk_check_breach(call->device, a->slot, "after_count is %d without a list",
                               a->after_count);
    if (!a->after_count)
        return YOKE_OK;
    call->after = yk_calloc((size_t)a->after_count, sizeof *call->after);
    if (!call->after)
        return YOKE_ENOMEM;
    for (int i = 0; i < a->after_count; i++) {
        if (!a->after[i])
            continue;
        struct check_event *event = yk_check_find(NULL, CHECK_EVENT, a->after[i], a->slot);
        if (!event)
            return YOKE_EINVAL;
        if (!may_wait_for(call->device, event->object.device))
            return yk_check_breach(call->device, a->slot,
                                   "an event of a device out of reach in `after`");
        yk_check_past_add(&call->event->past, &event->past);
        call->after[call->after_count++] = event->inner;
    }
    return YOKE_OK;
}

static void call_free(struct check_call *call)
{
    yk_free(call->after);
    yk_free(call->operation);
    yk_free(call->event);
}

yoke_status yk_check_call_open(struct check_call *call, const struct check_call_arguments *a)
{
    *call = (struct check_call){ .device = a->queue->object.device };
    call->was_lost =
        atomic_load(&call->device->lost); /* now: another thread may lose it during the call */
    call->made = yk_check_untouched();
    call->event = yk_calloc(1, sizeof *call->event);
    if (!call->event)
        return YOKE_ENOMEM;
    yk_check_past_copy(&call->event->past, &a->queue->past);
    call->spec = (struct check_operation_spec){ .queue = a->queue,
                                                .past = &call->event->past,
                                                .uses = a->uses,
                                                .use_count = a->use_count,
                                                .slot = a->slot };
    yoke_status status = after_take(call, a);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_order(&call->spec, &call->operation);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_inject(call->device, a->slot);
    if (status != YOKE_OK)
        goto failed;
    status = yk_check_enter(call->device, a->slot);
    if (status == YOKE_OK)
        return YOKE_OK;
failed:
    call_free(call);
    return status;
}

yoke_status yk_check_call_close(struct check_call *call, yoke_status status,
                                struct yk_event **event)
{
    struct check_event *mine = call->event;
    unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_EINVAL;
    yk_check_leave(call->device);
    if (call->reads_peer)
        allowed |= 1u << YOKE_ELOST;
    status = yk_check_returned(call->device, &(struct check_return){ .slot = call->spec.slot,
                                                                     .status = status,
                                                                     .allowed = allowed,
                                                                     .made = call->made,
                                                                     .was_lost = call->was_lost });
    if (status != YOKE_OK) {
        call_free(call);
        return status;
    }
    yk_check_issued(&call->spec, call->operation, call->made != NULL);
    call->operation = NULL;
    if (!call->made) {
        if (event)
            *event = NULL;
        call_free(call);
        return YOKE_OK;
    }
    if (!event) {
        call->device->backend->event_close(call->made);
        call_free(call);
        return YOKE_OK;
    }
    mine->object = (struct check_object){ .kind = CHECK_EVENT, .device = call->device };
    mine->inner = call->made;
    yk_check_add(&mine->object);
    *event = (struct yk_event *)mine;
    yk_free(call->after);
    return YOKE_OK;
}
