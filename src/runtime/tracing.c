/* tracing.c - a runtime's timeline: track 0 shows jobs; then there is one track per lane. */

#include "tracing.h"

#include <stdio.h>

#include "../base/alloc.h"

yoke_status yk_runtime_open_tracks(yoke_runtime *runtime, struct yk_runtime_device *device)
{
    const struct yk_device_desc *desc = &device->device->desc;
    yoke_status status = YOKE_OK;
    char label[32];
    int lane;
    device->place->exchange.timed = 1;
    device->tracks = yk_calloc((size_t)device->lanes, sizeof *device->tracks);
    if (!device->tracks)
        return YOKE_ENOMEM;
    for (lane = 0; lane < device->lanes && status == YOKE_OK; lane++) {
        snprintf(label, sizeof label, "%s %d", desc->host_memory ? "core" : "queue", lane);
        status = yk_trace_track(runtime->trace, desc->name, label, &device->tracks[lane]);
    }
    return status;
}

yoke_status yk_runtime_open_trace(yoke_runtime *runtime)
{
    struct yk_trace_spec spec = { .start_ns = yk_now(runtime) };
    int d, track, count = atomic_load(&runtime->device_count);
    struct yk_trace *trace;
    yoke_status status = yk_trace_open(&spec, &trace);
    if (status != YOKE_OK)
        return status;
    runtime->trace = trace;
    status = yk_trace_track(trace, "jobs", "all", &track);
    for (d = 0; d < count && status == YOKE_OK; d++)
        status = yk_runtime_open_tracks(runtime, &runtime->devices[d]);
    if (status != YOKE_OK) {
        runtime->trace = NULL;
        yk_trace_close(trace);
    }
    return status;
}
