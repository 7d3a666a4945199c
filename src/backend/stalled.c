/* stalled.c - see stalled.h: the table of a device that was abandoned. Its slots call no driver, so
 * no thread waits for operations that may never end.
 */
#include "stalled.h"

#include "../base/status.h"
#include "leavable.h"

static yoke_status lost(void)
{
    return yk_fail(YOKE_EDEVICE, "the device never ended what it had to do, and was left; its work "
                                 "goes to other devices");
}

yoke_status yk_device_left(void)
{
    return yk_fail(YOKE_EDEVICE, "%s: a call of its driver never returned, and the device was left",
                   yk_escape_self()->of);
}

static yoke_status open_none(const struct yk_device_desc *desc, struct yk_device **out)
{
    (void)desc, (void)out;
    return lost();
}

static void leave_device(struct yk_device *device)
{
    (void)device;
}

static yoke_status alloc_none(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    (void)device, (void)bytes, (void)out;
    return lost();
}

static void leave_buffer(struct yk_device *device, struct yk_buffer *buffer)
{
    (void)device, (void)buffer;
}

static int64_t no_memory(struct yk_device *device)
{
    (void)device;
    return 0;
}

static yoke_status commit_none(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                               int64_t bytes)
{
    (void)device, (void)buffer, (void)offset, (void)bytes;
    return lost();
}

static void leave_pages(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                        int64_t bytes)
{
    (void)device, (void)buffer, (void)offset, (void)bytes;
}

static yoke_status pin_none(struct yk_device *device, void *host, int64_t bytes, int *foreign)
{
    (void)device, (void)host, (void)bytes, (void)foreign;
    return lost();
}

static yoke_status host_none(struct yk_device *device, int64_t bytes, void **out)
{
    (void)device, (void)bytes, (void)out;
    return lost();
}

static void leave_host(struct yk_device *device, void *host)
{
    (void)device, (void)host;
}

static yoke_status queue_none(struct yk_device *device, struct yk_queue **out)
{
    (void)device, (void)out;
    return lost();
}

static void leave_queue(struct yk_queue *queue)
{
    (void)queue;
}

static double reaches_none(struct yk_device *device, struct yk_device *from)
{
    (void)device, (void)from;
    return 0;
}

static yoke_status copy_none(struct yk_queue *queue, const struct yk_copy *copy,
                             struct yk_event **event)
{
    (void)queue, (void)copy, (void)event;
    return lost();
}

static yoke_status zero_none(struct yk_queue *queue, const struct yk_buffer_range *range,
                             struct yk_event **event)
{
    (void)queue, (void)range, (void)event;
    return lost();
}

static yoke_status build_none(struct yk_device *device, const yoke_kernel *kernel,
                              struct yk_program **out)
{
    (void)device, (void)kernel, (void)out;
    return lost();
}

static void leave_program(struct yk_device *device, struct yk_program *program)
{
    (void)device, (void)program;
}

static yoke_status launch_none(struct yk_queue *queue, struct yk_program *program,
                               const struct yk_launch *launch, struct yk_event **event)
{
    (void)queue, (void)program, (void)launch, (void)event;
    return lost();
}

static int poll_failed(struct yk_event *event, yoke_status *outcome)
{
    (void)event;
    *outcome = lost();
    return 1;
}

static yoke_status wait_failed(struct yk_event *event)
{
    (void)event;
    return lost();
}

static yoke_status notify_at_once(struct yk_event *event, void (*fn)(void *context), void *context)
{
    (void)event;
    fn(context);
    return YOKE_OK;
}

static void no_times(struct yk_event *event, struct yk_event_times *out)
{
    (void)event;
    *out = (struct yk_event_times){ 0, 0 };
}

static void leave_event(struct yk_event *event)
{
    (void)event;
}

static const struct yk_backend left_alone = {
    .name = "stalled",
    .summary = "a device that never ended what it had to do",
    .open = open_none,
    .close = leave_device,
    .alloc = alloc_none,
    .free = leave_buffer,
    .memory_free = no_memory,
    .commit = commit_none,
    .reserve = alloc_none,
    .decommit = leave_pages,
    .pin = pin_none,
    .unpin = leave_host,
    .host_alloc = host_none,
    .host_free = leave_host,
    .queue_open = queue_none,
    .queue_close = leave_queue,
    .reach = reaches_none,
    .copy = copy_none,
    .zero = zero_none,
    .build = build_none,
    .program_close = leave_program,
    .launch = launch_none,
    .poll = poll_failed,
    .wait = wait_failed,
    .notify = notify_at_once,
    .event_times = no_times,
    .event_close = leave_event,
    .event_hold = leave_event,
};

void yk_device_break_off(struct yk_device *device)
{
    const struct yk_backend *backend = device->backend;
    if (backend->break_off)
        backend->break_off(device);
    else
        device->backend = &left_alone;
}

int yk_device_is_left(const struct yk_device *device)
{
    return device->backend == &left_alone;
}
