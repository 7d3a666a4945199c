/* simulation_steps.c - makes the runs of a step with the runtime itself, on simulated devices whose
 * operations only take time, and with arrays that stay from run to run. So plans, copies, halos and
 * what was learned are those of a program that keeps its data on devices.
 *
 * If an index of a kernel costs N items, the kernel has a second dimension of N indexes.
 */
#include <stdio.h>
#include <string.h>
#include <yoke/yoke.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "simulation.h"

struct yk_simulated_program {
    yoke_runtime *runtime;
    yoke_array *arrays[YK_STEP_ARRAYS];
    yoke_kernel kernels[YK_STEP_KERNELS];
    yoke_param params[YK_STEP_KERNELS][YK_STEP_ARGS];
    double sum;
};

/* --- kernels --- */

static void do_nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

/* A kernel that writes zeros as its sum, which is the first argument. */
static void sum_nothing(void *const *args, const yoke_chunk *chunk)
{
    const yoke_blocks *blocks = &chunk->blocks;
    double *partial = args[0];
    for (int64_t i = chunk->first; i < chunk->last; i += blocks->size)
        for (int64_t part = 0; part < blocks->parts; part++)
            partial[(i - blocks->first) / blocks->size * blocks->parts + part] = 0;
}

static void fold_sums(int param, void *into, const void *from, int64_t count)
{
    double sum = 0;
    (void)param;
    for (int64_t i = 0; i < count; i++)
        sum += ((const double *)from)[i];
    *(double *)into = sum;
}

static const yoke_param_mode param_modes[] = { [YK_STEP_IN] = YOKE_PARAM_IN,
                                               [YK_STEP_WHOLE] = YOKE_PARAM_IN,
                                               [YK_STEP_INOUT] = YOKE_PARAM_INOUT,
                                               [YK_STEP_OUT] = YOKE_PARAM_OUT,
                                               [YK_STEP_SUM] = YOKE_PARAM_REDUCE };

static void make_kernel(const struct yk_step *step, int k, struct yk_simulated_program *program)
{
    const struct yk_step_kernel *from = &step->kernels[k];
    yoke_kernel *kernel = &program->kernels[k];
    const int sums = from->args[0].mode == YK_STEP_SUM;
    *kernel = (yoke_kernel){ .struct_size = sizeof *kernel,
                             .name = from->name,
                             .file = "step",
                             .params = program->params[k],
                             .param_count = from->arg_count,
                             .dimensions = from->items > 1 ? 2 : 1,
                             .fold = sums ? fold_sums : NULL };
    kernel->cpu.variant[0] = sums ? sum_nothing : do_nothing;
    for (int a = 0; a < from->arg_count; a++) {
        const struct yk_step_arg *arg = &from->args[a];
        const int sum = arg->mode == YK_STEP_SUM;
        program->params[k][a] =
            (yoke_param){ .mode = param_modes[arg->mode],
                          .type = sum ? "double" : "row",
                          .name = sum ? "sum" : step->arrays[arg->array].name,
                          .size = sum ? sizeof(double) : (uint32_t)step->arrays[arg->array].bytes,
                          .alignment = sum ? sizeof(double) : 1 };
    }
}

/* --- opening --- */

/* Acquires and releases an array, as the program does between jobs. */
static yoke_status use_array(yoke_array *array, yoke_access_mode mode)
{
    yoke_status status = yoke_array_acquire(array, mode);
    return status == YOKE_OK ? yoke_array_release(array) : status;
}

/* Opens an array and acquires it, as if the program had written it. */
static yoke_status open_array(const struct yk_series *series, int a)
{
    const struct yk_step_array *from = &series->step.arrays[a];
    struct yk_simulated_program *program = series->program;
    const yoke_array_spec spec = { .rows = series->asked->items,
                                   .element_size = (size_t)from->bytes,
                                   .name = from->name };
    yoke_status status = yoke_array_open(program->runtime, &spec, &program->arrays[a]);
    return status == YOKE_OK ? use_array(program->arrays[a], YOKE_WRITE) : status;
}

static yoke_status open_runtime(const struct yk_series *series, int only, yoke_runtime **out)
{
    const yoke_simulation *asked = series->asked;
    const struct yk_machine_job job = { .core_seconds = asked->core_seconds };
    char *devices = yk_machine_devices(series->machine, &job, only);
    if (!devices)
        return YOKE_ENOMEM;
    const yoke_config config = { .size = sizeof config,
                                 .devices = devices,
                                 .partitioner = asked->partitioner ? asked->partitioner : "auto",
                                 .waiting = asked->waiting,
                                 .trace = only < 0 ? asked->trace : NULL,
                                 .knowledge = "off" };
    yoke_status status = yoke_open(&config, out);
    yk_free(devices);
    return status;
}

static yoke_status open_steps(struct yk_series *series, int only)
{
    struct yk_simulated_program *program = yk_calloc(1, sizeof *program);
    if (!program)
        return YOKE_ENOMEM;
    series->program = program;
    series->machine->cpu.seed = series->seed;
    yoke_status status = open_runtime(series, only, &program->runtime);
    for (int a = 0; a < series->step.array_count && status == YOKE_OK; a++)
        status = open_array(series, a);
    for (int k = 0; k < series->step.kernel_count; k++)
        make_kernel(&series->step, k, program);
    return status;
}

static void close_steps(struct yk_series *series)
{
    struct yk_simulated_program *program = series->program;
    if (!program)
        return;
    for (int a = 0; a < series->step.array_count; a++)
        yoke_array_close(program->arrays[a]);
    yoke_close(program->runtime);
    yk_free(program);
    series->program = NULL;
}

/* --- running --- */

