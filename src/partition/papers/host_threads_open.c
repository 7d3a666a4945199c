/* host_threads_open.c - reads the settings of nc-ht and c-ht, and makes a job's state from them. */
#include <stddef.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../base/words.h"
#include "../numbers.h"
#include "host_threads.h"

const struct yk_option yk_ht_options[] = {
    { .name = "alpha",
      .initial = "0.5",
      .help = "weight of the latest sample in the moving average of throughput",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct yk_ht_settings, alpha) },
    { .name = "grains",
      .help =
          "items of a GPU's chunk, as 4096, or one number for each GPU, as 4096/512; none: found",
      .type = YK_OPTION_TEXT,
      .offset = offsetof(struct yk_ht_settings, grains) },
    { .name = "threshold",
      .initial = "0",
      .help = "least items of a core's chunk; 0: range / (4096 * lanes of all devices)",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct yk_ht_settings, threshold) },
    { .name = "streams",
      .initial = "1",
      .help = "lanes of each GPU that are used, each driven by a thread of its own",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct yk_ht_settings, streams) },
    { .name = NULL }
};

static yoke_status check(const struct yk_ht_settings *settings)
{
    if (!(settings->alpha > 0 && settings->alpha <= 1))
        return yk_fail(YOKE_EINVAL, "alpha is %g; give more than 0 and at most 1, 0.5 is usual",
                       settings->alpha);
    if (settings->threshold < 0)
        return yk_fail(YOKE_EINVAL, "threshold is %lld items; give 1 or more, or 0 for the default",
                       (long long)settings->threshold);
    if (settings->streams < 1)
        return yk_fail(YOKE_EINVAL, "streams is %lld; give 1 or more",
                       (long long)settings->streams);
    return YOKE_OK;
}

static int64_t bounded_grain(const struct yk_split_view *view, double number)
{
    int64_t range = view->last - view->first;
    return number < (double)range ? (int64_t)number : range > 0 ? range : 1;
}

/* Reads the given grains: one for all GPUs, or one for each of them in their order. */
static yoke_status read_grains(struct yk_ht *ht, const struct yk_split_view *view, const char *text)
{
    static const struct yk_number_list list = { "nc-ht, c-ht", "grains", "grain", 1 };
    double *grains = yk_calloc((size_t)view->device_count, sizeof *grains);
    struct yk_numbers numbers = { grains, view->device_count, 0 };
    int d, gpu = 0, gpus = 0;
    yoke_status status;
    if (!grains)
        return YOKE_ENOMEM;
    for (d = 0; d < view->device_count; d++)
        gpus += yk_ht_is_gpu(view, d);
    status = yk_numbers_read(&list, text, &numbers);
    if (status == YOKE_OK && numbers.count != 1 && numbers.count != gpus)
        status =
            yk_fail(YOKE_EINVAL, "%s for %s; give one for each, or one number for all",
                    yk_count_words(numbers.count, "grain").text, yk_count_words(gpus, "GPU").text);
    for (d = 0; d < view->device_count && status == YOKE_OK; d++)
        if (yk_ht_is_gpu(view, d))
            ht->devices[d].grain.items =
                bounded_grain(view, grains[numbers.count == 1 ? 0 : gpu++]);
    yk_free(grains);
    return status;
}

static int streams_of(const struct yk_split_view *view, int d,
                      const struct yk_ht_settings *settings)
{
    int lanes = view->devices[d].known.lanes;
    if (!yk_ht_is_gpu(view, d))
        return 0;
    return settings->streams < lanes ? (int)settings->streams : lanes;
}

static yoke_status open_devices(struct yk_ht *ht, const struct yk_split_view *view,
                                const struct yk_ht_settings *settings)
{
    size_t total = 1;
    int64_t lanes = 0;
    int d;
    for (d = 0; d < view->device_count; d++) {
        total += (size_t)streams_of(view, d, settings);
        lanes += view->devices[d].known.lanes;
    }
    ht->devices = yk_calloc((size_t)view->device_count, sizeof *ht->devices);
    ht->streams = yk_calloc(total, sizeof *ht->streams);
    if (!ht->devices || !ht->streams)
        return YOKE_ENOMEM;
    total = 0;
    for (d = 0; d < view->device_count; d++) {
        struct yk_ht_device *device = &ht->devices[d];
        device->stream_count = streams_of(view, d, settings);
        device->streams = ht->streams + total;
        total += (size_t)device->stream_count;
        yk_ht_grain_open(view, d, &device->grain);
        device->grain.searching = !settings->grains;
    }
    ht->threshold =
        settings->threshold > 0 ? settings->threshold : (view->last - view->first) / (4096 * lanes);
    if (ht->threshold < view->unit)
        ht->threshold = view->unit;
    return settings->grains ? read_grains(ht, view, settings->grains) : YOKE_OK;
}

yoke_status yk_ht_open(const struct yk_split_view *view, const struct yk_ht_settings *settings,
                       enum yk_ht_kind kind, struct yk_ht **out)
{
    struct yk_ht *ht;
    yoke_status status = check(settings);
    if (status != YOKE_OK)
        return status;
    ht = yk_calloc(1, sizeof *ht);
    if (!ht)
        return YOKE_ENOMEM;
    ht->view = view;
    ht->alpha = settings->alpha;
    ht->collaborate = kind == YK_HT_COLLABORATES;
    ht->cursor = view->first;
    status = open_devices(ht, view, settings);
    if (status == YOKE_OK)
        *out = ht;
    else
        yk_ht_close(ht);
    return status;
}

void yk_ht_close(void *state)
{
    struct yk_ht *ht = state;
    yk_free(ht->devices);
    yk_free(ht->streams);
    yk_free(ht);
}
