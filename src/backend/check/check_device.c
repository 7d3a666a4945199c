/* check_device.c - the checking wrapper: any device, with both sides of backend.h verified.
 *
 * A wrapper has its own table with the same optional slots as the backend's, so that callers take
 * the same paths. It checks that the caller's handles are open and belong to this device, that
 * ranges are inside their buffers, no operation conflicts with one in flight (check_order.c), one
 * thread at a time calls, and everything is closed in the end. It checks that the backend's
 * statuses are of the slot's classes, outputs are written exactly on YOKE_OK, texts name the
 * device, and a lost device stays lost. yk_backend_fail_at makes calls fail (check_fault.c).
 */
#include "check.h"

#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"

static yoke_status check_queue_open(struct yk_device *handle, struct yk_queue **out)
{
    struct check_device *device = yk_check_device_find(handle, "queue_open");
    if (!device)
        return YOKE_EINVAL;
    const int was_lost =
        atomic_load(&device->lost); /* now: another thread may lose it during the call */
    yoke_status status = yk_check_inject(device, "queue_open");
    if (status != YOKE_OK)
        return status;
    struct check_queue *queue = yk_calloc(1, sizeof *queue);
    struct yk_queue *made = yk_check_untouched();
    if (!queue)
        return YOKE_ENOMEM;
    status = yk_check_enter(device, "queue_open");
    if (status == YOKE_OK) {
        status = device->backend->queue_open(device->inner, &made);
        yk_check_leave(device);
        unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE;
        status = yk_check_returned(
            device, &(struct check_return){ "queue_open", status, allowed, made, was_lost });
    }
    if (status != YOKE_OK) {
        yk_free(queue);
        return status;
    }
    queue->object = (struct check_object){ .kind = CHECK_QUEUE, .device = device };
    queue->inner = made;
    queue->slot = yk_check_slot_open(device);
    yk_check_add(&queue->object);
    *out = (struct yk_queue *)queue;
    return YOKE_OK;
}

static void check_queue_close(struct yk_queue *handle)
{
    struct check_queue *queue =
        handle ? yk_check_find(NULL, CHECK_QUEUE, handle, "queue_close") : NULL;
    if (!queue)
        return;
    yk_check_remove(&queue->object);
    queue->object.device->backend->queue_close(queue->inner);
    yk_check_slot_close(queue->slot);
    yk_free(queue);
}

static yoke_status kernel_whole(const struct check_device *device, const yoke_kernel *kernel)
{
    if (!kernel || !kernel->struct_size)
        return yk_check_breach(device, "build", "no kernel, or one whose struct_size is 0");
    if (!kernel->name || kernel->param_count < 0 || (kernel->param_count && !kernel->params))
        return yk_check_breach(device, "build", "a kernel without a name or parameters");
    return YOKE_OK;
}

/* May run while another thread is inside the device, so it does not call yk_check_enter. */
static yoke_status check_build(struct yk_device *handle, const yoke_kernel *kernel,
                               struct yk_program **out)
{
    struct check_device *device = yk_check_device_find(handle, "build");
    if (!device)
        return YOKE_EINVAL;
    int was_lost = atomic_load(&device->lost); /* now: another thread may lose it during the call */
    yoke_status status = kernel_whole(device, kernel);
    if (status == YOKE_OK)
        status = yk_check_inject(device, "build");
    if (status != YOKE_OK)
        return status;
    size_t params = (size_t)kernel->param_count * sizeof *kernel->params;
    struct check_program *program = yk_calloc(1, sizeof *program + params);
    struct yk_program *made = yk_check_untouched();
    if (!program)
        return YOKE_ENOMEM;
    status = device->backend->build(device->inner, kernel, &made);
    unsigned allowed = 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_EBUILD |
                       1u << YOKE_ENOIMPL | 1u << YOKE_EINVAL;
    status = yk_check_returned(device,
                               &(struct check_return){ "build", status, allowed, made, was_lost });
    if (status != YOKE_OK) {
        yk_free(program);
        return status;
    }
    program->object = (struct check_object){ .kind = CHECK_PROGRAM, .device = device };
    program->inner = made;
    program->is_step = kernel->kind == YOKE_KERNEL_STEP;
    program->param_count = kernel->param_count;
    program->params = (yoke_param *)(program + 1);
    if (params)
        memcpy(program->params, kernel->params, params);
    yk_check_add(&program->object);
    *out = (struct yk_program *)program;
    return YOKE_OK;
}