static yoke_arg arg_of(struct yk_simulated_program *program, const struct yk_step_arg *arg)
{
    yoke_array *array = arg->array >= 0 ? program->arrays[arg->array] : NULL;
    switch (arg->mode) {
    case YK_STEP_SUM:
        return (yoke_arg)yoke_reduce_to(&program->sum);
    case YK_STEP_WHOLE:
        return (yoke_arg)yoke_in_whole(array);
    case YK_STEP_IN:
        if (arg->halo)
            return (yoke_arg)yoke_in_halo(array, arg->halo, arg->halo);
        return (yoke_arg)yoke_in(array);
    case YK_STEP_INOUT:
        return (yoke_arg)yoke_inout(array);
    default:
        return (yoke_arg)yoke_out(array);
    }
}

static yoke_status run_kernel(const struct yk_series *series, int k, yoke_result **result)
{
    struct yk_simulated_program *program = series->program;
    const struct yk_step_kernel *from = &series->step.kernels[k];
    yoke_job job = { .size = sizeof job, .kernel = &program->kernels[k] };
    job.range.last = series->asked->items;
    job.range.extent[0] = from->items > 1 ? from->items : 0;
    for (int a = 0; a < from->arg_count; a++)
        job.args[a] = arg_of(program, &from->args[a]);
    return yoke_run(program->runtime, &job, result);
}

/* Adds a kernel's result; reasons are those of the kernel that took longest. */
static void add_result(const yoke_result *from, double *longest, struct yk_simulate_result *out)
{
    out->predicted_seconds += from->predicted_seconds;
    snprintf(out->partitioner, sizeof out->partitioner, "%s", from->partitioner);
    for (int d = 0; d < from->device_count && d < out->device_count; d++) {
        struct yk_simulate_device *device = &out->devices[d];
        device->items += from->devices[d].items;
        device->chunks += from->devices[d].chunks;
        out->chunks += from->devices[d].chunks;
        device->busy_seconds += from->devices[d].busy_seconds;
        if (from->seconds > *longest)
            snprintf(device->reason, sizeof device->reason, "%s", from->devices[d].reason);
    }
    if (from->seconds > *longest)
        *longest = from->seconds;
}

/* Returns the bytes that arrays moved so far. */
static yoke_traffic all_traffic(const struct yk_series *series)
{
    yoke_traffic all = { .to_devices = 0 };
    for (int a = 0; a < series->step.array_count; a++) {
        const yoke_traffic one = yoke_array_traffic(series->program->arrays[a]);
        all.to_devices += one.to_devices;
        all.from_devices += one.from_devices;
        all.between_devices += one.between_devices;
    }
    return all;
}

static yoke_traffic traffic_since(const struct yk_series *series, const yoke_traffic *before)
{
    const yoke_traffic now = all_traffic(series);
    return (yoke_traffic){ .to_devices = now.to_devices - before->to_devices,
                           .from_devices = now.from_devices - before->from_devices,
                           .between_devices = now.between_devices - before->between_devices };
}

/* Returns the time of a step if all devices worked all the time and had all their rows. */
static double ideal_seconds(const struct yk_series *series)
{
    double seconds = 0;
    for (int k = 0; k < series->step.kernel_count; k++) {
        const struct yk_machine_job job = { .items = (double)series->asked->items *
                                                     (double)series->step.kernels[k].items,
                                            .core_seconds = series->asked->core_seconds };
        seconds += yk_machine_ideal(series->machine, &job, -1);
    }
    return seconds;
}

static yoke_status open_result(const struct yk_series *series, struct yk_simulate_result *out)
{
    const int count = 1 + series->machine->gpu_count;
    *out = (struct yk_simulate_result){ .device_count = count,
                                        .threads = series->machine->cpu.cores,
                                        .ideal_seconds = ideal_seconds(series),
                                        .devices = yk_calloc((size_t)count, sizeof *out->devices) };
    if (!out->devices)
        return YOKE_ENOMEM;
    for (int d = 0; d < count; d++) {
        const struct yk_machine_device *gpu = d > 0 ? &series->machine->gpus[d - 1] : NULL;
        out->devices[d].name = gpu ? gpu->name : "cpu";
        out->devices[d].lanes = (int)(gpu ? gpu->lanes : series->machine->cpu.cores);
    }
    return YOKE_OK;
}

static yoke_status run_step(struct yk_series *series, int number, struct yk_simulate_result *result)
{
    const struct yk_simulated_program *program = series->program;
    if (number > 0)
        yk_simulate_close(result);
    yoke_status status = open_result(series, result);
    if (status != YOKE_OK)
        return status;
    const double begin = yoke_seconds(program->runtime);
    double longest = 0;
    const yoke_traffic before = all_traffic(series);
    for (int i = 0; i < series->step.action_count && status == YOKE_OK; i++) {
        const struct yk_step_action *action = &series->step.actions[i];
        yoke_result *one = NULL;
        if (action->doing == YK_STEP_RUNS)
            status = run_kernel(series, action->of, &one);
        else
            status = use_array(program->arrays[action->of],
                               action->doing == YK_STEP_READS ? YOKE_READ : YOKE_WRITE);
        if (one)
            add_result(one, &longest, result);
        yoke_result_close(one);
    }
    result->seconds = yoke_seconds(program->runtime) - begin;
    series->traffic = traffic_since(series, &before);
    if (status != YOKE_OK)
        yk_simulate_close(result);
    return status;
}

/* Writes the timeline of all runs, which the runtime has recorded. */
static yoke_status write_steps(struct yk_series *series, const struct yk_simulate_result *last)
{
    (void)last;
    return yoke_trace_write(series->program->runtime, series->asked->trace);
}

const struct yk_series_kind yk_series_of_steps = {
    .open = open_steps, .run = run_step, .write = write_steps, .close = close_steps
};
