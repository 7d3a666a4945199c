/* static.c - PURE. Contiguous shares that the user gives: one number for each device, or the CPU
 * weight alone (the rest goes to the other devices, equally). The best partitioner if the shares
 * are right, and the standard by which others are judged. */
#include <math.h>
#include <stddef.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../base/words.h"
#include "numbers.h"
#include "shares.h"

struct settings {
    char *shares;
    int64_t chunks;
};

static const struct yk_option options[] = {
    { .name = "shares",
      .help =
          "one number for each device, as 0.3/0.7, or the first CPU device's alone; none: equal",
      .type = YK_OPTION_TEXT,
      .offset = offsetof(struct settings, shares) },
    { .name = "chunks",
      .initial = "0",
      .help = "chunks that a GPU's share is cut into; 0: as many as it has lanes",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, chunks) },
    { .name = NULL }
};

/* weights[0] is the CPU weight; the other devices get the rest. */
static yoke_status spread_cpu_weight(const struct yk_split_view *view, double *weights)
{
    double cpu_weight = weights[0];
    int cpu = 0, others = view->device_count - 1, d;
    while (cpu < view->device_count && !view->devices[cpu].known.host_memory)
        cpu++;
    if (cpu == view->device_count)
        return yk_fail(YOKE_EINVAL,
                       "static: one share is the CPU's, and no device is a CPU; give %d numbers, "
                       "one for each device",
                       view->device_count);
    if (cpu_weight > 1)
        return yk_fail(YOKE_EINVAL,
                       "static: the CPU's share is %g; alone it has to be between 0 and 1",
                       cpu_weight);
    for (d = 0; d < view->device_count; d++)
        weights[d] = d == cpu ? cpu_weight : (1 - cpu_weight) / others;
    return YOKE_OK;
}

static yoke_status read_weights(const struct yk_split_view *view, const char *text, double *weights)
{
    static const struct yk_number_list list = { "static", "shares", "share", 0 };
    struct yk_numbers numbers = { weights, view->device_count, 0 };
    double total = 0;
    int d;
    yoke_status status;
    if (!text) {
        for (d = 0; d < view->device_count; d++)
            weights[d] = 1;
        return YOKE_OK;
    }
    status = yk_numbers_read(&list, text, &numbers);
    if (status == YOKE_OK && numbers.count == 1 && view->device_count > 1)
        status = spread_cpu_weight(view, weights);
    else if (status == YOKE_OK && numbers.count != numbers.room)
        status =
            yk_fail(YOKE_EINVAL, "static: %s for %s; give one for each device, or the CPU's alone",
                    yk_count_words(numbers.count, "share").text,
                    yk_count_words(view->device_count, "device").text);
    if (status != YOKE_OK)
        return status;
    for (d = 0; d < view->device_count; d++)
        total += weights[d];
    if (!(total > 0) || isinf(total))
        return yk_fail(YOKE_EINVAL,
                       "static: the shares add up to %g; at least one has to be "
                       "more than 0, and all of them finite",
                       total);
    return YOKE_OK;
}

static yoke_status open_static(const struct yk_split_view *view, const void *given, void **state)
{
    const struct settings *settings = given;
    double *weights;
    yoke_status status;
    if (settings->chunks < 0)
        return yk_fail(YOKE_EINVAL, "static: chunks is %lld; give 0 (as many as lanes) or more",
                       (long long)settings->chunks);
    weights = yk_calloc((size_t)view->device_count, sizeof *weights);
    if (!weights)
        return YOKE_ENOMEM;
    status = read_weights(view, settings->shares, weights);
    if (status == YOKE_OK)
        status = yk_shares_open(
            view, &(struct yk_shares_spec){ .weights = weights, .chunks = settings->chunks },
            state);
    yk_free(weights);
    return status;
}

const struct yk_partitioner yk_partitioner_static = {
    .name = "static",
    .summary = "contiguous shares as given",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = open_static,
    .close = yk_shares_close,
    .take = yk_shares_take,
    .changed = yk_shares_changed,
    .explain = yk_shares_explain,
    .served = yk_shares_served,
};
