/* simulation_timeline.c - the timeline of a simulated job's last run. */
#include <stdio.h>

#include "../base/alloc.h"
#include "../trace/trace.h"
#include "simulation.h"

struct timeline {
    struct yk_trace *trace;
    int *tracks; /* first track of each device; the tracks of its lanes follow each other */
    const char *name;
    yoke_status status;
};

/* Events: most in all tracks together; fewest and usual number per track. */
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

static yoke_status open_timeline(const struct yk_series *series,
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

/* Repeats the last run and records it. The first time the number of lanes was not known yet. */
yoke_status yk_series_write_timeline(struct yk_series *series,
                                     const struct yk_simulate_result *before)
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
