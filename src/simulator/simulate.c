/* simulate.c - see simulate.h: a simulation opened from its spec, and what came of it. */
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "simulator.h"

enum { threads_max = 65536, streams_max = 64 };

/* Lanes of each GPU that threads of the cores drive; 0: GPUs have threads of their own. */
static int64_t hosts_of(const struct yk_simulate_spec *spec, int64_t streams)
{
    return spec->machine->gpu_count * streams;
}

static int64_t threads_of(const struct yk_simulate_spec *spec, int64_t streams)
{
    int64_t hosts = hosts_of(spec, streams), threads = spec->machine->cores;
    if (spec->threads > 0)
        return spec->threads;
    if (yk_partitioner_find(spec->partitioner)->hosts == YK_HOSTS_IDLE &&
        (spec->waiting == YK_SIMULATE_AUTO || spec->waiting == YK_SIMULATE_BLOCK))
        threads += hosts;
    return threads > hosts ? threads : hosts;
}

static int is_size(double value)
{
    return value >= 0 && value <= 1e18;
}

static yoke_status check_threads(const struct yk_simulate_spec *spec, int64_t streams)
{
    int64_t threads = spec->threads;
    if (streams > streams_max)
        return yk_fail(YOKE_EINVAL, "%lld streams cannot be simulated; give 1 to %d",
                       (long long)streams, (int)streams_max);
    if (threads >= 0)
        threads = threads_of(spec, streams);
    if (threads < 0 || threads > threads_max)
        return yk_fail(YOKE_EINVAL, "%lld threads cannot be simulated; give 1 to %d",
                       (long long)threads, (int)threads_max);
    if (threads < hosts_of(spec, streams))
        return yk_fail(YOKE_EINVAL,
                       "%s drives GPUs by threads of the cores, and %lld are too few for %lld "
                       "lanes of GPUs; give a thread for each",
                       spec->partitioner, (long long)threads, (long long)hosts_of(spec, streams));
    return YOKE_OK;
}

static yoke_status check(const struct yk_simulate_spec *spec, int64_t *streams)
{
    if (!spec->machine || !spec->profile)
        return yk_fail(YOKE_EINVAL, "a simulation needs a machine and a profile; give both");
    if (!is_size(spec->core_seconds) || !is_size(spec->bytes_in) || !is_size(spec->bytes_out))
        return yk_fail(YOKE_EINVAL, "an item's cost and bytes are 0 or more, 1e18 at most");
    yoke_status status = yk_machine_check(spec->machine);
    if (status == YOKE_OK)
        status = yk_partitioner_streams(spec->partitioner, streams);
    return status == YOKE_OK ? check_threads(spec, *streams) : status;
}

static struct yk_machine_job job_of(const struct yk_simulate_spec *spec)
{
    return (struct yk_machine_job){ .items = (double)spec->profile->items,
                                    .core_seconds = spec->core_seconds,
                                    .bytes_in = spec->bytes_in,
                                    .bytes_out = spec->bytes_out,
                                    .dearest = spec->profile->dearest };
}

/* --- opening --- */

static double copy_item_ns(const struct yk_simulate_spec *spec, const struct yk_machine_gpu *gpu,
                           const struct yk_learned *learned)
{
    double bytes =
        learned && learned->rate > 0 ? learned->copied_bytes : spec->bytes_in + spec->bytes_out;
    return gpu->link > 0 ? 1e9 * bytes / gpu->link : 0;
}

static double told_ns(const struct yk_machine_gpu *gpu)
{
    return gpu && gpu->told ? 1e9 * (gpu->fixed + gpu->launch) : 0;
}

/* GPUs of the same speed are one make. */
static int make_of(const struct yk_simulator *sim, int d)
{
    int first;
    for (first = 1; first < d; first++)
        if (sim->devices[first].item_ns == sim->devices[d].item_ns)
            break;
    return d > 0 ? first : 0;
}

