/* trace_state.h - a trace's internals, for the writers (chrome.c, html.c).
 *
 * Tracks are added while other threads record, so their table does not move: it has room for the
 * maximum. A ring holds the events with numbers from (count - capacity) on; event n is at place n %
 * capacity.
 */
#ifndef YK_TRACE_TRACE_STATE_H
#define YK_TRACE_TRACE_STATE_H

#include <stdatomic.h>
#include <stdio.h>

#include "../platform/thread.h"
#include "trace.h"

enum { yk_tracks_max = 8192, yk_name_buckets = 256 };

struct yk_track {
    const char *device, *label; /* interned: one device, one pointer */
    atomic_uint_fast64_t count; /* events ever added */
    struct yk_trace_event *events;
};

struct yk_name {
    struct yk_name *next;
    char text[];
};

struct yk_trace {
    yk_mutex lock; /* adding tracks and names */
    int64_t start_ns;
    size_t capacity; /* of each ring */
    atomic_int track_count;
    struct yk_track *tracks[yk_tracks_max];
    _Atomic(struct yk_name *) names[yk_name_buckets]; /* grow at their heads, never shrink */
};

/* Numbers of a track's events that are still in its ring: first .. last - 1. */
struct yk_event_span {
    uint64_t first, last;
};
struct yk_event_span yk_track_span(const struct yk_trace *trace, const struct yk_track *track);

/* Position of the first track of the same device. */
int yk_track_device(const struct yk_trace *trace, int track);

/* Zero of the timeline: the start of recording, or the first event if that is earlier (recording
 * began before a virtual clock took over). */
int64_t yk_trace_zero(const struct yk_trace *trace);

/* --- chrome.c, html.c: errors are kept by the stream --- */
void yk_trace_put_chrome(const struct yk_trace *trace, FILE *stream);
void yk_trace_put_page(const struct yk_trace *trace, FILE *stream);

#endif
