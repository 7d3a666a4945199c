/* dynamic.c - chunks of a fixed size, to whoever asks. */
#include "../base/alloc.h"
#include "../base/status.h"
#include "partitioner.h"

struct settings {
    int64_t chunk;
};

static const struct yk_option options[] = {
    { "chunk", NULL, "0", "items a chunk [a 64th of a lane's fair share]", YK_OPTION_INT,
      offsetof(struct settings, chunk), NULL },
    { .name = NULL },
};

struct state {
    int64_t chunk;
};

static yoke_status dynamic_open(const struct yk_split_view *view, const void *opaque, void **out)
{
    const struct settings *settings = opaque;
    struct state *state;
    int64_t lanes = 0;
    int d;
    if (settings->chunk < 0)
        return yk_fail(YOKE_EINVAL, "dynamic:chunk=%lld: a chunk has at least 1 item",
                       (long long)settings->chunk);
    state = yk_calloc(1, sizeof *state);
    if (!state)
        return YOKE_ENOMEM;
    for (d = 0; d < view->device_count; d++)
        lanes += view->devices[d].known.lanes;
    state->chunk = settings->chunk ? settings->chunk : (view->last - view->first) / (64 * lanes);
    if (state->chunk < view->unit)
        state->chunk = view->unit;
    *out = state;
    return YOKE_OK;
}

/* Cores get a lease of some chunks each, so that they take the lock less often; it shrinks to one
 * chunk each at the end. CPUs take from the low end and the others from the high end, so that from
 * job to job each meets rows it has. */
static void dynamic_take(void *opaque, const struct yk_split_view *view, int device, int lane,
                         int64_t now, struct yk_take *out)
{
    const struct state *state = opaque;
    const struct yk_split_device *known = &view->devices[device].known;
    int64_t chunks = 1;
    (void)lane;
    (void)now;
    if (known->host_memory) {
        int64_t left = view->free_items / state->chunk;
        chunks = left / (8 * view->device_count);
        if (chunks > 16 * known->lanes)
            chunks = 16 * known->lanes;
        if (chunks < 1)
            chunks = 1;
    }
    *out = (struct yk_take){ .items = state->chunk * chunks,
                             .piece = state->chunk,
                             .from_high = !known->host_memory,
                             .reason = "fixed size" };
}

const struct yk_partitioner yk_partitioner_dynamic = {
    .name = "dynamic",
    .summary = "chunks of a fixed size to whoever asks",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = dynamic_open,
    .close = yk_free,
    .take = dynamic_take,
};
