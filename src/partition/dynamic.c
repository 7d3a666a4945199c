/* dynamic.c - PURE. Chunks of one size for every lane that is free. The first CPU device works
 * upwards from the low end, the others downwards from the high end, so that each touches nearly the
 * same rows when jobs repeat. */
#include <stddef.h>
#include <stdio.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "both_ends.h"

struct settings {
    int64_t chunk;
};

static const struct yk_option options[] = {
    { .name = "chunk",
      .initial = "0",
      .help = "items a lane gets at once; 0: range / (64 * lanes of all devices)",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, chunk) },
    { .name = NULL }
};

struct dynamic {
    struct yk_ends ends;
    int64_t chunk;
};

static yoke_status open_dynamic(const struct yk_split_view *view, const void *given, void **state)
{
    const struct settings *settings = given;
    struct dynamic *dynamic;
    if (settings->chunk < 0)
        return yk_fail(YOKE_EINVAL,
                       "dynamic: chunk is %lld items; give 1 or more, or 0 for the "
                       "default",
                       (long long)settings->chunk);
    dynamic = yk_calloc(1, sizeof *dynamic);
    if (!dynamic)
        return YOKE_ENOMEM;
    dynamic->ends = yk_ends_of(view);
    dynamic->chunk = settings->chunk;
    if (dynamic->chunk == 0)
        dynamic->chunk = (view->last - view->first) / (64 * dynamic->ends.lanes);
    if (dynamic->chunk < view->unit)
        dynamic->chunk = view->unit;
    *state = dynamic;
    return YOKE_OK;
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    const struct dynamic *dynamic = state;
    yk_ends_take(&dynamic->ends, request->device, dynamic->chunk, out);
    out->reason = "chunk";
}

static void explain(const void *state, int device, char *text, size_t size)
{
    const struct dynamic *dynamic = state;
    yk_ends_explain(dynamic->ends.view, device, text, size);
    if (*text == '\0')
        snprintf(text, size, "took %s at a time, at %s items/us while busy",
                 yk_count_words(dynamic->chunk, "item").text,
                 yk_number_words(1e3 * dynamic->ends.view->devices[device].rate).text);
}

const struct yk_partitioner yk_partitioner_dynamic = {
    .name = "dynamic",
    .summary = "chunks of one size, one for each free lane",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = open_dynamic,
    .close = yk_free,
    .take = take,
    .explain = explain,
};