/* What the dispatcher may know of device d, as runtime/job.c would tell it. */
static void describe(const struct yk_simulator *sim, int d, struct yk_split_device *out)
{
    const struct yk_simulate_spec *spec = sim->spec;
    const struct yk_simulated_device *device = &sim->devices[d];
    const struct yk_machine_gpu *gpu = device->gpu;
    const struct yk_learned *learned = spec->learned ? &spec->learned[d] : NULL;
    *out = (struct yk_split_device){ .name = gpu ? gpu->name : "cpu",
                                     .lanes = device->lane_count,
                                     .host_memory = !gpu,
                                     .cores = gpu ? 0 : (int)spec->machine->cores,
                                     .fill = gpu ? gpu->fill : device->lane_count,
                                     .fixed_ns = told_ns(gpu),
                                     .peak =
                                         (gpu ? 1 : (double)spec->machine->cores) / device->item_ns,
                                     .make = make_of(sim, d),
                                     .share = -1 };
    if (learned)
        yk_learned_tell(learned, out);
    if (gpu)
        out->copy_item_ns = copy_item_ns(spec, gpu, learned);
    if (out->copy_item_ns > 0)
        out->busier_part =
            fmax(spec->bytes_in, spec->bytes_out) / (spec->bytes_in + spec->bytes_out);
    if (gpu && sim->streams > 0) {
        out->hosts = device->lane_count;
        out->host_lane = sim->lanes[device->first_lane].partner;
    }
}

static void open_device(struct yk_simulator *sim, int d, const struct yk_machine_job *job)
{
    struct yk_simulated_device *device = &sim->devices[d];
    const struct yk_machine *machine = sim->machine;
    const struct yk_machine_gpu *gpu = d > 0 ? &machine->gpus[d - 1] : NULL;
    double rate =
        gpu ? yk_machine_gpu_rate(machine, job, d - 1) : yk_machine_core_rate(machine, job);
    *device = (struct yk_simulated_device){ .gpu = gpu,
                                            .loads = gpu ? &gpu->loads : &machine->loads,
                                            .first_lane = sim->lane_count,
                                            .lane_count = sim->threads,
                                            .speed = 1,
                                            .load = 1,
                                            .item_ns = 1e9 / rate,
                                            .queue_first = -1,
                                            .runs = -1 };
    device->noise = (uint64_t)machine->seed * 1000003u + (uint64_t)d;
    if (gpu)
        device->lane_count = sim->streams > 0 ? sim->streams : (int)gpu->lanes;
    for (int i = 0; i < device->lane_count; i++)
        sim->lanes[sim->lane_count++] = (struct yk_simulated_lane){ .device = d,
                                                                    .number = i,
                                                                    .doing = YK_LANE_ASKS,
                                                                    .before = -1,
                                                                    .after = -1,
                                                                    .partner = -1 };
}

/* The last threads drive the GPUs' lanes, one each, in order. */
static void pair_up(struct yk_simulator *sim)
{
    int core = sim->threads - (sim->lane_count - sim->threads);
    for (int lane = sim->threads; sim->streams > 0 && lane < sim->lane_count; lane++, core++) {
        sim->lanes[lane].partner = core;
        sim->lanes[core].partner = lane;
    }
}

static yoke_status open_lanes(struct yk_simulator *sim)
{
    struct yk_machine_job job = job_of(sim->spec);
    size_t lanes = (size_t)sim->threads;
    for (int g = 0; g < sim->machine->gpu_count; g++)
        lanes += (size_t)(sim->streams > 0 ? sim->streams : sim->machine->gpus[g].lanes);
    sim->devices = yk_calloc((size_t)sim->device_count, sizeof *sim->devices);
    sim->known = yk_calloc((size_t)sim->device_count, sizeof *sim->known);
    sim->lanes = yk_calloc(lanes, sizeof *sim->lanes);
    if (!sim->devices || !sim->known || !sim->lanes)
        return YOKE_ENOMEM;
    for (int d = 0; d < sim->device_count; d++)
        open_device(sim, d, &job);
    pair_up(sim);
    for (int d = 0; d < sim->device_count; d++)
        describe(sim, d, &sim->known[d]);
    if (sim->spec->learned && yk_partitioner_needs_lessons(sim->partitioner))
        yk_learned_lines(sim->spec->learned, sim->known, sim->device_count);
    yoke_status status = yk_heap_open(&sim->timers, sim->lane_count + sim->device_count);
    if (status == YOKE_OK)
        status = yk_heap_open(&sim->clocks, sim->device_count);
    if (status == YOKE_OK)
        status = yk_heap_open(&sim->targets, sim->threads);
    return status == YOKE_OK ? yk_pieces_open(sim->threads, &sim->pieces) : status;
}

