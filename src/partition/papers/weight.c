/* weight.c - PURE. The CPU weight (papers/001, section 3.2): the low end of the range is for the
 * CPU devices, the rest for all others. Each side is split equally over its devices; a device that
 * has done its part takes chunks from the latest device of its side. model/weight.c chooses the
 * weight. */
#include <stddef.h>
#include <stdio.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../model/weight.h"
#include "../shares.h"

struct settings {
    double cpu;
    int64_t cpu_chunks, gpu_chunks;
};

static const struct yk_option options[] = {
    { .name = "cpu",
      .initial = "0.2",
      .help = "the part of the range that is for the CPU devices, 0 to 1",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct settings, cpu) },
    { .name = "cpu-chunks",
      .initial = "0",
      .help = "chunks that their part is cut into; 0: one for each of them",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, cpu_chunks) },
    { .name = "gpu-chunks",
      .initial = "0",
      .help = "the same of the other devices' part; 0: one for each of their lanes",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, gpu_chunks) },
    { .name = NULL }
};

static yoke_status check(const struct settings *settings)
{
    if (!yk_weight_is_valid(settings->cpu))
        return yk_fail(YOKE_EINVAL, "weight: cpu is %g; it may be 0 to 1", settings->cpu);
    if (settings->cpu_chunks < 0 || settings->gpu_chunks < 0)
        return yk_fail(YOKE_EINVAL,
                       "weight: cpu-chunks is %lld, gpu-chunks %lld; they are 0 or "
                       "more",
                       (long long)settings->cpu_chunks, (long long)settings->gpu_chunks);
    return YOKE_OK;
}

static int count_hosts(const struct yk_split_view *view)
{
    int d, hosts = 0;
    for (d = 0; d < view->device_count; d++)
        hosts += view->devices[d].known.host_memory != 0;
    return hosts;
}

/* Chunks for each device of a side, rounded up. */
static int64_t for_each_of(int64_t chunks, int devices)
{
    return devices > 0 ? (chunks + devices - 1) / devices : chunks;
}

static yoke_status open_weight(const struct yk_split_view *view, const void *given, void **state)
{
    const struct settings *settings = given;
    int d, hosts = count_hosts(view), others = view->device_count - hosts;
    /* If a side has no devices, the other side gets everything. */
    double cpu = others == 0 ? 1 : hosts == 0 ? 0 : settings->cpu;
    double *weights;
    yoke_status status = check(settings);
    if (status != YOKE_OK)
        return status;
    weights = yk_calloc((size_t)view->device_count, sizeof *weights);
    if (!weights)
        return YOKE_ENOMEM;
    for (d = 0; d < view->device_count; d++)
        weights[d] = view->devices[d].known.host_memory ? cpu / hosts : (1 - cpu) / others;
    status = yk_shares_open(
        view,
        &(struct yk_shares_spec){ .weights = weights,
                                  .chunks = for_each_of(settings->gpu_chunks, others),
                                  .host_chunks = for_each_of(settings->cpu_chunks, hosts),
                                  .hosts_first = 1 },
        state);
    yk_free(weights);
    return status;
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    yk_shares_take(state, request, out);
    if (out->items == 0)
        yk_shares_take_over(state, request->device, out);
}

const struct yk_partitioner yk_partitioner_weight = {
    .name = "weight",
    .summary = "the low end for the cores, as the CPU weight says, the rest for all others",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = open_weight,
    .close = yk_shares_close,
    .take = take,
    .changed = yk_shares_changed,
    .explain = yk_shares_explain,
    .served = yk_shares_served,
};
