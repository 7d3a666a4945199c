/* trace.c - rings of events, one per track, and the names they refer to.
 *
 * Recording is a store into the track's ring and a release of its count: 5 to 10 ns. Names are
 * looked up without a lock (lists that only grow at their heads) and added under one. Rings are
 * zeroed memory of the system, which gets pages only as it is written.
 */
#include "trace.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "trace_state.h"

enum { default_events = 65536 };

yoke_status yk_trace_open(const struct yk_trace_spec *spec, struct yk_trace **out)
{
    yoke_status status;
    struct yk_trace *trace = yk_calloc(1, sizeof *trace);
    if (!trace)
        return YOKE_ENOMEM;
    status = yk_mutex_open(&trace->lock);
    if (status != YOKE_OK) {
        yk_free(trace);
        return status;
    }
    trace->start_ns = spec->start_ns;
    trace->capacity = spec->events_per_track ? spec->events_per_track : default_events;
    *out = trace;
    return YOKE_OK;
}

void yk_trace_close(struct yk_trace *trace)
{
    int t, count, bucket;
    if (!trace)
        return;
    count = atomic_load(&trace->track_count);
    for (t = 0; t < count; t++) {
        yk_free(trace->tracks[t]->events);
        yk_free(trace->tracks[t]);
    }
    for (bucket = 0; bucket < yk_name_buckets; bucket++) {
        struct yk_name *name = atomic_load(&trace->names[bucket]);
        while (name) {
            struct yk_name *next = name->next;
            yk_free(name);
            name = next;
        }
    }
    yk_mutex_close(&trace->lock);
    yk_free(trace);
}

static struct yk_track *open_track(struct yk_trace *trace, const char *device, const char *label)
{
    struct yk_track *track = yk_calloc(1, sizeof *track);
    if (!track)
        return NULL;
    track->device = yk_trace_name(trace, device);
    track->label = yk_trace_name(trace, label);
    track->events = yk_calloc(trace->capacity, sizeof *track->events);
    if (track->device && track->label && track->events)
        return track;
    yk_free(track->events);
    yk_free(track);
    return NULL;
}

yoke_status yk_trace_track(struct yk_trace *trace, const char *device, const char *label,
                           int *track)
{
    int number;
    struct yk_track *fresh = open_track(trace, device, label);
    if (!fresh)
        return YOKE_ENOMEM;
    yk_lock(&trace->lock);
    number = atomic_load(&trace->track_count);
    if (number < yk_tracks_max) {
        trace->tracks[number] = fresh;
        /* release: pairs with the load in yk_trace_add, so that the entry is there */
        atomic_store_explicit(&trace->track_count, number + 1, memory_order_release);
    }
    yk_unlock(&trace->lock);
    if (number < yk_tracks_max) {
        *track = number;
        return YOKE_OK;
    }
    yk_free(fresh->events);
    yk_free(fresh);
    return yk_fail(YOKE_EINVAL,
                   "%s %s: a timeline has at most %d tracks; record fewer devices, or fewer of "
                   "their lanes",
                   device, label, (int)yk_tracks_max);
}

static unsigned bucket_of(const char *text)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash % yk_name_buckets;
}

static const char *find_name(const struct yk_name *name, const char *text)
{
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    return name ? name->text : NULL;
}

static const char *add_name(struct yk_trace *trace, unsigned bucket, const char *text)
{
    size_t bytes = strlen(text) + 1;
    struct yk_name *name = yk_calloc(1, sizeof *name + bytes);
    if (!name)
        return NULL;
    memcpy(name->text, text, bytes);
    name->next = atomic_load(&trace->names[bucket]);
    /* release: pairs with the acquire in yk_trace_name */
    atomic_store_explicit(&trace->names[bucket], name, memory_order_release);
    return name->text;
}

const char *yk_trace_name(struct yk_trace *trace, const char *name)
{
    const char *text = name ? name : "";
    unsigned bucket = bucket_of(text);
    const char *found =
        find_name(atomic_load_explicit(&trace->names[bucket], memory_order_acquire), text);
    if (found)
        return found;
    yk_lock(&trace->lock);
    found = find_name(atomic_load(&trace->names[bucket]), text);
    if (!found)
        found = add_name(trace, bucket, text);
    yk_unlock(&trace->lock);
    return found;
}

void yk_trace_add(struct yk_trace *trace, int track, const struct yk_trace_event *event)
{
    struct yk_track *at;
    uint64_t number;
    if (!trace || track < 0 ||
        track >= atomic_load_explicit(&trace->track_count, memory_order_acquire))
        return;
    at = trace->tracks[track];
    number = atomic_load_explicit(&at->count, memory_order_relaxed); /* only this thread writes
                                                                      * it */
    at->events[number % trace->capacity] = *event;
    /* release: a thread that sees the count sees the event; pairs with yk_track_span */
    atomic_store_explicit(&at->count, number + 1, memory_order_release);
}

struct yk_event_span yk_track_span(const struct yk_trace *trace, const struct yk_track *track)
{
    uint64_t count = atomic_load_explicit(&track->count, memory_order_acquire);
    return (struct yk_event_span){ count > trace->capacity ? count - trace->capacity : 0, count };
}

int64_t yk_trace_zero(const struct yk_trace *trace)
{
    int64_t zero = trace->start_ns;
    int t, count = atomic_load(&trace->track_count);
    for (t = 0; t < count; t++) {
        const struct yk_track *track = trace->tracks[t];
        struct yk_event_span span = yk_track_span(trace, track);
        uint64_t n;
        for (n = span.first; n < span.last; n++) {
            int64_t start = track->events[n % trace->capacity].start_ns;
            zero = start < zero ? start : zero;
        }
    }
    return zero;
}

int yk_track_device(const struct yk_trace *trace, int track)
{
    int first = 0;
    while (trace->tracks[first]->device != trace->tracks[track]->device)
        first++;
    return first;
}
