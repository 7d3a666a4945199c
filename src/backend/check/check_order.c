/* check_order.c - checks that operations in flight do not conflict.
 *
 * Each operation has a number on its queue and a past: for each queue, the number up to which all
 * operations end before it begins (from its queue's past and those of the events in `after`). If
 * two operations use the same bytes and one of them writes, one must be in the other's past.
 * Between two devices only events define an order; otherwise the first operation must have been
 * seen complete. An operation leaves flight when the caller has seen it or
 * a later one complete, or has closed the queue. What the hardware has really done does not count,
 * so the verdict is the same on every run.
 */
#include "check.h"

#include <string.h>

#include "../../base/alloc.h"

struct check_operation {
    struct check_operation *next;
    const struct check_device *device;
    const char *slot;
    int queue_slot;
    int64_t number;
    int use_count;
    struct check_use uses[];
};

/* Guarded by the lock of check_object.c. */
static struct check_operation *in_flight;
static int slot_used[CHECK_QUEUES];
static int64_t slot_issued[CHECK_QUEUES];

int yk_check_slot_open(const struct check_device *device)
{
    if (device->base.desc.host_memory)
        return -1; /* no copies, nothing to order */
    yk_check_lock();
    int slot = 0;
    while (slot < CHECK_QUEUES && slot_used[slot])
        slot++;
    if (slot < CHECK_QUEUES)
        slot_used[slot] = 1;
    yk_check_unlock();
    return slot < CHECK_QUEUES ? slot : -1;
}

static void past_reach(struct check_past *past, int slot, int64_t number)
{
    while (past->slots <= slot)
        past->upto[past->slots++] = 0;
    if (number > past->upto[slot])
        past->upto[slot] = number;
}

static int past_has(const struct check_past *past, const struct check_operation *operation)
{
    const int slot = operation->queue_slot;
    return slot < past->slots && operation->number <= past->upto[slot];
}

void yk_check_slot_close(int slot)
{
    struct check_past past;
    if (slot < 0)
        return;
    past.slots = 0;
    past_reach(&past, slot, INT64_MAX);
    yk_check_settle(&past);
    yk_check_lock();
    slot_used[slot] = 0;
    yk_check_unlock();
}

void yk_check_past_copy(struct check_past *past, const struct check_past *from)
{
    past->slots = from->slots;
    memcpy(past->upto, from->upto, (size_t)from->slots * sizeof *from->upto);
}

void yk_check_past_add(struct check_past *past, const struct check_past *other)
{
    for (int slot = 0; slot < other->slots; slot++)
        past_reach(past, slot, other->upto[slot]);
}

/* Whether `use` contains one of the bytes first .. last - 1. */
static int touches(const struct check_use *use, uintptr_t first, uintptr_t last)
{
    uintptr_t pitch = (uintptr_t)use->pitch, start = use->first;
    if (last <= use->first || use->last <= first)
        return 0;
    if (!use->run)
        return 1;
    if (first > start)
        start += (first - start) / pitch * pitch; /* to the last run that begins at or before
                                                   * `first` */
    return first < start + (uintptr_t)use->run || start + pitch < last;
}

/* Whether the uses have a byte in common. Takes one step for each run of `a`. */
static int overlap(const struct check_use *a, const struct check_use *b)
{
    uintptr_t at;
    if (!a->run)
        return touches(b, a->first, a->last);
    for (at = a->first; at < a->last; at += (uintptr_t)a->pitch)
        if (touches(b, at, at + (uintptr_t)a->run))
            return 1;
    return 0;
}

static int conflict(const struct check_use *a, const struct check_use *b)
{
    return !a->by_kernel && !b->by_kernel && (a->writes || b->writes) && a->buffer == b->buffer &&
           a->first < b->last && b->first < a->last && overlap(a, b);
}

static int operations_conflict(const struct check_operation *before,
                               const struct check_operation_spec *spec)
{
    if (past_has(spec->past, before))
        return 0;
    for (int i = 0; i < before->use_count; i++)
        for (int j = 0; j < spec->use_count; j++)
            if (conflict(&before->uses[i], &spec->uses[j]))
                return 1;
    return 0;
}

/* Lock held. Returns an operation in flight that conflicts with this one; NULL if none does. */
static const struct check_operation *conflict_find(const struct check_operation_spec *spec)
{
    const struct check_operation *before = in_flight;
    while (before && !operations_conflict(before, spec))
        before = before->next;
    return before;
}

yoke_status yk_check_order(const struct check_operation_spec *spec, struct check_operation **out)
{
    struct check_queue *queue = spec->queue;
    const struct check_device *device = queue->object.device;
    size_t uses = (size_t)spec->use_count * sizeof *spec->uses;
    *out = NULL;
    if (queue->slot < 0)
        return YOKE_OK;
    yk_check_lock();
    const struct check_operation *before = conflict_find(spec);
    const char *slot = before ? before->slot : NULL;
    const char *name = before ? before->device->base.desc.name : NULL;
    yk_check_unlock();
    if (before)
        return yk_check_breach(device, spec->slot,
                               "uses memory of a %s on %s that may still be running; order it by "
                               "the queue or `after`, or wait",
                               slot, name);
    struct check_operation *operation = yk_calloc(1, sizeof *operation + uses);
    if (!operation)
        return YOKE_ENOMEM;
    operation->device = device;
    operation->slot = spec->slot;
    operation->queue_slot = queue->slot;
    operation->use_count = spec->use_count;
    if (uses)
        memcpy(operation->uses, spec->uses, uses);
    *out = operation;
    return YOKE_OK;
}

void yk_check_issued(const struct check_operation_spec *spec, struct check_operation *operation,
                     int pending)
{
    struct check_queue *queue = spec->queue;
    if (!operation)
        return;
    yk_check_lock();
    operation->number = ++slot_issued[queue->slot];
    operation->next = in_flight;
    in_flight = operation;
    past_reach(spec->past, queue->slot, operation->number);
    yk_check_past_copy(&queue->past, spec->past);
    yk_check_unlock();
    if (!pending)
        yk_check_settle(spec->past);
}

void yk_check_settle(const struct check_past *past)
{
    yk_check_lock();
    for (struct check_operation **at = &in_flight; *at;) {
        struct check_operation *operation = *at;
        if (!past_has(past, operation)) {
            at = &operation->next;
            continue;
        }
        *at = operation->next;
        yk_free(operation);
    }
    yk_check_unlock();
}

int yk_check_host_in_use(uintptr_t first, uintptr_t last)
{
    const struct check_use memory = { .first = first, .last = last };
    int found = 0;
    yk_check_lock();
    for (struct check_operation *at = in_flight; at; at = at->next)
        for (int i = 0; i < at->use_count; i++)
            found |= !at->uses[i].buffer && overlap(&at->uses[i], &memory);
    yk_check_unlock();
    return found;
}

int yk_check_in_use(const struct check_buffer *buffer)
{
    int found = 0;
    yk_check_lock();
    for (struct check_operation *at = in_flight; at; at = at->next)
        for (int i = 0; i < at->use_count; i++)
            found |= at->uses[i].buffer == buffer;
    yk_check_unlock();
    return found;
}