static void check_program_close(struct yk_device *handle, struct yk_program *program_handle)
{
    struct check_device *device = yk_check_device_find(handle, "program_close");
    if (!device || !program_handle)
        return;
    struct check_program *program =
        yk_check_find(device, CHECK_PROGRAM, program_handle, "program_close");
    if (!program)
        return;
    yk_check_remove(&program->object);
    device->backend->program_close(device->inner, program->inner);
    yk_free(program);
}

static void object_close(struct check_device *device, struct check_object *object)
{
    switch (object->kind) {
    case CHECK_QUEUE:
        check_queue_close((struct yk_queue *)object);
        break;
    case CHECK_EVENT:
        yk_check_event_close((struct yk_event *)object);
        break;
    case CHECK_PROGRAM:
        check_program_close(&device->base, (struct yk_program *)object);
        break;
    default:
        yk_check_free(&device->base, (struct yk_buffer *)object);
        break;
    }
}

/* Reports everything that the caller left open as breaches, and closes it: queues first, because
 * without them nothing is in flight. */
static void close_left(struct check_device *device)
{
    static const enum check_kind order[] = { CHECK_QUEUE, CHECK_EVENT, CHECK_PROGRAM,
                                             CHECK_BUFFER };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (struct check_object *left; (left = yk_check_left(device, order[i]));) {
            yk_check_breach(device, "close", "a %s is still open", yk_check_kind_name(order[i]));
            object_close(device, left);
        }
    yk_check_host_left(device);
}

static void check_break_off(struct yk_device *handle)
{
    struct check_device *device = yk_check_device_find(handle, "break_off");
    if (device)
        device->backend->break_off(device->inner);
}

static void check_close(struct yk_device *handle)
{
    struct check_device *device = handle ? yk_check_device_find(handle, "close") : NULL;
    if (!device)
        return;
    close_left(device);
    yk_check_remove(&device->object);
    device->backend->close(device->inner);
    yk_free(device);
}

yoke_status yk_backend_check(struct yk_device *inner, struct yk_device **out)
{
    struct check_device *device = yk_calloc(1, sizeof *device);
    if (!device) {
        inner->backend->close(inner);
        return YOKE_ENOMEM;
    }
    device->base.desc = inner->desc;
    device->base.backend = &device->table;
    device->object = (struct check_object){ .kind = CHECK_DEVICE, .device = device };
    device->inner = inner;
    device->backend = inner->backend;
    /* Name, find, open and clock are the backend's; the wrapper replaces the other slots. */
    device->table = *inner->backend;
    device->table.close = check_close;
    device->table.break_off = inner->backend->break_off ? check_break_off : NULL;
    device->table.alloc = yk_check_alloc;
    device->table.free = yk_check_free;
    device->table.memory_free = yk_check_memory_free;
    device->table.pin = inner->backend->pin ? yk_check_pin : NULL;
    device->table.pinned_until = inner->backend->pinned_until ? yk_check_pinned_until : NULL;
    device->table.unpin = yk_check_unpin;
    device->table.host_alloc = inner->backend->host_alloc ? yk_check_host_alloc : NULL;
    device->table.host_free = yk_check_host_free;
    device->table.commit = inner->backend->commit ? yk_check_commit : NULL;
    device->table.reserve = inner->backend->reserve ? yk_check_reserve : NULL;
    device->table.decommit = inner->backend->decommit ? yk_check_decommit : NULL;
    device->table.queue_open = check_queue_open;
    device->table.queue_close = check_queue_close;
    device->table.reach = inner->backend->reach ? yk_check_reach : NULL;
    device->table.copy = yk_check_copy;
    device->table.zero = yk_check_zero;
    device->table.build = check_build;
    device->table.program_close = check_program_close;
    device->table.launch = yk_check_launch;
    device->table.poll = yk_check_poll;
    device->table.wait = yk_check_wait;
    device->table.notify = inner->backend->notify ? yk_check_notify : NULL;
    device->table.event_times = yk_check_event_times;
    device->table.event_close = yk_check_event_close;
    device->table.event_hold = inner->backend->event_hold ? yk_check_event_hold : NULL;
    yk_check_add(&device->object);
    *out = &device->base;
    return YOKE_OK;
}
