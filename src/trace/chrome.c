/* chrome.c - the trace event format of Chrome and Perfetto: a process per device, a thread per
 * track, one complete event ("X") for everything that took time. Times in microseconds.
 */
#include <inttypes.h>

#include "trace_state.h"

static const char *const categories[] = {
    [YK_TRACE_CHUNK] = "chunk",
    [YK_TRACE_COPY_IN] = "copy in",
    [YK_TRACE_COPY_OUT] = "copy out",
    [YK_TRACE_BUILD] = "build",
    [YK_TRACE_MERGE] = "merge",
    [YK_TRACE_JOB] = "job",
    [YK_TRACE_COPY_ACROSS] = "copy across",
};

/* Nanoseconds as microseconds, with a point in every locale. */
static void put_time(FILE *stream, const char *key, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    fprintf(stream, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "", size / 1000,
            (unsigned)(size % 1000));
}

static void put_heading(const struct yk_trace *trace, FILE *stream, int number)
{
    const struct yk_track *track = trace->tracks[number];
    int device = yk_track_device(trace, number);
    if (device == number) {
        fprintf(stream,
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":", device);
        yk_trace_put_text(stream, track->device);
        fputs("}},\n", stream);
    }
    fprintf(stream,
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":",
            device, number);
    yk_trace_put_text(stream, track->label);
    fputs("}}", stream);
}

struct place { /* of a track in the file */
    int process, thread;
    int64_t zero;
};

static void put_event(FILE *stream, const struct place *place, const struct yk_trace_event *event)
{
    fputs(",\n{\"ph\":\"X\",\"name\":", stream);
    yk_trace_put_text(stream, event->name);
    fprintf(stream, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d", categories[event->kind],
            place->process, place->thread);
    put_time(stream, "ts", event->start_ns - place->zero);
    put_time(stream, "dur", event->end_ns - event->start_ns);
    fprintf(stream,
            ",\"args\":{\"job\":%" PRIu32 ",\"first\":%" PRId64 ",\"last\":%" PRId64
            ",\"bytes\":%" PRId64 ",\"reason\":",
            event->job, event->first, event->last, event->bytes);
    yk_trace_put_text(stream, event->reason);
    fputs("}}", stream);
}

void yk_trace_put_chrome(const struct yk_trace *trace, FILE *stream)
{
    int t, count = atomic_load(&trace->track_count);
    int64_t zero = yk_trace_zero(trace);
    uint64_t lost = 0;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", stream);
    for (t = 0; t < count && !ferror(stream); t++) {
        const struct yk_track *track = trace->tracks[t];
        struct yk_event_span span = yk_track_span(trace, track);
        struct place place = { yk_track_device(trace, t), t, zero };
        uint64_t n;
        lost += span.first;
        fputs(t ? ",\n" : "", stream);
        put_heading(trace, stream, t);
        for (n = span.first; n < span.last && !ferror(stream); n++)
            put_event(stream, &place, &track->events[n % trace->capacity]);
    }
    fprintf(stream, "\n],\"otherData\":{\"overwritten\":%" PRIu64 "}}\n", lost);
}
