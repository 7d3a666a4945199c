/* simulation.c - yoke_simulate: reads texts into a machine and a profile or a step, makes several
 * runs, and returns their result in one block of memory. */
#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "simulation.h"

/* Freed by yoke_simulated_close. The public part must be first. */
struct simulated {
    yoke_simulated result;
    double *runs;
    yoke_simulated_device *devices;
    struct yk_simulate_result last;
    struct yk_machine machine; /* contains the names of the GPUs */
};

/* Makes all runs with these devices; *last is the last run's result. */
static yoke_status run_series(struct yk_series *series, double *seconds, int count,
                              struct yk_simulate_result *last)
{
    for (int run = 0; run < count; run++) {
        yoke_status status = series->kind->run(series, run, last);
        if (status != YOKE_OK)
            return status;
        seconds[run] = last->seconds;
    }
    return YOKE_OK;
}

static int run_count(const struct yk_series *series)
{
    return series->asked->runs > 0 ? series->asked->runs : 1;
}

static double run_alone(struct yk_series *series, double *seconds, int device)
{
    struct yk_simulate_result last;
    const int count = run_count(series);
    yoke_status status = series->kind->open(series, device);
    if (status == YOKE_OK)
        status = run_series(series, seconds, count, &last);
    series->kind->close(series);
    if (status != YOKE_OK)
        return NAN;
    yk_simulate_close(&last);
    return seconds[count - 1];
}

/* Number of indexes that all kernels of a run do together. */
static double items_of(const struct yk_series *series)
{
    const int kernels = series->asked->step ? series->step.kernel_count : 1;
    return (double)series->asked->items * kernels;
}

static void fill_device(const struct yk_series *series, int d, struct simulated *made)
{
    const struct yk_simulate_device *from = &made->last.devices[d];
    made->devices[d] = (yoke_simulated_device){ .name = from->name,
                                                .lanes = from->lanes,
                                                .items = from->items,
                                                .chunks = from->chunks,
                                                .share = (double)from->items / items_of(series),
                                                .busy_seconds = from->busy_seconds,
                                                .alone_seconds = NAN,
                                                .reason = from->reason };
}

static void fill(const struct yk_series *series, struct simulated *made)
{
    const struct yk_simulate_result *last = &made->last;
    made->result = (yoke_simulated){ .runs = made->runs,
                                     .run_count = run_count(series),
                                     .ideal_seconds = last->ideal_seconds,
                                     .partitioner = last->partitioner,
                                     .predicted_seconds = last->predicted_seconds,
                                     .cores = (int)made->machine.cpu.cores,
                                     .seed = series->seed,
                                     .threads = (int)last->threads,
                                     .chunks = last->chunks,
                                     .decisions = last->calls,
                                     .core_seconds = last->core_seconds,
                                     .spin_seconds = last->spin_seconds,
                                     .lost_seconds = last->lost_seconds,
                                     .to_devices = series->traffic.to_devices,
                                     .from_devices = series->traffic.from_devices,
                                     .between_devices = series->traffic.between_devices,
                                     .devices = made->devices,
                                     .device_count = last->device_count };
    for (int d = 0; d < last->device_count; d++)
        fill_device(series, d, made);
}

/* Fills in `made` except its machine. The caller closes it, also after an error. */
static yoke_status run_all(struct yk_series *series, struct simulated *made)
{
    const int runs = run_count(series), devices = 1 + made->machine.gpu_count;
    made->runs = yk_calloc((size_t)runs + (size_t)runs, sizeof *made->runs);
    made->devices = yk_calloc((size_t)devices, sizeof *made->devices);
    if (!made->runs || !made->devices)
        return YOKE_ENOMEM;
    yoke_status status = series->kind->open(series, -1);
    if (status == YOKE_OK)
        status = run_series(series, made->runs, runs, &made->last);
    if (status == YOKE_OK)
        fill(series, made);
    if (status == YOKE_OK && series->asked->trace)
        status = series->kind->write(series, &made->last);
    series->kind->close(series);
    for (int d = 0; d < devices && status == YOKE_OK && series->asked->alone; d++)
        made->devices[d].alone_seconds = run_alone(series, made->runs + runs, d);
    return status;
}

static yoke_status check(const yoke_simulation *asked)
{
    if (!asked->machine)
        return yk_fail(YOKE_EINVAL, "yoke_simulate: no machine; give one, as \"cores=8,gpu*4\"");
    if (asked->runs < 0 || asked->unit < 0 || (int)asked->waiting < 0 ||
        asked->waiting > YOKE_WAIT_BLOCK)
        return yk_fail(YOKE_EINVAL, "yoke_simulate: runs, unit or waiting is out of range");
    if (asked->step && (asked->profile || asked->unit > 1 || asked->costs || asked->bytes_in > 0 ||
                        asked->bytes_out > 0 || asked->threads))
        return yk_fail(YOKE_EINVAL,
                       "a step has its own arrays and costs: leave out profile, unit, costs, bytes "
                       "and threads");
    return YOKE_OK;
}

static yoke_status open_profile(const yoke_simulation *asked, struct yk_profile *out)
{
    struct yk_profile_spec spec;
    yoke_status status =
        yk_profile_parse(asked->profile ? asked->profile : "regular", asked->items, &spec);
    if (status != YOKE_OK)
        return status;
    if (asked->seed)
        spec.seed = asked->seed;
    spec.costs = asked->costs;
    spec.cost_count = asked->cost_count;
    return yk_profile_open(&spec, out);
}

/* Reads the texts. The caller closes the profile and the machine, also after an error. */
static yoke_status read_texts(struct yk_series *series, struct yk_machine *machine)
{
    const yoke_simulation *asked = series->asked;
    yoke_status status =
        yk_machine_parse(asked->machine, asked->step ? YK_MACHINE_STEPS : YK_MACHINE_JOB, machine);
    if (status == YOKE_OK && asked->step)
        status = yk_step_parse(asked->step, &series->step);
    if (status == YOKE_OK)
        status = open_profile(asked, &series->profile);
    series->machine = machine;
    series->seed = asked->seed ? asked->seed : machine->cpu.seed;
    return status;
}

yoke_status yoke_simulate(const yoke_simulation *asked, yoke_simulated **out)
{
    struct yk_series series = { .asked = asked };
    struct simulated *made;
    if (!asked || !out)
        return yk_fail(YOKE_EINVAL, "yoke_simulate: %s is NULL; give both",
                       asked ? "out" : "the simulation");
    series.kind = asked->step ? &yk_series_of_steps : &yk_series_of_jobs;
    yoke_status status = check(asked);
    if (status != YOKE_OK)
        return status;
    made = yk_calloc(1, sizeof *made);
    if (!made)
        return YOKE_ENOMEM;
    status = read_texts(&series, &made->machine);
    if (status == YOKE_OK)
        status = run_all(&series, made);
    yk_profile_close(&series.profile);
    if (status == YOKE_OK)
        *out = &made->result;
    else
        yoke_simulated_close(&made->result);
    return status;
}

void yoke_simulated_close(yoke_simulated *simulated)
{
    struct simulated *made = (struct simulated *)simulated;
    if (!made)
        return;
    yk_simulate_close(&made->last);
    yk_machine_close(&made->machine);
    yk_free(made->devices);
    yk_free(made->runs);
    yk_free(made);
}

const char *yoke_profile_name(int index)
{
    return yk_profile_name(index);
}
