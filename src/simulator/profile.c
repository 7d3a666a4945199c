/* profile.c - see profile.h. */
#include "profile.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/option.h"
#include "../base/status.h"
#include "../machine/random.h"

enum { steps_max = 1 << 20 };

#define FIELD(name) offsetof(struct yk_profile_spec, name)
static const struct yk_option no_options[] = { { .name = NULL } };
static const struct yk_option linear_options[] = {
    { "spread", NULL, "1", "cheapest and most expensive item: 1 - spread and 1 + spread averages",
      YK_OPTION_REAL, FIELD(spread), NULL },
    { .name = NULL }
};
static const struct yk_option random_options[] = {
    { "spread", NULL, "1", "items cost from 1 - spread to 1 + spread averages", YK_OPTION_REAL,
      FIELD(spread), NULL },
    { "seed", NULL, "1", "seed of the costs", YK_OPTION_INT, FIELD(seed), NULL },
    { .name = NULL }
};
static const struct yk_option clustered_options[] = {
    { "dear", NULL, "8", "cost of an item in an expensive stretch, as a multiple of the others'",
      YK_OPTION_REAL, FIELD(dear), NULL },
    { "share", NULL, "0.25", "part of the stretches that is expensive", YK_OPTION_REAL,
      FIELD(share), NULL },
    { "stretches", NULL, "64", "number of stretches, of equal length", YK_OPTION_INT,
      FIELD(stretches), NULL },
    { "seed", NULL, "1", "seed of their positions", YK_OPTION_INT, FIELD(seed), NULL },
    { .name = NULL }
};

static const struct {
    const char *name;
    const struct yk_option *options;
} kinds[] = { [YK_PROFILE_REGULAR] = { "regular", no_options },
              [YK_PROFILE_LINEAR_UP] = { "linear-up", linear_options },
              [YK_PROFILE_LINEAR_DOWN] = { "linear-down", linear_options },
              [YK_PROFILE_RANDOM] = { "random", random_options },
              [YK_PROFILE_CLUSTERED] = { "clustered", clustered_options },
              [YK_PROFILE_RECORDED] = { "recorded", no_options } };
enum { kind_count = sizeof kinds / sizeof *kinds };

const char *yk_profile_name(int kind)
{
    return kind >= 0 && kind < kind_count ? kinds[kind].name : NULL;
}

yoke_status yk_profile_parse(const char *text, int64_t items, struct yk_profile_spec *out)
{
    size_t length = strcspn(text, ":");
    struct yk_profile_spec spec = { .items = items };
    int kind = 0;
    while (kind < kind_count &&
           (strlen(kinds[kind].name) != length || strncmp(kinds[kind].name, text, length) != 0))
        kind++;
    if (kind == kind_count)
        return yk_fail(YOKE_EINVAL,
                       "there is no cost profile '%.*s'; give one of: regular, linear-up, "
                       "linear-down, random, clustered, recorded",
                       (int)length, text);
    yoke_status status = yk_options_default(kinds[kind].options, &spec);
    if (status == YOKE_OK)
        status = yk_options_parse(kinds[kind].options, kinds[kind].name,
                                  text[length] ? text + length + 1 : NULL, &spec);
    spec.kind = (enum yk_profile_kind)kind;
    if (status == YOKE_OK)
        *out = spec;
    return status;
}

static yoke_status check_clusters(const struct yk_profile_spec *spec)
{
    if (!(spec->dear > 0 && spec->dear <= 1e9 && spec->share > 0 && spec->share <= 1 &&
          spec->stretches >= 1 && spec->stretches <= steps_max))
        return yk_fail(YOKE_EINVAL,
                       "%s: dear=%g, share=%g, stretches=%lld; dear may be above 0 to 1e9, share "
                       "above 0 to 1, stretches 1 to %d",
                       kinds[spec->kind].name, spec->dear, spec->share, (long long)spec->stretches,
                       (int)steps_max);
    return YOKE_OK;
}

static yoke_status check_recorded(const struct yk_profile_spec *spec)
{
    if (spec->cost_count < 1 || !spec->costs)
        return yk_fail(YOKE_EINVAL, "a recorded profile has no costs; give those of one chunk or "
                                    "more");
    for (int64_t i = 0; i < spec->cost_count; i++)
        if (!(spec->costs[i] >= 0) || isinf(spec->costs[i]))
            return yk_fail(YOKE_EINVAL, "recorded cost %lld is %g; costs are 0 or more",
                           (long long)i, spec->costs[i]);
    return YOKE_OK;
}

static yoke_status check(const struct yk_profile_spec *spec)
{
    if (spec->items < 1)
        return yk_fail(YOKE_EINVAL, "a loop of %lld items cannot be simulated; give 1 at least",
                       (long long)spec->items);
    if (!(spec->spread >= 0 && spec->spread <= 1))
        return yk_fail(YOKE_EINVAL, "%s: spread=%g; it may be 0 to 1", kinds[spec->kind].name,
                       spec->spread);
    if (spec->kind == YK_PROFILE_CLUSTERED)
        return check_clusters(spec);
    return spec->kind == YK_PROFILE_RECORDED ? check_recorded(spec) : YOKE_OK;
}

/* Draws which stretches are expensive: the given share of them. They are drawn one after the other
 * such that their number is exact. */