static void close_simulator(struct yk_simulator *sim)
{
    yk_dispatch_close(sim->dispatch);
    yk_pieces_close(&sim->pieces);
    yk_heap_close(&sim->targets);
    yk_heap_close(&sim->clocks);
    yk_heap_close(&sim->timers);
    yk_free(sim->lanes);
    yk_free(sim->known);
    yk_free(sim->devices);
}

static int knows_enough(const struct yk_simulate_spec *spec)
{
    return spec->learned && yk_learned_suffices(spec->learned, 1 + spec->machine->gpu_count);
}

static yoke_status open_simulator(const struct yk_simulate_spec *spec, int64_t streams,
                                  struct yk_simulator *sim)
{
    struct yk_split_spec split = {
        .last = spec->profile->items,
        .unit = spec->unit > 0 ? spec->unit : 1,
        .adjust = spec->adjust,
    };
    *sim = (struct yk_simulator){ .spec = spec,
                                  .machine = spec->machine,
                                  .partitioner = spec->partitioner,
                                  .device_count = 1 + spec->machine->gpu_count,
                                  .threads = (int)threads_of(spec, streams),
                                  .streams = (int)streams,
                                  .waiting_first = -1,
                                  .waiting_last = -1,
                                  .free_items = spec->profile->items,
                                  .pace = 1 };
    if (yk_partitioner_needs_lessons(spec->partitioner) && !knows_enough(spec))
        sim->partitioner = NULL;
    yoke_status status = open_lanes(sim);
    split.partitioner = sim->partitioner;
    split.devices = sim->known;
    split.device_count = sim->device_count;
    if (status == YOKE_OK) {
        yk_simulator_call(sim);
        status = yk_dispatch_open(&split, &sim->dispatch);
    }
    if (status != YOKE_OK)
        close_simulator(sim);
    return status;
}

/* --- what came of it --- */

/* What was learned before stays where this run taught nothing. */
static struct yk_learned learned_before(const struct yk_simulator *sim, int d)
{
    struct yk_learned learned;
    if (sim->spec->learned)
        return sim->spec->learned[d];
    yk_learned_open(&learned);
    return learned;
}

/* All of the job but what is each device's own. */
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
        job.tells_lines &= !sim->devices[d].failed;
    }
    return job;
}

static void learn(const struct yk_simulator *sim, int d, const struct yk_split_outcome *outcome,
                  const struct yk_learned_job *ran, struct yk_learned *out)
{
    const struct yk_machine_gpu *gpu = sim->devices[d].gpu;
    struct yk_learned_job job = *ran;
    job.told_ns = told_ns(gpu);
    job.everybodys =
        sim->spec->alone == 0 && yk_team_only(sim->asked) < 0 && yk_simulator_asks(sim, d);
    job.forgives = gpu != NULL && !job.by_lines;
    *out = learned_before(sim, d);
    yk_learned_note(out, outcome, &job);
}

/* As runtime/end.c does it. */
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

static void collect_device(const struct yk_simulator *sim, int d, const struct yk_learned_job *ran,
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
    learn(sim, d, &outcome, ran, &out->learned);
}

static yoke_status collect(const struct yk_simulator *sim, struct yk_simulate_result *out)
{
    struct yk_machine_job job = job_of(sim->spec);
    const struct yk_learned_job ran = what_ran(sim);
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
    result.lost_seconds = (double)sim->machine->cores * result.seconds - result.core_seconds;
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
    yk_simulator_teach(sim, &result.team);
    yoke_status status = adjust_shares(sim, &result);
    if (status == YOKE_OK)
        *out = result;
    else
        yk_simulate_close(&result);
    return status;
}

yoke_status yk_simulate(const struct yk_simulate_spec *spec, struct yk_simulate_result *out)
{
    struct yk_simulator sim;
    int64_t streams;
    yoke_status status = check(spec, &streams);
    if (status == YOKE_OK)
        status = open_simulator(spec, streams, &sim);
    if (status != YOKE_OK)
        return status;
    yk_simulator_run(&sim);
    status = collect(&sim, out);
    close_simulator(&sim);
    return status;
}

void yk_simulate_close(struct yk_simulate_result *result)
{
    yk_free(result->devices);
    result->devices = NULL;
}
