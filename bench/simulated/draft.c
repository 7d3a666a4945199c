/* draft.c - see draft.h. A size with a wide range is uniform in its logarithm. */
#include "draft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/random.h"

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * yk_random_next(state);
}

/* Uniform in the logarithm. */
static double across(uint64_t *state, double low, double high)
{
    return low * pow(high / low, yk_random_next(state));
}

static int one_of(uint64_t *state, int count)
{
    return (int)(yk_random_next(state) * count);
}

static void choose_profile(uint64_t *state, struct study_case *what, struct draft *draft)
{
    double dear;
    switch (one_of(state, 5)) {
    case 0:
        snprintf(what->profile, sizeof what->profile, "regular");
        draft->dearest = 1;
        break;
    case 1:
        snprintf(what->profile, sizeof what->profile, "linear-up");
        draft->dearest = 2;
        break;
    case 2:
        snprintf(what->profile, sizeof what->profile, "linear-down");
        draft->dearest = 2;
        break;
    case 3:
        snprintf(what->profile, sizeof what->profile, "random:spread=1:seed=%d",
                 1 + one_of(state, 1000));
        draft->dearest = 2;
        break;
    default:
        dear = across(state, 2, 10);
        snprintf(what->profile, sizeof what->profile,
                 "clustered:dear=%.3g:share=%.3g:stretches=%d:seed=%d", dear,
                 between(state, 0.1, 0.5), (int)across(state, 10, 2000), 1 + one_of(state, 1000));
        draft->dearest = dear;
    }
}

static void choose_gpus(uint64_t *state, struct draft *draft)
{
    int g, kinds = 1 + one_of(state, 4);
    draft->gpus = one_of(state, 3) == 0 ? 0 : 1 + one_of(state, one_of(state, 2) ? 4 : GPUS_MAX);
    for (g = 0; g < draft->gpus; g++) {
        if (g > 0 && one_of(state, kinds) == 0) { /* like the GPU before */
            draft->f[g] = draft->f[g - 1];
            draft->launch[g] = draft->launch[g - 1];
            draft->stair[g] = draft->stair[g - 1];
            draft->lanes[g] = draft->lanes[g - 1];
            continue;
        }
        draft->f[g] = across(state, 0.5, 100);
        draft->launch[g] = across(state, 2e-6, 100e-6);
        draft->stair[g] = one_of(state, 2);
        draft->lanes[g] = 2 + one_of(state, 3);
    }
}

double draft_speed(const struct draft *draft)
{
    double sum = draft->cores;
    int g;
    for (g = 0; g < draft->gpus; g++)
        sum += draft->f[g];
    return sum;
}

/* Chooses sizes that keep the case in the class. */
static void choose_sizes(uint64_t *state, struct draft *draft, struct study_case *what)
{
    double slowest = 1, all = draft_speed(draft), items, step;
    int g;
    for (g = 0; g < draft->gpus; g++)
        slowest = fmin(slowest, draft->f[g]);
    /* an item on the slowest device: dearest * core / slowest <= bound / 200, with bound = items *
     * core / all
     */
    items = LIMIT_PARTS * draft->dearest / slowest * all;
    what->items = (int64_t)ceil(items * across(state, 1, 100));
    draft->seconds = across(state, 20e-3, 100);
    what->core_seconds = draft->seconds * all / (double)what->items;
    for (g = 0; g < draft->gpus; g++) {
        draft->launch[g] = fmin(draft->launch[g], draft->seconds / LIMIT_PARTS);
        step = draft->seconds / LIMIT_PARTS * draft->f[g] / what->core_seconds / draft->dearest;
        draft->fill[g] = draft->stair[g] ? (int64_t)across(state, 1, fmax(1, step)) : 1;
    }
}

void draft_write(const struct draft *draft, struct study_case *what)
{
    size_t at =
        (size_t)snprintf(what->line, sizeof what->line, "cores=%d:noise=%.3f:contention=%.3f",
                         draft->cores, draft->noise, draft->contention);
    int g;
    for (g = 0; g < draft->gpus && at < sizeof what->line; g++)
        at += (size_t)snprintf(what->line + at, sizeof what->line - at,
                               ",gpu:f=%.4g:launch=%.4gus:fill=%lld:stair=%s:lanes=%d%s",
                               draft->f[g], 1e6 * draft->launch[g], (long long)draft->fill[g],
                               draft->stair[g] ? "yes" : "no", draft->lanes[g],
                               g == 0 && draft->extra ? draft->extra : "");
    study_machine(what);
}

void draft_draw(uint64_t *state, struct draft *draft, struct study_case *what)
{
    memset(draft, 0, sizeof *draft);
    memset(what, 0, sizeof *what);
    draft->cores = (int)across(state, 1, 64.99);
    choose_gpus(state, draft);
    draft->noise = one_of(state, 2) ? 0 : between(state, 0, 0.1);
    choose_profile(state, what, draft);
    choose_sizes(state, draft, what);
}

const char *const draft_flaws[DRAFT_FLAWS] = { "few items", "short jobs", "starts that do not hide",
                                               "contention", "one lane" };

int draft_spoil(uint64_t *state, struct draft *draft, struct study_case *what)
{
    int kind = one_of(state, DRAFT_FLAWS), g;
    double all = draft_speed(draft);
    if (kind == 0)
        what->items = (int64_t)fmax(1, across(state, 1, 200) * draft->cores);
    if (kind == 1)
        draft->seconds = across(state, 10e-6, 20e-3);
    what->core_seconds = draft->seconds * all / (double)what->items;
    for (g = 0; g < draft->gpus; g++) {
        if (kind == 2)
            draft->launch[g] = draft->seconds * across(state, 0.005, 0.5);
        if (kind == 4)
            draft->lanes[g] = 1;
    }
    if (kind == 3)
        draft->contention = between(state, 0, 0.3);
    return kind;
}
