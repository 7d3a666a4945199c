/* collect.c - the results of a simulation: numbers, reasons, and what it taught. */
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../partition/partitioner.h"
#include "simulator.h"

/* What was known of the device before; it is kept where this run taught nothing. */
static struct yk_learned learned_before(const struct yk_simulator *sim, int d)
{
    struct yk_learned learned;
    if (sim->spec->learned)
        return sim->spec->learned[d];
    yk_learned_open(&learned);
    return learned;
}

/* Everything about the job that is not specific to one device. */
static struct yk_learned_job what_ran(const struct yk_simulator *sim)
{
    struct yk_learned_job job = { .items = sim->spec->profile->items,
                                  .ended_ns = (int64_t)sim->now,
                                  .by_lines = yk_partitioner_needs_lessons(sim->partitioner),
                                  .tells_lines = !sim->verdict[0] };
    for (int d = 0; d < sim->device_count; d++) {
        struct yk_learned before = learned_before(sim, d);
        struct yk_split_outcome outcome;
        yk_dispatch_outcome(sim->dispatch, d, &outcome);
        yk_learned_did(&job, d, &before, &outcome);
        job.tells_lines &= !sim->devices[d].failed && !sim->devices[d].left;
    }
    return job;
}

static void learn(const struct yk_simulator *sim, int d, struct yk_learned_job *ran,
                  struct yk_learned *out)
{
    const struct yk_machine_device *gpu = sim->devices[d].gpu;
    struct yk_learned_job job = *ran;
    struct yk_split_outcome outcome;
    yk_dispatch_outcome(sim->dispatch, d, &outcome);
    job.told_ns = yk_simulator_told_ns(gpu);
    job.all_asked = sim->spec->alone == 0 && sim->spec->without == 0 &&
                    yk_team_only(sim->asked) < 0 && yk_simulator_asks(sim, d);
    job.forgives = gpu != NULL && !job.by_lines;
    *out = learned_before(sim, d);
    yk_learned_note(out, &outcome, &job);
    yk_learned_sum_up(ran, d, out, &outcome);
}

/* Adjusts shares as life/learn.c does. */
static yoke_status adjust_shares(const struct yk_simulator *sim, struct yk_simulate_result *out)
{
    double *shares = yk_calloc((size_t)sim->device_count, sizeof *shares);
    if (!shares)
        return YOKE_ENOMEM;
    if (sim->spec->adjust)
        out->adjust = *sim->spec->adjust;
    if (yk_dispatch_adjust(sim->dispatch, &out->adjust, shares))
        for (int d = 0; d < sim->device_count; d++)
            out->devices[d].learned.share = shares[d];
    yk_free(shares);
    return YOKE_OK;
}

static void collect_device(const struct yk_simulator *sim, int d, struct yk_learned_job *ran,
                           struct yk_simulate_device *out)
{
    const char *reason = yk_dispatch_reason(sim->dispatch, d);
    struct yk_split_outcome outcome;
    yk_dispatch_outcome(sim->dispatch, d, &outcome);
    out->name = sim->devices[d].gpu ? sim->devices[d].gpu->name : "cpu";
    out->lanes = sim->devices[d].lane_count;
    out->items = outcome.items;
    out->chunks = outcome.chunks;
    out->busy_seconds = (double)outcome.busy_ns * 1e-9;
    snprintf(out->reason, sizeof out->reason, "%s", reason ? reason : "");
    learn(sim, d, ran, &out->learned);
}

yoke_status yk_simulator_collect(const struct yk_simulator *sim, struct yk_simulate_result *out)
{
    struct yk_machine_job job = yk_simulator_job(sim->spec);
    struct yk_learned_job ran = what_ran(sim);
    struct yk_simulate_result result = {
        .seconds = sim->now * 1e-9,
        .ideal_seconds = yk_machine_ideal(sim->machine, &job, -1),
        .device_count = sim->device_count,
        .threads = sim->threads,
        .chunks = sim->chunks,
        .core_seconds = sim->devices[0].cost * sim->devices[0].item_ns * 1e-9,
        .spin_seconds = sim->spin_ns * 1e-9,
        .calls = sim->calls,
        .events = sim->events,
    };
    result.lost_seconds = (double)sim->machine->cpu.cores * result.seconds - result.core_seconds;
    if (sim->partitioner == sim->spec->partitioner)
        snprintf(result.partitioner, sizeof result.partitioner, "%s",
                 yk_dispatch_partitioner(sim->dispatch));
    else
        snprintf(result.partitioner, sizeof result.partitioner, "%s (teaches %s)",
                 yk_dispatch_partitioner(sim->dispatch), sim->spec->partitioner);
    result.predicted_seconds = yk_dispatch_predicted_ns(sim->dispatch) * 1e-9;
    snprintf(result.verdict, sizeof result.verdict, "%s", sim->verdict);
    result.devices = yk_calloc((size_t)sim->device_count, sizeof *result.devices);
    if (!result.devices)
        return YOKE_ENOMEM;
    for (int d = 0; d < sim->device_count; d++)
        collect_device(sim, d, &ran, &result.devices[d]);
    result.late = sim->spec->late;
    yk_late_note(&result.late, &ran);
    yk_simulator_teach(sim, &result.team);
    yoke_status status = adjust_shares(sim, &result);
    if (status == YOKE_OK)
        *out = result;
    else
        yk_simulate_close(&result);
    return status;
}
