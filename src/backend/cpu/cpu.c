/* cpu.c - the CPU as a device: a launch is a function call.
 *
 * Kernels run in the launching thread, on host memory, so there is nothing to allocate, copy or
 * wait for: those slots are absent, and every event is NULL, which means complete. After open only
 * variant_run.h writes, which is thread-safe, so any number of workers may launch on one device at
 * the same time. A launch costs one indirect call and the unpacking of at most 24 arguments on the
 * stack.
 */
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/topology.h"
#include "../launch_space.h"
#include "cpu_settings.h"
#include "variant.h"
#include "variant_run.h"

enum { ARGS_MAX = 24 };

struct cpu_device {
    struct yk_device base;
    int variant;  /* highest variant to use */
    int is_asked; /* 1: use only this variant, or the next one below it that the kernel has */
};

struct yk_queue {
    struct cpu_device *device;
};

struct yk_program {
    struct yk_variant_run run;
    int param_count;
    unsigned values; /* bit p: parameter p is a value */
    int is_step;
    yoke_step step;
};

const int *yk_cpu_cores(const struct yk_device_desc *desc)
{
    return ((const struct cpu_settings *)desc->settings)->cpus;
}

static yoke_status cpu_open(const struct yk_device_desc *desc, struct yk_device **out)
{
    const struct cpu_settings *settings = desc->settings;
    struct cpu_device *device = yk_calloc(1, sizeof *device);
    if (!device)
        return YOKE_ENOMEM;
    device->base.backend = &yk_backend_cpu;
    device->base.desc = *desc;
    device->is_asked = settings->variant != 0;
    device->variant = device->is_asked ? settings->variant - 1 : yk_cpu_variant_best();
    *out = &device->base;
    return YOKE_OK;
}

static void cpu_close(struct yk_device *device)
{
    yk_free(device);
}

static int64_t cpu_memory_free(struct yk_device *device)
{
    (void)device;
    return yk_memory_available();
}

static yoke_status cpu_queue_open(struct yk_device *device, struct yk_queue **out)
{
    struct yk_queue *queue = yk_calloc(1, sizeof *queue);
    if (!queue)
        return YOKE_ENOMEM;
    queue->device = (struct cpu_device *)device;
    *out = queue;
    return YOKE_OK;
}

static void cpu_queue_close(struct yk_queue *queue)
{
    yk_free(queue);
}

static yoke_status cpu_build(struct yk_device *device, const yoke_kernel *kernel,
                             struct yk_program **out)
{
    const struct cpu_device *cpu = (const struct cpu_device *)device;
    yoke_cpu_fn *const only =
        kernel->cpu.team ? kernel->cpu.team : yk_cpu_variant_choose(kernel, cpu->variant);
    if (!only)
        return yk_fail(YOKE_ENOIMPL,
                       "%s: kernel %s has no CPU function; define it with YOKE_KERNEL or set "
                       "cpu.variant[0]",
                       device->desc.name, kernel->name);
    if (kernel->param_count > ARGS_MAX)
        return yk_fail(YOKE_EINVAL,
                       "%s: kernel %s has %d parameters; at most %d are possible, put values into "
                       "a struct",
                       device->desc.name, kernel->name, kernel->param_count, ARGS_MAX);
    if (kernel->kind == YOKE_KERNEL_STEP && yk_step_check(kernel) != YOKE_OK)
        return YOKE_EINVAL;
    struct yk_program *program = yk_calloc(1, sizeof *program);
    if (!program)
        return YOKE_ENOMEM;
    program->is_step = kernel->kind == YOKE_KERNEL_STEP;
    program->step = kernel->step;
    if (kernel->cpu.team || cpu->is_asked || program->is_step)
        yk_variant_run_open_one(&program->run, only);
    else
        yk_variant_run_open(&program->run, kernel, cpu->variant);
    program->param_count = kernel->param_count;
    for (int p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].mode == YOKE_PARAM_VALUE)
            program->values |= 1u << p;
    *out = program;
    return YOKE_OK;
}

static void cpu_program_close(struct yk_device *device, struct yk_program *program)
{
    (void)device;
    yk_free(program);
}

static yoke_status cpu_launch(struct yk_queue *queue, struct yk_program *program,
                              const struct yk_launch *launch, struct yk_event **event)
{
    void *args[ARGS_MAX];
    const yoke_chunk chunk = yk_chunk_of(launch);
    (void)queue;
    for (int p = 0; p < program->param_count; p++) {
        const struct yk_launch_arg *arg = &launch->args[p];
        if (program->values >> p & 1)
            memcpy(&args[p], &arg->value, sizeof args[p]);
        else /* an integer, because element 0 may lie outside the memory */
            args[p] = (void *)((uintptr_t)arg->host + (uintptr_t)arg->shift);
    }
    if (program->is_step)
        yk_step_run(&(struct yk_step_work){ program->run.best, &program->step, args, &chunk },
                    launch->steps->words);
    else
        yk_variant_run(&program->run, args, &chunk);
    if (event)
        *event = NULL;
    return YOKE_OK;
}

/* The only event is NULL, which is complete. */
static int cpu_poll(struct yk_event *event, yoke_status *outcome)
{
    (void)event;
    *outcome = YOKE_OK;
    return 1;
}

static yoke_status cpu_wait(struct yk_event *event)
{
    (void)event;
    return YOKE_OK;
}

static void cpu_event_times(struct yk_event *event, struct yk_event_times *out)
{
    (void)event;
    *out = (struct yk_event_times){ 0, 0 };
}

static void cpu_event_close(struct yk_event *event)
{
    (void)event;
}

const struct yk_backend yk_backend_cpu = {
    .name = "cpu",
    .summary = "cores of this machine, running the kernels' C code",
    .options = yk_cpu_options,
    .settings_bytes = sizeof(struct cpu_settings),
    .find = yk_cpu_find,
    .open = cpu_open,
    .close = cpu_close,
    .memory_free = cpu_memory_free,
    .queue_open = cpu_queue_open,
    .queue_close = cpu_queue_close,
    .build = cpu_build,
    .program_close = cpu_program_close,
    .launch = cpu_launch,
    .poll = cpu_poll,
    .wait = cpu_wait,
    .event_times = cpu_event_times,
    .event_close = cpu_event_close,
};
