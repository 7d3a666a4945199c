/* simulation.c - the public interface of src/simulator. It reads texts into a machine and a
 * profile, makes several runs that learn from each other, and returns their result in one block of
 * memory, and the last run's timeline. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yoke/simulate.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../simulator/simulate.h"
#include "../trace/trace.h"

/* Freed by yoke_simulated_close. The public part must be first. */
struct simulated {
    yoke_simulated result;
    double *runs;
    yoke_simulated_device *devices;
    struct yk_simulate_result last;
    struct yk_machine machine; /* contains the names of the GPUs */
};

struct series { /* the runs of one simulation, one after the other */
    const yoke_simulation *asked;
    struct yk_machine *machine;
    struct yk_profile profile;
    struct yk_simulate_spec spec;
    struct yk_learned *learned; /* what was learned about each device */
    struct yk_team team;        /* what was learned about teams */
    struct yk_adjust adjust;    /* adjustments of shares */
    int64_t seed;
};

/* --- the timeline --- */

struct timeline {
    struct yk_trace *trace;
    int *tracks; /* first track of each device; the tracks of its lanes follow each other */
    const char *name;
    yoke_status status;
};

enum { events_most = 1 << 24, events_least = 1024, events_usual = 65536 };

static const enum yk_trace_kind trace_kinds[] = { [YK_SIMULATE_CHUNK] = YK_TRACE_CHUNK,
                                                  [YK_SIMULATE_COPY_IN] = YK_TRACE_COPY_IN,
                                                  [YK_SIMULATE_COPY_OUT] = YK_TRACE_COPY_OUT };

static void record(void *context, const struct yk_simulate_span *span)
{
    const struct timeline *timeline = context;
    struct yk_trace_event event = { .start_ns = span->start_ns,
                                    .end_ns = span->end_ns,
                                    .first = span->first,
                                    .last = span->last,
                                    .bytes = span->bytes,
                                    .name = timeline->name,
                                    .reason = span->reason };
    if (span->kind == YK_SIMULATE_DONE)
        return;
    event.kind = trace_kinds[span->kind];
    yk_trace_add(timeline->trace, timeline->tracks[span->device] + span->lane, &event);
}

/* Makes tracks as in a runtime (tracing.c), with the lanes of the run before. */
static yoke_status open_tracks(struct timeline *timeline, const struct yk_simulate_result *before)
{
    yoke_status status = YOKE_OK;
    char label[32];
    int track;
    for (int d = 0; d < before->device_count && status == YOKE_OK; d++)
        for (int lane = 0; lane < before->devices[d].lanes && status == YOKE_OK; lane++) {
            snprintf(label, sizeof label, "%s %d", d == 0 ? "core" : "queue", lane);
            status = yk_trace_track(timeline->trace, before->devices[d].name, label, &track);
            if (lane == 0)
                timeline->tracks[d] = track;
        }
    return status;
}

static yoke_status open_timeline(const struct series *series,
                                 const struct yk_simulate_result *before, struct timeline *out)
{
    struct yk_trace_spec spec = { .events_per_track = events_most };
    struct timeline timeline = { .trace = NULL };
    int64_t lanes = 1;
    for (int d = 0; d < before->device_count; d++)
        lanes += before->devices[d].lanes;
    spec.events_per_track /= (size_t)lanes;
    if (spec.events_per_track > events_usual)
        spec.events_per_track = events_usual;
    if (spec.events_per_track < events_least)
        spec.events_per_track = events_least;
    timeline.tracks = yk_calloc((size_t)before->device_count, sizeof *timeline.tracks);
    if (!timeline.tracks)
        return YOKE_ENOMEM;
    yoke_status status = yk_trace_open(&spec, &timeline.trace);
    if (status == YOKE_OK) {
        timeline.name = yk_trace_name(timeline.trace,
                                      series->asked->profile ? series->asked->profile : "regular");
        status = timeline.name ? open_tracks(&timeline, before) : YOKE_ENOMEM;
    }
    if (status == YOKE_OK) {
        *out = timeline;
        return YOKE_OK;
    }
    yk_trace_close(timeline.trace);
    yk_free(timeline.tracks);
    return status;
}

/* Repeats the last run and records it: only a run shows the number of lanes. */
static yoke_status write_timeline(struct series *series, const struct yk_simulate_result *before)
{
    struct timeline timeline;
    struct yk_simulate_result again;
    yoke_status status = open_timeline(series, before, &timeline);
    if (status != YOKE_OK)
        return status;
    series->spec.span = record;
    series->spec.context = &timeline;
    status = yk_simulate(&series->spec, &again);
    series->spec.span = NULL;
    if (status == YOKE_OK) {
        status = yk_trace_write(timeline.trace, series->asked->trace);
        yk_simulate_close(&again);
    }
    yk_trace_close(timeline.trace);
    yk_free(timeline.tracks);
    return status;
}

/* --- runs --- */