static void draw_clusters(const struct yk_profile_spec *spec, double *costs)
{
    int64_t dear_left = (int64_t)ceil(spec->share * (double)spec->stretches);
    uint64_t state = (uint64_t)spec->seed;
    for (int64_t i = 0; i < spec->stretches; i++) {
        double chance = (double)dear_left / (double)(spec->stretches - i);
        costs[i] = yk_random_next(&state) < chance ? spec->dear : 1;
        dear_left -= costs[i] != 1;
    }
}

/* The costs of stretches of equal length. */
struct stretches {
    const double *sums; /* sums of the first 0, 1, 2 ... costs */
    int64_t count, items;
};

static double stretches_sum(const struct stretches *s, int64_t at)
{
    double place = (double)at / (double)s->items * (double)s->count;
    int64_t whole = (int64_t)place;
    if (whole >= s->count)
        return s->sums[s->count];
    return s->sums[whole] + (place - (double)whole) * (s->sums[whole + 1] - s->sums[whole]);
}

/* Turns costs into sums, in place; the array has one entry more than there are costs. */
static void sum_up(double *costs, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i <= count; i++) {
        double cost = i < count ? costs[i] : 0;
        costs[i] = sum;
        sum += cost;
    }
}

static yoke_status fill_stretches(const struct yk_profile_spec *spec, struct yk_profile *profile,
                                  int64_t steps)
{
    int clustered = spec->kind == YK_PROFILE_CLUSTERED;
    int64_t count = clustered ? spec->stretches : spec->cost_count;
    double *costs = yk_calloc((size_t)count + 1, sizeof *costs);
    if (!costs)
        return YOKE_ENOMEM;
    if (clustered)
        draw_clusters(spec, costs);
    else
        memcpy(costs, spec->costs, (size_t)count * sizeof *costs);
    sum_up(costs, count);
    struct stretches stretches = { .sums = costs, .count = count, .items = spec->items };
    for (int64_t i = 0; i <= steps; i++) {
        int64_t at = i * profile->step;
        profile->sums[i] = stretches_sum(&stretches, at < spec->items ? at : spec->items);
    }
    yk_free(costs);
    return YOKE_OK;
}

/* The mean of `step` evenly distributed costs varies 1 / sqrt(step) times as much as one cost. */
static void fill_random(const struct yk_profile_spec *spec, struct yk_profile *profile,
                        int64_t steps)
{
    uint64_t state = (uint64_t)spec->seed;
    for (int64_t i = 0; i < steps; i++) {
        int64_t left = spec->items - i * profile->step;
        double items = (double)(left < profile->step ? left : profile->step);
        double varied = 2 * yk_random_next(&state) - 1;
        profile->sums[i] = items * (1 + spec->spread * varied / sqrt(items));
    }
    profile->sums[steps] = 0;
    sum_up(profile->sums, steps);
}

static double dearest(const struct yk_profile *profile, int64_t steps)
{
    double most = 0;
    for (int64_t i = 0; i < steps; i++) {
        int64_t left = profile->items - i * profile->step;
        double items = (double)(left < profile->step ? left : profile->step);
        most = fmax(most, (profile->sums[i + 1] - profile->sums[i]) / items);
    }
    return most;
}

yoke_status yk_profile_open(const struct yk_profile_spec *spec, struct yk_profile *out)
{
    struct yk_profile profile = { .kind = spec->kind, .items = spec->items, .step = 1 };
    yoke_status status = check(spec);
    if (status != YOKE_OK)
        return status;
    profile.spread = spec->kind == YK_PROFILE_LINEAR_UP     ? spec->spread
                     : spec->kind == YK_PROFILE_LINEAR_DOWN ? -spec->spread
                                                            : 0;
    profile.dearest = 1 + fabs(profile.spread);
    if (spec->kind < YK_PROFILE_RANDOM) {
        *out = profile;
        return YOKE_OK;
    }
    profile.step = (spec->items - 1) / steps_max + 1;
    int64_t steps = (spec->items - 1) / profile.step + 1;
    profile.sums = yk_calloc((size_t)steps + 1, sizeof *profile.sums);
    if (!profile.sums)
        return YOKE_ENOMEM;
    if (spec->kind == YK_PROFILE_RANDOM)
        fill_random(spec, &profile, steps);
    else
        status = fill_stretches(spec, &profile, steps);
    if (status == YOKE_OK && !(profile.sums[steps] > 0))
        status =
            yk_fail(YOKE_EINVAL, "all costs of the profile are 0; one at least has to be more");
    if (status != YOKE_OK) {
        yk_free(profile.sums);
        return status;
    }
    double scale = (double)spec->items / profile.sums[steps];
    for (int64_t i = 0; i <= steps; i++)
        profile.sums[i] *= scale;
    profile.dearest = dearest(&profile, steps);
    *out = profile;
    return YOKE_OK;
}

void yk_profile_close(struct yk_profile *profile)
{
    yk_free(profile->sums);
    profile->sums = NULL;
}

/* Cost of the first `at` items. */
static double sum_to(const struct yk_profile *profile, int64_t at)
{
    double items = (double)profile->items, place = (double)at;
    if (!profile->sums)
        return place * (1 + profile->spread * (place / items - 1));
    int64_t step = at / profile->step, inside = at % profile->step;
    if (inside == 0)
        return profile->sums[step];
    int64_t left = profile->items - step * profile->step;
    double length = (double)(left < profile->step ? left : profile->step);
    return profile->sums[step] +
           (double)inside / length * (profile->sums[step + 1] - profile->sums[step]);
}

double yk_profile_cost(const struct yk_profile *profile, int64_t first, int64_t last)
{
    double cost = sum_to(profile, last) - sum_to(profile, first);
    return cost > 0 ? cost : 0;
}
