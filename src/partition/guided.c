/* guided.c - guided self-scheduling: what is left, divided by the lanes, down to a threshold. Knows
 * nothing of speeds, so a slow lane's first chunk can outlast all others.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "partitioner.h"

struct settings {
    int64_t threshold;
    double factor;
};

static const struct yk_option options[] = {
    { "threshold", NULL, "1", "least items a chunk", YK_OPTION_INT,
      offsetof(struct settings, threshold), NULL },
    { "factor", NULL, "2", "a chunk is what is left / (factor x lanes)", YK_OPTION_REAL,
      offsetof(struct settings, factor), NULL },
    { .name = NULL },
};

struct state {
    struct settings settings;
    int lanes;
};

static yoke_status guided_open(const struct yk_split_view *view, const void *opaque, void **out)
{
    const struct settings *settings = opaque;
    struct state *state;
    int d;
    if (settings->threshold < 1 || !(settings->factor >= 1) || settings->factor > 1e6)
        return yk_fail(YOKE_EINVAL,
                       "guided:threshold=%lld,factor=%g: the threshold is at least 1 and the "
                       "factor 1 to 1000000",
                       (long long)settings->threshold, settings->factor);
    state = yk_calloc(1, sizeof *state);
    if (!state)
        return YOKE_ENOMEM;
    state->settings = *settings;
    for (d = 0; d < view->device_count; d++)
        state->lanes += view->devices[d].known.lanes;
    *out = state;
    return YOKE_OK;
}

static void guided_take(void *opaque, const struct yk_split_view *view, int device, int lane,
                        int64_t now, struct yk_take *out)
{
    const struct state *state = opaque;
    double share = (double)view->free_items / (state->settings.factor * state->lanes);
    (void)lane;
    (void)now;
    *out = (struct yk_take){ .items = (int64_t)share,
                             .from_high = !view->devices[device].known.host_memory,
                             .reason = "guided" };
    if (out->items < state->settings.threshold)
        out->items = state->settings.threshold;
}

const struct yk_partitioner yk_partitioner_guided = {
    .name = "guided",
    .summary = "what is left divided by the lanes",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = guided_open,
    .close = yk_free,
    .take = guided_take,
};
