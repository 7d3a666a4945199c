/* line.c - the functions of yoke/model.h: programs fit lines to their own measurements, and divide
 * jobs by these lines. */
#include <math.h>
#include <yoke/model.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "fit.h"
#include "split.h"

/* Internal times are in ns, as everywhere. */
#define NS 1e9

yoke_status yoke_line_fit(const yoke_sample *samples, int count, yoke_line *out)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted fitted;
    int i;
    if (count < 0 || (count > 0 && !samples) || !out)
        return yk_fail(YOKE_EINVAL, "yoke_line_fit: %s",
                       count < 0 ? "count is negative"
                       : out     ? "samples is NULL"
                                 : "out is NULL");
    for (i = 0; i < count; i++)
        if (!yk_fit_add(&fit, &(struct yk_fit_sample){ .items = samples[i].items,
                                                       .ns = samples[i].seconds * NS }))
            return yk_fail(YOKE_EINVAL,
                           "sample %d has %g items and %g s; give finite numbers above 0", i,
                           samples[i].items, samples[i].seconds);
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
    if (half)
        *half = yk_mean_half(&mean);
    return mean.mean;
}

static yoke_status check_lines(const yoke_line *lines, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (!(lines[i].item_seconds >= 0 && lines[i].fixed_seconds >= 0) ||
            isinf(lines[i].item_seconds) || isinf(lines[i].fixed_seconds))
            return yk_fail(
                YOKE_EINVAL,
                "line %d has %g s per item and %g s fixed; give finite numbers of 0 or more", i,
                lines[i].item_seconds, lines[i].fixed_seconds);
    return YOKE_OK;
}

static yoke_status check_split(const yoke_line *lines, int count, int64_t items,
                               const double *seconds)
{
    if (count < 0 || items < 0)
        return yk_fail(YOKE_EINVAL,
                       "yoke_line_split: count is %d and items is %lld; give 0 or more", count,
                       (long long)items);
    if ((count > 0 && !lines) || !seconds)
        return yk_fail(YOKE_EINVAL, "yoke_line_split: %s is NULL", seconds ? "lines" : "seconds");
    return check_lines(lines, count);
}

yoke_status yoke_line_split(const yoke_line *lines, int count, int64_t items, int64_t *parts,
                            double *seconds)
{
    if (check_split(lines, count, items, seconds) != YOKE_OK)
        return YOKE_EINVAL;
    struct yk_part *all = yk_calloc((size_t)(count > 0 ? count : 1), sizeof *all);
    struct yk_taker *takers = yk_calloc((size_t)(count > 0 ? count : 1), sizeof *takers);
    yoke_status status = all && takers ? YOKE_OK : YOKE_ENOMEM;
    double ns = INFINITY;
    int i;
    for (i = 0; status == YOKE_OK && i < count; i++)
        all[i].line = (struct yk_line){ lines[i].item_seconds * NS, lines[i].fixed_seconds * NS };
    if (status == YOKE_OK)
        ns = yk_split(&(struct yk_split){ all, takers, count, { .items = items, .unit = 1 } });
    if (status == YOKE_OK && isinf(ns))
        status = yk_fail(YOKE_EINVAL, "none of %d lines is known, so no device can do %lld items",
                         count, (long long)items);
    for (i = 0; status == YOKE_OK && parts && i < count; i++)
        parts[i] = all[i].items;
    if (status == YOKE_OK)
        *seconds = ns / NS;
    yk_free(takers);
    yk_free(all);
    return status;
}
