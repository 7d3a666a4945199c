/* trained.c - PURE. Contiguous shares learned from earlier runs, adjusted from run to run when they
 * have become unbalanced (papers/003, section 3; model/adjust.h says when and how). Within a run it
 * works like `static`, with learned shares. `auto` splits jobs about which too little is known, and
 * so teaches it. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../shares.h"

static const struct yk_option options[] = {
    { .name = "dev",
      .initial = "0.88",
      .help = "a run is unbalanced if its shortest part took less than this part of the longest",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct yk_adjust_rule, dev) },
    { .name = "w",
      .initial = "0.5",
      .help = "how much the latest run counts beside those before it: 1 acts at once",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct yk_adjust_rule, weight) },
    { .name = "step",
      .initial = "0.1",
      .help = "part that the slowest kind of device gives to the others at a time",
      .type = YK_OPTION_REAL,
      .offset = offsetof(struct yk_adjust_rule, step) },
    { .name = NULL }
};

static yoke_status check(const struct yk_adjust_rule *rule)
{
    if (rule->dev > 0 && rule->dev <= 1 && rule->weight > 0 && rule->weight <= 1 &&
        rule->step > 0 && rule->step <= 0.5)
        return YOKE_OK;
    return yk_fail(YOKE_EINVAL,
                   "trained: dev=%g, w=%g, step=%g; dev and w may be above 0 to 1, step above 0 "
                   "to 0.5",
                   rule->dev, rule->weight, rule->step);
}

/* Sets the shares of the last run, with its adjustments; if these are unknown, shares by speeds; if
 * those are too, equal ones. */
static void weigh(const struct yk_split_view *view, double *weights)
{
    double shares = 0, rates = 0;
    int d, unknown = 0;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        unknown |= known->share < 0;
        shares += fmax(known->share, 0);
        rates += known->rate;
    }
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (!unknown && shares > 0)
            weights[d] = known->share;
        else
            weights[d] = rates > 0 ? known->rate : 1;
    }
}

static yoke_status open_trained(const struct yk_split_view *view, const void *settings,
                                void **state)
{
    double *weights;
    yoke_status status = check(settings);
    if (status != YOKE_OK)
        return status;
    weights = yk_calloc((size_t)view->device_count, sizeof *weights);
    if (!weights)
        return YOKE_ENOMEM;
    weigh(view, weights);
    status = yk_shares_open(view, &(struct yk_shares_spec){ .weights = weights }, state);
    yk_free(weights);
    return status;
}

static const struct yk_adjust_rule *adjusts(const void *settings)
{
    return settings;
}

/* Describes the run before, which decided this run's shares. */
static void explain(const void *state, int device, char *text, size_t size)
{
    static const char *const levels[] = { "shares stayed", "a step from the slowest to the others",
                                          "shares fitted to its times" };
    const struct yk_adjust *before = yk_shares_adjust(state);
    int length = snprintf(text, size, "its learned share was %.1f %%",
                          100 * yk_shares_weight(state, device));
    if (before->dev > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length,
                 "; the run before: dev %.2f, lbt %.2f, level %d (%s)", before->dev, before->lbt,
                 before->level, levels[before->level]);
}

const struct yk_partitioner yk_partitioner_trained = {
    .name = "trained",
    .summary = "contiguous shares that earlier runs taught, adjusted when they are unbalanced",
    .options = options,
    .settings_bytes = sizeof(struct yk_adjust_rule),
    .needs_lessons = 1,
    .adjusts = adjusts,
    .open = open_trained,
    .close = yk_shares_close,
    .take = yk_shares_take,
    .changed = yk_shares_changed,
    .explain = explain,
    .asked = yk_shares_asked,
};
