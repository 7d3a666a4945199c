/* html.c - the timeline as one page: timeline.html with the events inserted at YOKE_DATA.
 *
 * An event is a row of numbers. Names and reasons are numbers of entries in a list of words after
 * the events, because most events share a few. A word that does not fit into the list is written in
 * place.
 */
#include <inttypes.h>
#include <string.h>

#include "timeline_page.h"
#include "trace_state.h"

enum { words_max = 256 };

struct words {
    const char *text[words_max];
    int count, latest;
    int64_t zero; /* of the timeline */
};

static void put_word(FILE *stream, struct words *words, const char *text)
{
    int w = words->latest;
    if (!text)
        text = "";
    if (w >= words->count || strcmp(words->text[w], text) != 0)
        for (w = 0; w < words->count && strcmp(words->text[w], text) != 0; w++) {
        }
    if (w == words_max) {
        yk_trace_put_text(stream, text);
        return;
    }
    if (w == words->count)
        words->text[words->count++] = text;
    words->latest = w;
    fprintf(stream, "%d", w);
}

static void put_event(FILE *stream, struct words *words, const struct yk_trace_event *event)
{
    fprintf(stream, "[%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",",
            event->start_ns - words->zero, event->end_ns - event->start_ns, (int)event->kind,
            event->first, event->last, event->bytes, event->job);
    put_word(stream, words, event->name);
    fputc(',', stream);
    put_word(stream, words, event->reason);
    fputc(']', stream);
}

static void put_track(FILE *stream, struct words *words, const struct yk_trace *trace, int number)
{
    const struct yk_track *track = trace->tracks[number];
    struct yk_event_span span = yk_track_span(trace, track);
    uint64_t n;
    fputs("{\"device\":", stream);
    yk_trace_put_text(stream, track->device);
    fputs(",\"label\":", stream);
    yk_trace_put_text(stream, track->label);
    fprintf(stream, ",\"lost\":%" PRIu64 ",\"events\":[", span.first);
    for (n = span.first; n < span.last && !ferror(stream); n++) {
        fputs(n > span.first ? ",\n" : "\n", stream);
        put_event(stream, words, &track->events[n % trace->capacity]);
    }
    fputs("]}", stream);
}

void yk_trace_put_page(const struct yk_trace *trace, FILE *stream)
{
    static const char marker[] = "YOKE_DATA";
    const char *gap = strstr(yk_timeline_page, marker);
    struct words words = { .zero = yk_trace_zero(trace) };
    int t, w, count = atomic_load(&trace->track_count);
    fwrite(yk_timeline_page, 1, (size_t)(gap - yk_timeline_page), stream);
    fputs("{\"tracks\":[", stream);
    for (t = 0; t < count && !ferror(stream); t++) {
        fputs(t ? ",\n" : "\n", stream);
        put_track(stream, &words, trace, t);
    }
    fputs("],\n\"words\":[", stream);
    for (w = 0; w < words.count; w++) {
        fputs(w ? "," : "", stream);
        yk_trace_put_text(stream, words.text[w]);
    }
    fputs("]}", stream);
    fputs(gap + sizeof marker - 1, stream);
}
