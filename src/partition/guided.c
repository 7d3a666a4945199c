/* guided.c - PURE. Chunks that shrink with what is left: remaining / (k * lanes), not less than a
 * threshold. Few large chunks first, small ones at the end. Ignores speeds, so a slow device can
 * still end last. */
#include <stddef.h>
#include <stdio.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "both_ends.h"

struct settings {
    double k;
    int64_t threshold;
};

static const struct yk_option options[] = {
    { .name = "k",
      .initial = "2",
      .help = "a chunk is what is left / (k * lanes of all devices)",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct settings, k) },
    { .name = "threshold",
      .initial = "0",
      .help = "least items of a chunk; 0: range / (1024 * lanes of all devices)",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, threshold) },
    { .name = NULL }
};

struct guided {
    struct yk_ends ends;
    double k;
    int64_t threshold;
};

static yoke_status open_guided(const struct yk_split_view *view, const void *given, void **state)
{
    const struct settings *settings = given;
    struct guided *guided;
    if (!(settings->k > 0))
        return yk_fail(YOKE_EINVAL, "guided: k is %g; give more than 0, 1 to 4 is usual",
                       settings->k);
    if (settings->threshold < 0)
        return yk_fail(YOKE_EINVAL,
                       "guided: threshold is %lld items; give 1 or more, or 0 for the default",
                       (long long)settings->threshold);
    guided = yk_calloc(1, sizeof *guided);
    if (!guided)
        return YOKE_ENOMEM;
    guided->ends = yk_ends_of(view);
    guided->k = settings->k;
    guided->threshold = settings->threshold;
    if (guided->threshold == 0)
        guided->threshold = (view->last - view->first) / (1024 * guided->ends.lanes);
    if (guided->threshold < view->unit)
        guided->threshold = view->unit;
    *state = guided;
    return YOKE_OK;
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    const struct guided *guided = state;
    const struct yk_split_view *view = guided->ends.view;
    double share = (double)view->free_items / (guided->k * (double)guided->ends.lanes);
    int64_t chunk = share < (double)view->free_items ? (int64_t)share : view->free_items;
    if (chunk < guided->threshold)
        chunk = guided->threshold;
    yk_ends_take(&guided->ends, request->device, chunk, out);
    out->reason = chunk == guided->threshold ? "threshold" : "part of the rest";
}

static void explain(const void *state, int device, char *text, size_t size)
{
    const struct guided *guided = state;
    yk_ends_explain(guided->ends.view, device, text, size);
    if (*text == '\0')
        snprintf(text, size,
                 "took 1 / %.4g of the remaining items at a time, at least %s, at %s items/us "
                 "while busy",
                 guided->k * (double)guided->ends.lanes,
                 yk_count_words(guided->threshold, "item").text,
                 yk_number_words(1e3 * guided->ends.view->devices[device].rate).text);
}

const struct yk_partitioner yk_partitioner_guided = {
    .name = "guided",
    .summary = "chunks that shrink with what is left",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = open_guided,
    .close = yk_free,
    .take = take,
    .explain = explain,
};
