/* trace.h - what ran where and when: one ring of events per track, written as a timeline.
 *
 * A track belongs to one thread at a time (a CPU lane, a device's queue), so recording takes no
 * lock. When a ring is full, the oldest events are overwritten and counted. If tracing is off
 * (trace NULL), it costs one test.
 */
#ifndef YK_TRACE_TRACE_H
#define YK_TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

enum yk_trace_kind {
    YK_TRACE_CHUNK,    /* kernel on items first .. last - 1 */
    YK_TRACE_COPY_IN,  /* rows to a device */
    YK_TRACE_COPY_OUT, /* rows to the host */
    YK_TRACE_BUILD,    /* compiling a kernel */
    YK_TRACE_MERGE,
    YK_TRACE_JOB,        /* whole job, on track 0 */
    YK_TRACE_COPY_ACROSS /* rows to a device from others */
};

struct yk_trace_event {
    int64_t start_ns, end_ns;
    int64_t first, last; /* items or rows */
    int64_t bytes;       /* moved; 0 for kernels */
    const char *name;    /* kernel's or array's name; interned by yk_trace_name */
    const char *reason;  /* static, may be NULL */
    uint32_t job;        /* number of the job in the runtime */
    enum yk_trace_kind kind;
};

struct yk_trace;

struct yk_trace_spec {
    int64_t start_ns;        /* zero of the timeline, in ns of yk_clock_ns or virtual time */
    size_t events_per_track; /* 0: 65536 */
};
yoke_status yk_trace_open(const struct yk_trace_spec *spec, struct yk_trace **out);
void yk_trace_close(struct yk_trace *trace);
/* A new track, shown under `device` as `label` ("core 3", "queue 0"). Thread-safe; the number goes
 * to *track. */
yoke_status yk_trace_track(struct yk_trace *trace, const char *device, const char *label,
                           int *track);
/* A copy of `name` that lives as long as the trace (same text, same pointer). Thread-safe. NULL if
 * out of memory. */
const char *yk_trace_name(struct yk_trace *trace, const char *name);
void yk_trace_add(struct yk_trace *trace, int track, const struct yk_trace_event *event);
/* Writes ".json" (Chrome trace event format, for Perfetto or chrome://tracing) or ".html" (one
 * self-contained page that draws itself: a lane per track, colours by kind, zoom, hover with
 * values, a table of each device's busy time). No thread may record meanwhile. YOKE_EIO with the
 * path if it cannot be written completely (no incomplete file stays). */
yoke_status yk_trace_write(const struct yk_trace *trace, const char *path);

/* A JSON string with its quotes, which is also safe inside an HTML script. Bytes that are not valid
 * UTF-8 become U+FFFD; NULL is "". */
void yk_trace_put_text(FILE *stream, const char *text);

#endif