static yoke_status run_once(struct series *series, int number, struct yk_simulate_result *out)
{
    series->machine->cpu.seed = series->seed + number;
    series->spec.learned = number > 0 ? series->learned : NULL;
    series->spec.team = number > 0 ? &series->team : NULL;
    series->spec.adjust = number > 0 ? &series->adjust : NULL;
    yoke_status status = yk_simulate(&series->spec, out);
    if (status != YOKE_OK || !out->verdict[0])
        return status;
    status = yk_fail(YOKE_EDEVICE, "the simulated job ended after %g s with items left: %s",
                     out->seconds, out->verdict);
    yk_simulate_close(out);
    return status;
}

/* Makes all runs. *last is the last run's result, and series->learned what was learned before it.
 */
static yoke_status run_series(struct series *series, double *seconds, int count,
                              struct yk_simulate_result *last)
{
    for (int run = 0; run < count; run++) {
        yoke_status status = run_once(series, run, last);
        if (status != YOKE_OK)
            return status;
        seconds[run] = last->seconds;
        if (run + 1 == count)
            break;
        for (int d = 0; d < last->device_count; d++)
            series->learned[d] = last->devices[d].learned;
        series->team = last->team;
        series->adjust = last->adjust;
        series->spec.late = last->late;
        yk_simulate_close(last);
    }
    return YOKE_OK;
}

static double run_alone(struct series *series, double *seconds, int device)
{
    struct yk_simulate_result last;
    int count = series->asked->runs > 0 ? series->asked->runs : 1;
    series->spec.alone = device + 1;
    yoke_status status = run_series(series, seconds, count, &last);
    series->spec.alone = 0;
    if (status != YOKE_OK)
        return NAN;
    yk_simulate_close(&last);
    return seconds[count - 1];
}

static void fill_device(const struct series *series, int d, struct simulated *made)
{
    const struct yk_simulate_device *from = &made->last.devices[d];
    double items = (double)from->items;
    made->devices[d] = (yoke_simulated_device){ .name = from->name,
                                                .lanes = from->lanes,
                                                .items = from->items,
                                                .chunks = from->chunks,
                                                .share = items / (double)series->asked->items,
                                                .busy_seconds = from->busy_seconds,
                                                .alone_seconds = NAN,
                                                .reason = from->reason };
    if (d > 0) {
        made->result.to_devices += (int64_t)(items * series->asked->bytes_in);
        made->result.from_devices += (int64_t)(items * series->asked->bytes_out);
    }
}

static void fill(const struct series *series, int runs, struct simulated *made)
{
    const struct yk_simulate_result *last = &made->last;
    made->result = (yoke_simulated){ .runs = made->runs,
                                     .run_count = runs,
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
                                     .devices = made->devices,
                                     .device_count = last->device_count };
    for (int d = 0; d < last->device_count; d++)
        fill_device(series, d, made);
}

/* Fills in `made` except its machine. The caller closes both, also after an error. */
static yoke_status run_all(struct series *series, struct simulated *made)
{
    int runs = series->asked->runs > 0 ? series->asked->runs : 1;
    int devices = 1 + made->machine.gpu_count;
    made->runs = yk_calloc((size_t)runs + (size_t)runs, sizeof *made->runs);
    made->devices = yk_calloc((size_t)devices, sizeof *made->devices);
    series->learned = yk_calloc((size_t)devices, sizeof *series->learned);
    if (!made->runs || !made->devices || !series->learned)
        return YOKE_ENOMEM;
    yoke_status status = run_series(series, made->runs, runs, &made->last);
    if (status != YOKE_OK)
        return status;
    fill(series, runs, made);
    if (series->asked->trace)
        status = write_timeline(series, &made->last);
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

yoke_status yoke_simulate(const yoke_simulation *asked, yoke_simulated **out)
{
    struct series series = { .asked = asked };
    struct simulated *made;
    if (!asked || !out)
        return yk_fail(YOKE_EINVAL, "yoke_simulate: %s is NULL; give both",
                       asked ? "out" : "the simulation");
    yoke_status status = check(asked);
    if (status != YOKE_OK)
        return status;
    made = yk_calloc(1, sizeof *made);
    if (!made)
        return YOKE_ENOMEM;
    status = yk_machine_parse(asked->machine, YK_MACHINE_JOB, &made->machine);
    if (status == YOKE_OK)
        status = open_profile(asked, &series.profile);
    series.machine = &made->machine;
    series.seed = asked->seed ? asked->seed : made->machine.cpu.seed;
    series.spec = (struct yk_simulate_spec){ .machine = &made->machine,
                                             .profile = &series.profile,
                                             .unit = asked->unit,
                                             .partitioner = asked->partitioner,
                                             .threads = asked->threads,
                                             .waiting = (enum yk_simulate_waiting)asked->waiting,
                                             .core_seconds = asked->core_seconds,
                                             .bytes_in = asked->bytes_in,
                                             .bytes_out = asked->bytes_out };
    if (status == YOKE_OK)
        status = run_all(&series, made);
    yk_free(series.learned);
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
