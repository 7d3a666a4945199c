/* guard_device.c - the guard backend's table: opening, queues and kernels. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/limits.h"
#include "../cpu/variant.h"
#include "guard.h"

void yk_guard_describe(struct yk_device_desc *out)
{
    struct yk_limits limits;
    yk_limits_read("", &limits);
    *out = (struct yk_device_desc){ .backend = &yk_backend_guard,
                                    .name = "guard",
                                    .is_cpu = 1,
                                    .checks = 1,
                                    .cores = 1,
                                    .lanes = 1,
                                    .memory_bytes = limits.memory_bytes,
                                    .fill = 1,
                                    .link_bytes_per_ns = 4, /* bytes per ns of a core's memcpy */
                                    .launch_ns = 1000 };
    snprintf(out->model, sizeof out->model, "one core that checks what kernels touch");
    snprintf(out->driver, sizeof out->driver, "guard");
}

static yoke_status guard_find(const struct yk_device_spec *spec, int asked,
                              struct yk_device_list *list, char *why)
{
    struct yk_device_desc desc;
    (void)spec;
    (void)asked;
    (void)why;
    yk_guard_describe(&desc);
    return yk_device_list_add(list, &desc);
}

static yoke_status guard_open(const struct yk_device_desc *desc, struct yk_device **out)
{
    struct guard_device *device = yk_calloc(1, sizeof *device);
    yoke_status status;
    if (!device)
        return YOKE_ENOMEM;
    status = yk_faults_open(&device->faults);
    if (status != YOKE_OK) {
        yk_free(device);
        return status;
    }
    device->base.backend = &yk_backend_guard;
    device->base.desc = *desc;
    device->page = sysconf(_SC_PAGESIZE);
    device->work.device = device;
    *out = &device->base;
    return YOKE_OK;
}

static void guard_close(struct yk_device *base)
{
    struct guard_device *device = (struct guard_device *)base;
    if (!device)
        return;
    yk_guard_work_close(&device->work);
    yk_faults_close(device->faults);
    yk_free(device);
}

static yoke_status guard_queue_open(struct yk_device *base, struct yk_queue **out)
{
    struct yk_queue *queue = yk_calloc(1, sizeof *queue);
    if (!queue)
        return YOKE_ENOMEM;
    queue->device = (struct guard_device *)base;
    *out = queue;
    return YOKE_OK;
}

static void guard_queue_close(struct yk_queue *queue)
{
    yk_free(queue);
}

/* Takes the variant that the cores would run. Takes a team's function only if there is no other: a
 * fault in one of its threads, which yoke did not make, ends the process. */
static yoke_status guard_build(struct yk_device *device, const yoke_kernel *kernel,
                               struct yk_program **out)
{
    yoke_cpu_fn *run = yk_cpu_variant_choose(kernel, yk_cpu_variant_best());
    struct yk_program *program;
    int p;
    if (!run)
        run = kernel->cpu.team;
    if (!run)
        return yk_fail(YOKE_ENOIMPL,
                       "%s: kernel %s has no CPU function, which is what is checked; define it "
                       "with YOKE_KERNEL or set cpu.variant[0]",
                       device->desc.name, kernel->name);
    if (kernel->kind == YOKE_KERNEL_STEP && yk_step_check(kernel) != YOKE_OK)
        return YOKE_EINVAL;
    program = yk_calloc(1, sizeof *program);
    if (!program)
        return YOKE_ENOMEM;
    program->run = run;
    program->is_step = kernel->kind == YOKE_KERNEL_STEP;
    program->step = kernel->step;
    program->param_count = kernel->param_count;
    for (p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].mode == YOKE_PARAM_VALUE)
            program->values |= 1u << p;
    *out = program;
    return YOKE_OK;
}

static void guard_program_close(struct yk_device *device, struct yk_program *program)
{
    (void)device;
    yk_free(program);
}

/* Every event is complete. */
static int guard_poll(struct yk_event *event, yoke_status *outcome)
{
    (void)event;
    *outcome = YOKE_OK;
    return 1;
}

static yoke_status guard_wait(struct yk_event *event)
{
    (void)event;
    return YOKE_OK;
}

static void guard_event_times(struct yk_event *event, struct yk_event_times *out)
{
    (void)event;
    *out = (struct yk_event_times){ 0, 0 };
}

static void guard_event_close(struct yk_event *event)
{
    (void)event;
}

const struct yk_backend yk_backend_guard = {
    .name = "guard",
    .summary = "one core that checks what kernels touch",
    .find = guard_find,
    .open = guard_open,
    .close = guard_close,
    .alloc = yk_guard_alloc,
    .free = yk_guard_free,
    .memory_free = yk_guard_memory_free,
    .queue_open = guard_queue_open,
    .queue_close = guard_queue_close,
    .copy = yk_guard_copy,
    .zero = yk_guard_zero,
    .build = guard_build,
    .program_close = guard_program_close,
    .launch = yk_guard_launch,
    .poll = guard_poll,
    .wait = guard_wait,
    .event_times = guard_event_times,
    .event_close = guard_event_close,
};
