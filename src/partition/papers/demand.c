/* demand.c - PURE. Demand-driven scheduling after Ribeiro, Barbosa and Santos ("A Framework for
 * Efficient Execution of Data Parallel Irregular Applications on Heterogeneous Systems"),
 * section 4.1: a device that asks gets a task of N / dd items times its capability, the fastest
 * device's being 1. So tasks take about the same time on all devices, and unforeseen differences
 * even out because faster devices ask more often. A device may hold a window of tasks
 * (section 3.3): the next one's copies hide behind its work.
 *
 * A model supplies the capabilities, behind a table of functions as in the paper. The paper's own
 * results use the peaks that manufacturers announce.
 *
 * Choices where the paper leaves something open:
 *   - dd, "a system constant" that makes many more tasks than devices, is 16 for each device.
 *   - The maximum in eq. 1 is taken over the devices that still take part: when the fastest is
 *     lost, the next one gets tasks of N / dd.
 *   - A device of unknown capability counts as 1, so that it gets work before the others are known.
 *   - The cores are one device, which share a task among them.
 *   - Only ratios of peaks count, so peaks are useless if one device's peak is unknown.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../base/words.h"
#include "../../model/cost.h"
#include "../both_ends.h"
#include "../numbers.h"

enum { TASKS_EACH = 16 };

struct settings {
    char *dd, *capability;
    int64_t window;
    int model;
};

struct demand_device {
    double told;     /* C_d as known before the first task; 0: unknown */
    double relative; /* eq. 1 for its latest task */
    int64_t task;    /* items of that task, by eq. 2 */
};

struct demand;
struct model {
    const char *name;
    const char *source; /* explain()'s words for the source of a known capability */
    /* Sets each device's `told`; may replace demand->model. */
    yoke_status (*open)(struct demand *demand, const char *capability);
    /* C_d now, in the same unit for all devices; 0: unknown */
    double (*capability)(const struct demand *demand, int device);
};

struct demand {
    const struct yk_split_view *view;
    struct yk_ends ends;
    const struct model *model;
    int64_t dd, window;
    struct demand_device devices[];
};

/* --- models --- */

static yoke_status keep_nothing(struct demand *demand, const char *capability)
{
    (void)demand;
    (void)capability;
    return YOKE_OK;
}

static yoke_status keep_rates(struct demand *demand, const char *capability)
{
    const struct yk_split_view *view = demand->view;
    int d;
    (void)capability;
    for (d = 0; d < view->device_count; d++)
        demand->devices[d].told = view->devices[d].known.rate;
    return YOKE_OK;
}

static yoke_status keep_given(struct demand *demand, const char *capability)
{
    const struct yk_split_view *view = demand->view;
    static const struct yk_number_list list = { "demand", "capability", "capability", 0 };
    struct yk_numbers numbers = { .room = view->device_count };
    int d;
    yoke_status status;
    if (!capability)
        return yk_fail(YOKE_EINVAL,
                       "demand: model=given needs capabilities; write capability=A/B/..., a "
                       "number for each of %s",
                       yk_count_words(view->device_count, "device").text);
    numbers.at = yk_calloc((size_t)view->device_count, sizeof *numbers.at);
    if (!numbers.at)
        return YOKE_ENOMEM;
    status = yk_numbers_read(&list, capability, &numbers);
    if (status == YOKE_OK && numbers.count != view->device_count)
        status = yk_fail(YOKE_EINVAL, "demand: capability has %s for %s; give one for each device",
                         yk_count_words(numbers.count, "number").text,
                         yk_count_words(view->device_count, "device").text);
    for (d = 0; status == YOKE_OK && d < numbers.count; d++) {
        demand->devices[d].told = numbers.at[d];
        if (!(numbers.at[d] > 0) || isinf(numbers.at[d]))
            status = yk_fail(YOKE_EINVAL,
                             "demand: the capability of %s is %g; give a number above 0, as 0.3, "
                             "or leave the device out",
                             view->devices[d].known.name, numbers.at[d]);
    }
    yk_free(numbers.at);
    return status;
}

static double told(const struct demand *demand, int device)
{
    return demand->devices[device].told;
}

/* C_d by the fitted speed, which starts from earlier jobs and follows each task of this one. */
static double fitted(const struct demand *demand, int device)
{
    double item_ns = demand->view->devices[device].item_ns;
    return item_ns > 0 ? 1 / item_ns : 0;
}

static const struct model no_peaks = { "peak", "learned, because a device's peak is unknown",
                                       keep_nothing, fitted };

static yoke_status keep_peaks(struct demand *demand, const char *capability)
{
    const struct yk_split_view *view = demand->view;
    int d;
    (void)capability;
    for (d = 0; d < view->device_count; d++) {
        double peak = view->devices[d].known.peak;
        demand->devices[d].told = peak;
        if (!yk_peak_is_known(peak))
            demand->model = &no_peaks;
    }
    return YOKE_OK;
}

static const char *const model_names[] = { "learned", "given", "peak", "measured", NULL };
/* In the order of model_names. */
static const struct model models[] = {
    { "learned", "learned", keep_nothing, fitted },
    { "given", "given", keep_given, told },
    { "peak", "by its theoretical peak", keep_peaks, told },
    { "measured", "measured in earlier jobs", keep_rates, told },
};

