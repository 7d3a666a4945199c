/* line.c - see yoke/model.h. */
#include <math.h>
#include <yoke/model.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "fit.h"
#include "split.h"

/* Times in ns inside, as everywhere. */
#define NS 1e9

yoke_status yoke_line_fit(const yoke_sample *samples, int count, yoke_line *out)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted fitted;
    int i;
    for (i = 0; i < count; i++)
        if (!yk_fit_add(&fit, &(struct yk_fit_sample){ .items = samples[i].items,
                                                       .ns = samples[i].seconds * NS }))
            return yk_fail(YOKE_EINVAL,
                           "sample %d, %g items in %g s, is none; both are more than 0 and finite",
                           i, samples[i].items, samples[i].seconds);
    yk_fit_line(&fit, &(struct yk_fit_asked){ .team = 0 }, &fitted);
    *out = (yoke_line){ fitted.line.item_ns / NS, fitted.line.fixed_ns / NS, fitted.item_half / NS,
                        fitted.off };
    return YOKE_OK;
}

double yoke_mean(const double *values, int count, double *half)
{
    struct yk_mean mean = { 0 };
    int i;
    for (i = 0; i < count; i++)
        yk_mean_add(&mean, values[i], 1);
    *half = yk_mean_half(&mean);
    return mean.mean;
}

yoke_status yoke_line_split(const yoke_line *lines, int count, int64_t items, int64_t *parts,
                            double *seconds)
{
    const struct yk_work work = { .items = items, .unit = 1 };
    struct yk_part *all = yk_calloc((size_t)(count > 0 ? count : 1), sizeof *all);
    struct yk_taker *takers = yk_calloc((size_t)(count > 0 ? count : 1), sizeof *takers);
    yoke_status status = all && takers ? YOKE_OK : YOKE_ENOMEM;
    double ns = INFINITY;
    int i;
    for (i = 0; status == YOKE_OK && i < count; i++)
        all[i].line = (struct yk_line){ lines[i].item_seconds * NS, lines[i].fixed_seconds * NS };
    if (status == YOKE_OK)
        ns = yk_split(all, takers, count, &work);
    if (status == YOKE_OK && isinf(ns))
        status =
            yk_fail(YOKE_EINVAL, "%d lines, and none of them is known: nobody could do %lld items",
                    count, (long long)items);
    for (i = 0; status == YOKE_OK && parts && i < count; i++)
        parts[i] = all[i].items;
    if (status == YOKE_OK)
        *seconds = ns / NS;
    yk_free(takers);
    yk_free(all);
    return status;
}
