/* simulate.c - see simulate.h: opens a simulation from its spec. */
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "simulator.h"

enum { threads_max = 65536, streams_max = 64 };

/* Number of GPU lanes that threads of the cores drive; 0: GPUs have their own threads. */
static int64_t hosts_of(const struct yk_simulate_spec *spec, int64_t streams)
{
    return spec->machine->gpu_count * streams;
}

static int64_t threads_of(const struct yk_simulate_spec *spec, int64_t streams)
{
    int64_t hosts = hosts_of(spec, streams), threads = spec->machine->cpu.cores;
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

struct yk_machine_job yk_simulator_job(const struct yk_simulate_spec *spec)
{
    return (struct yk_machine_job){ .items = (double)spec->profile->items,
                                    .core_seconds = spec->core_seconds,
                                    .bytes_in = spec->bytes_in,
                                    .bytes_out = spec->bytes_out,
                                    .dearest = spec->profile->dearest };
}

/* --- opening --- */

static double copy_item_ns(const struct yk_simulate_spec *spec, const struct yk_machine_device *gpu,
                           const struct yk_learned *learned)
{
    double bytes =
        learned && learned->rate > 0 ? learned->copied_bytes : spec->bytes_in + spec->bytes_out;
    return gpu->link > 0 ? 1e9 * bytes / gpu->link : 0;
}

double yk_simulator_told_ns(const struct yk_machine_device *gpu)
{
    return gpu && gpu->told ? 1e9 * (gpu->fixed + gpu->launch) : 0;
}

/* GPUs of the same speed have the same make. */
static int make_of(const struct yk_simulator *sim, int d)
{
    int first;
    for (first = 1; first < d; first++)
        if (sim->devices[first].item_ns == sim->devices[d].item_ns)
            break;
    return d > 0 ? first : 0;
}

/* What the dispatcher may know of device d, as job/job.c would tell it. */
static void describe(const struct yk_simulator *sim, int d, struct yk_split_device *out)
{
    const struct yk_simulate_spec *spec = sim->spec;
    const struct yk_simulated_device *device = &sim->devices[d];
    const struct yk_machine_device *gpu = device->gpu;
    const struct yk_learned *learned = spec->learned ? &spec->learned[d] : NULL;
    *out = (struct yk_split_device){
        .name = gpu ? gpu->name : "cpu",
        .lanes = device->lane_count,
        .host_memory = !gpu,
        .cores = gpu ? 0 : (int)spec->machine->cpu.cores,
        .fill = gpu ? gpu->fill : device->lane_count,
        .lane_fill = gpu ? 0 : device->model->fill,
        .fixed_ns = yk_simulator_told_ns(gpu),
        .peak = (gpu ? gpu->peak : spec->machine->cpu.peak * (double)spec->machine->cpu.cores) /
                device->item_ns,
        .make = make_of(sim, d),
        .share = -1
    };
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
    if (spec->know)
        spec->know(spec->context, d, out);
}

static void open_device(struct yk_simulator *sim, int d, const struct yk_machine_job *job)
{
    struct yk_simulated_device *device = &sim->devices[d];
    const struct yk_machine *machine = sim->machine;
    const struct yk_machine_device *gpu = d > 0 ? &machine->gpus[d - 1] : NULL;
    double rate =
        gpu ? yk_machine_gpu_rate(machine, job, d - 1) : yk_machine_core_rate(machine, job);
    *device = (struct yk_simulated_device){ .model = gpu ? gpu : &machine->cpu,
                                            .gpu = gpu,
                                            .first_lane = sim->lane_count,
                                            .lane_count = sim->threads,
                                            .speed = 1,
                                            .load = 1,
                                            .item_ns = 1e9 / rate,
                                            .queue_first = -1,
                                            .runs = -1 };
    device->noise = (uint64_t)machine->cpu.seed * 1000003u + (uint64_t)d;
    if (gpu)
        device->lane_count = sim->streams > 0 ? sim->streams : (int)gpu->lanes;
    for (int i = 0; i < device->lane_count; i++)
        sim->lanes[sim->lane_count++] = (struct yk_simulated_lane){ .device = d,
                                                                    .number = i,
                                                                    .doing = YK_LANE_ASKS,
                                                                    .before = -1,
                                                                    .after = -1,
                                                                    .slot = -1,
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
    struct yk_machine_job job = yk_simulator_job(sim->spec);
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
    return status == YOKE_OK ? yk_leases_open(sim->threads, &sim->leases) : status;
}

static void close_simulator(struct yk_simulator *sim)
{
    yk_dispatch_close(sim->dispatch);
    yk_leases_close(&sim->leases);
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
        .first = spec->first,
        .last = spec->first + spec->profile->items,
        .unit = spec->unit > 0 ? spec->unit : 1,
        .adjust = spec->adjust,
        .late = yk_late_typical(&spec->late),
        .all_or_nothing = spec->all_or_nothing,
    };
    *sim = (struct yk_simulator){ .spec = spec,
                                  .machine = spec->machine,
                                  .partitioner = spec->partitioner,
                                  .device_count = 1 + spec->machine->gpu_count,
                                  .threads = (int)threads_of(spec, streams),
                                  .streams = (int)streams,
                                  .waiting_first = -1,
                                  .waiting_last = -1,
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
    status = yk_simulator_collect(&sim, out);
    close_simulator(&sim);
    return status;
}

void yk_simulate_close(struct yk_simulate_result *result)
{
    yk_free(result->devices);
    result->devices = NULL;
}