static const struct yk_option options[] = {
    { .name = "dd",
      .help = "a task is range / dd items for the fastest device; none: 16 for each device",
      .type = YK_OPTION_TEXT,
      .offset = offsetof(struct settings, dd) },
    { .name = "window",
      .initial = "2",
      .help = "tasks a device may hold at once, a GPU no more than it has lanes",
      .type = YK_OPTION_INT,
      .offset = offsetof(struct settings, window) },
    { .name = "model",
      .initial = "learned",
      .help = "where capabilities come from: learned (earlier jobs, then this one), given, peak "
              "(announced speed), measured (earlier jobs only)",
      .type = YK_OPTION_CHOICE,
      .offset = offsetof(struct settings, model),
      .choices = model_names },
    { .name = "capability",
      .help = "for model=given: one number for each device, as 1.0/0.3",
      .type = YK_OPTION_TEXT,
      .offset = offsetof(struct settings, capability) },
    { .name = NULL }
};

/* --- the partitioner --- */

static yoke_status read_dd(const char *text, int device_count, int64_t *dd)
{
    *dd = TASKS_EACH * (int64_t)device_count;
    if (!text)
        return YOKE_OK;
    if (yk_option_number(YK_OPTION_INT, text, dd) != YOKE_OK || *dd < 1)
        return yk_fail(YOKE_EINVAL,
                       "demand: dd is %s; give a whole number of 1 or more, or leave it out for %d "
                       "for each device",
                       text, TASKS_EACH);
    return YOKE_OK;
}

static yoke_status check_settings(const struct settings *settings)
{
    if (settings->window < 1)
        return yk_fail(YOKE_EINVAL, "demand: window is %lld tasks; give 1 or more, 2 hides copies",
                       (long long)settings->window);
    if (settings->capability && models[settings->model].open != keep_given)
        return yk_fail(YOKE_EINVAL,
                       "demand: capability is given, but model=%s does not use it; add "
                       "model=given or leave it out",
                       models[settings->model].name);
    return YOKE_OK;
}

static yoke_status open_demand(const struct yk_split_view *view, const void *given, void **state)
{
    const struct settings *settings = given;
    struct demand *demand;
    yoke_status status = check_settings(settings);
    if (status != YOKE_OK)
        return status;
    demand = yk_calloc(1, sizeof *demand + (size_t)view->device_count * sizeof *demand->devices);
    if (!demand)
        return YOKE_ENOMEM;
    demand->view = view;
    demand->ends = yk_ends_of(view);
    demand->window = settings->window;
    demand->model = &models[settings->model];
    status = read_dd(settings->dd, view->device_count, &demand->dd);
    if (status == YOKE_OK)
        status = demand->model->open(demand, settings->capability);
    if (status == YOKE_OK)
        *state = demand;
    else
        yk_free(demand);
    return status;
}

/* Equation 1. */
static double relative_capability(const struct demand *demand, int device)
{
    const struct yk_split_view *view = demand->view;
    double own = demand->model->capability(demand, device), most = own;
    int d;
    for (d = 0; d < view->device_count; d++)
        if (view->devices[d].active)
            most = fmax(most, demand->model->capability(demand, d));
    return own > 0 && own < most ? own / most : 1;
}

/* Equation 2, to the nearest unit. */
static int64_t task_items(const struct demand *demand, double relative)
{
    const struct yk_split_view *view = demand->view;
    int64_t range = view->last - view->first;
    double unit = (double)view->unit;
    double units = floor((double)range / (double)demand->dd * relative / unit + 0.5);
    if (units * unit >= (double)range)
        return range;
    return units < 1 ? view->unit : (int64_t)units * view->unit;
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    struct demand *demand = state;
    const struct yk_split_view *view = demand->view;
    const int device = request->device;
    struct demand_device *own = &demand->devices[device];
    const struct yk_split_status *status = &view->devices[device];
    if (status->chunks_out >= demand->window)
        return;
    own->relative = relative_capability(demand, device);
    own->task = task_items(demand, own->relative);
    out->items = own->task < view->free_items ? own->task : view->free_items;
    out->from_high = device != demand->ends.low;
    out->reason = demand->model->capability(demand, device) > 0 ? "task" : "speed unknown";
    if (status->known.host_memory) {
        out->piece = (out->items - 1) / ((int64_t)status->known.lanes * YK_LANE_PIECES) + 1;
        out->parts = YK_LANE_PARTS;
    }
}

static void explain(const void *state, int device, char *text, size_t size)
{
    const struct demand *demand = state;
    const struct demand_device *own = &demand->devices[device];
    int known = demand->model->capability(demand, device) > 0;
    yk_ends_explain(demand->view, device, text, size);
    if (*text == '\0')
        snprintf(text, size,
                 "its capability is %.3g, the fastest device's is 1 (%s): %s, the latest of "
                 "range / %lld * %.3g = %s",
                 own->relative, known ? demand->model->source : "unknown, so assumed to be 1",
                 yk_count_words(demand->view->devices[device].chunks_done, "task").text,
                 (long long)demand->dd, own->relative, yk_count_words(own->task, "item").text);
}

const struct yk_partitioner yk_partitioner_demand = {
    .name = "demand",
    .summary = "Ribeiro et al.: tasks of range / dd, times a device's capability, on demand",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .open = open_demand,
    .close = yk_free,
    .take = take,
    .explain = explain,
};
