/* simulation_job.c - the runs of one job: only the dispatcher and a partitioner, on a virtual clock
 * (src/simulator). Every later run has what the earlier ones taught, and its own noise. */
#include "../base/alloc.h"
#include "../base/status.h"
#include "simulation.h"

static yoke_status open_jobs(struct yk_series *series, int only)
{
    const yoke_simulation *asked = series->asked;
    series->spec = (struct yk_simulate_spec){ .machine = series->machine,
                                              .profile = &series->profile,
                                              .unit = asked->unit,
                                              .partitioner = asked->partitioner,
                                              .threads = asked->threads,
                                              .waiting = (enum yk_simulate_waiting)asked->waiting,
                                              .core_seconds = asked->core_seconds,
                                              .bytes_in = asked->bytes_in,
                                              .bytes_out = asked->bytes_out,
                                              .alone = only + 1 };
    series->learned = yk_calloc(1 + (size_t)series->machine->gpu_count, sizeof *series->learned);
    return series->learned ? YOKE_OK : YOKE_ENOMEM;
}

static void close_jobs(struct yk_series *series)
{
    yk_free(series->learned);
    series->learned = NULL;
}

/* Takes what a run taught, and closes its result. */
static void learn(struct yk_series *series, struct yk_simulate_result *result)
{
    for (int d = 0; d < result->device_count; d++)
        series->learned[d] = result->devices[d].learned;
    series->team = result->team;
    series->adjust = result->adjust;
    series->spec.late = result->late;
    yk_simulate_close(result);
}

static void count_traffic(struct yk_series *series, const struct yk_simulate_result *result)
{
    series->traffic = (yoke_traffic){ .to_devices = 0 };
    for (int d = 1; d < result->device_count; d++) {
        const double items = (double)result->devices[d].items;
        series->traffic.to_devices += (int64_t)(items * series->asked->bytes_in);
        series->traffic.from_devices += (int64_t)(items * series->asked->bytes_out);
    }
}

static yoke_status run_job(struct yk_series *series, int number, struct yk_simulate_result *result)
{
    if (number > 0)
        learn(series, result);
    series->machine->cpu.seed = series->seed + number;
    series->spec.learned = number > 0 ? series->learned : NULL;
    series->spec.team = number > 0 ? &series->team : NULL;
    series->spec.adjust = number > 0 ? &series->adjust : NULL;
    yoke_status status = yk_simulate(&series->spec, result);
    if (status != YOKE_OK)
        return status;
    if (!result->verdict[0]) {
        count_traffic(series, result);
        return YOKE_OK;
    }
    status = yk_fail(YOKE_EDEVICE, "the simulated job ended after %g s with items left: %s",
                     result->seconds, result->verdict);
    yk_simulate_close(result);
    return status;
}

const struct yk_series_kind yk_series_of_jobs = {
    .open = open_jobs, .run = run_job, .write = yk_series_write_timeline, .close = close_jobs
};
