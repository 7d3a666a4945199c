/* static.c - fixed shares: each device gets one contiguous region, decided before the job starts.
 *
 * "static:shares=0.3/0.7" gives one number a device; a single number is the share of the CPU
 * devices (the CPU weight of papers/001, section 3.2), the rest goes to the others in equal parts.
 * Without numbers all shares are equal. A GPU's region is cut into as many chunks as it has lanes
 * (chunks=N for another number), so that copies of one overlap the kernel of another; a CPU's
 * region is one lease with a piece for each core (chunks=N: N pieces a core).
 *
 * A device that fails or leaves has its region shared out: whoever is done with its own takes what
 * is free, by turns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "regions.h"

struct settings {
    char *shares;
    int64_t chunks;
};

static const struct yk_option options[] = {
    { "shares", NULL, NULL, "share of each device, as 0.3/0.7; one number: of the CPU [equal]",
      YK_OPTION_TEXT, offsetof(struct settings, shares), NULL },
    { "chunks", NULL, "0", "chunks of a share [one a lane]", YK_OPTION_INT,
      offsetof(struct settings, chunks), NULL },
    { .name = NULL },
};

struct state {
    int64_t chunks;
    int64_t *bounds;
};

static int is_cpu(const struct yk_split_view *view, int d)
{
    return view->devices[d].known.host_memory;
}

static yoke_status one_weight(const struct yk_split_view *view, double weight, double *weights)
{
    int d, cpus = 0;
    for (d = 0; d < view->device_count; d++)
        cpus += is_cpu(view, d);
    if (weight > 1)
        return yk_fail(YOKE_EINVAL, "static:shares=%g: the CPU's share is between 0 and 1", weight);
    for (d = 0; d < view->device_count; d++)
        weights[d] = is_cpu(view, d) ? weight / cpus : (1 - weight) / (view->device_count - cpus);
    return YOKE_OK;
}

static yoke_status read_shares(const struct yk_split_view *view, const char *text, double *weights)
{
    const char *at = text;
    double sum = 0;
    int count = 0;
    char *end;
    for (;; at = end + 1) {
        double share = strtod(at, &end);
        if (end == at || !(share >= 0) || !isfinite(share) || (*end && *end != '/'))
            return yk_fail(YOKE_EINVAL,
                           "static:shares=%s: shares are numbers >= 0 with '/' between them", text);
        if (count < view->device_count)
            weights[count] = share;
        count++;
        sum += share;
        if (!*end)
            break;
    }
    if (count == 1 && view->device_count > 1)
        return one_weight(view, weights[0], weights);
    if (count != view->device_count)
        return yk_fail(YOKE_EINVAL, "static:shares=%s: %d shares for %d devices; give one a device",
                       text, count, view->device_count);
    return sum > 0 ? YOKE_OK
                   : yk_fail(YOKE_EINVAL, "static:shares=%s: one share has to be above 0", text);
}

static yoke_status open_with(const struct yk_split_view *view, const struct settings *settings,
                             void **out)
{
    size_t count = (size_t)view->device_count;
    double *weights = yk_calloc(count, sizeof *weights);
    struct state *state = yk_calloc(1, sizeof *state);
    yoke_status status = YOKE_ENOMEM;
    int d;
    if (!weights || !state)
        goto failed;
    state->bounds = yk_calloc(count + 1, sizeof *state->bounds);
    if (!state->bounds)
        goto failed;
    for (d = 0; d < view->device_count; d++)
        weights[d] = 1;
    status = YOKE_OK;
    if (settings->chunks < 0)
        status = yk_fail(YOKE_EINVAL, "static:chunks=%lld: at least 1, or 0 for one a lane",
                         (long long)settings->chunks);
    if (status == YOKE_OK && settings->shares)
        status = read_shares(view, settings->shares, weights);
    if (status != YOKE_OK)
        goto failed;
    state->chunks = settings->chunks;
    yk_regions_cut(view, (struct yk_span){ view->first, view->last }, weights, state->bounds);
    yk_free(weights);
    *out = state;
    return YOKE_OK;
failed:
    if (state)
        yk_free(state->bounds);
    yk_free(state);
    yk_free(weights);
    return status;
}

static yoke_status static_open(const struct yk_split_view *view, const void *settings, void **out)
{
    return open_with(view, settings, out);
}

static yoke_status even_open(const struct yk_split_view *view, const void *settings, void **out)
{
    static const struct settings equal = { NULL, 0 };
    (void)settings;
    return open_with(view, &equal, out);
}

static void static_close(void *opaque)
{
    struct state *state = opaque;
    yk_free(state->bounds);
    yk_free(state);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* What nobody will fetch any more: a region of a device that is gone. */
static int orphaned(const struct state *state, const struct yk_split_view *view, int device,
                    struct yk_take *out)
{
    int d, active = 0;
    for (d = 0; d < view->device_count; d++)
        active += view->devices[d].active;
    for (d = 0; d < view->device_count; d++) {
        struct yk_span region = { state->bounds[d], state->bounds[d + 1] };
        int64_t items = view->devices[d].active ? 0 : yk_free_count(view->free, region);
        if (!items)
            continue;
        *out = (struct yk_take){ .items = ceil_div(items, active),
                                 .first = region.first,
                                 .last = region.last,
                                 .reason = "share of a device that is gone" };
        out->piece = view->devices[device].known.host_memory
                         ? ceil_div(out->items, view->devices[device].known.lanes)
                         : 0;
        return 1;
    }
    return 0;
}

static void static_take(void *opaque, const struct yk_split_view *view, int device, int lane,
                        int64_t now, struct yk_take *out)
{
    const struct state *state = opaque;
    const struct yk_split_device *known = &view->devices[device].known;
    struct yk_span region = { state->bounds[device], state->bounds[device + 1] };
    int64_t size = region.last - region.first, chunks;
    (void)lane;
    (void)now;
    if (!yk_free_count(view->free, region)) {
        if (!orphaned(state, view, device, out))
            out->items = 0;
        return;
    }
    chunks = state->chunks ? state->chunks : known->host_memory ? 1 : known->lanes;
    *out =
        (struct yk_take){ .items = known->host_memory ? size : ceil_div(size, chunks),
                          .piece = known->host_memory ? ceil_div(size, chunks * known->lanes) : 0,
                          .first = region.first,
                          .last = region.last,
                          .reason = "share" };
}

static void static_explain(const void *opaque, const struct yk_split_view *view, int device,
                           char *text, size_t size)
{
    const struct state *state = opaque;
    int64_t all = view->last - view->first,
            mine = state->bounds[device + 1] - state->bounds[device];
    snprintf(text, size, "its share was set to %.1f %%",
             all ? 100.0 * (double)mine / (double)all : 0.0);
}

const struct yk_partitioner yk_partitioner_static = {
    .name = "static",
    .summary = "shares given beforehand (the CPU weight)",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = static_open,
    .close = static_close,
    .take = static_take,
    .explain = static_explain,
};

const struct yk_partitioner yk_partitioner_even = {
    .name = "even",
    .summary = "equal shares for all devices",
    .open = even_open,
    .close = static_close,
    .take = static_take,
    .explain = static_explain,
};
