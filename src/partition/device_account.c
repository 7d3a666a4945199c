/* device_account.c - see device_account.h: computes the line of each device, and the time without
 * it, from a finished job. */
#include "device_account.h"

#include <math.h>

#include "../base/alloc.h"
#include "balance.h"
#include "dispatch_state.h"

enum { BITS = 64 };

static int is_gone(uint64_t gone, int device)
{
    return device < BITS && (gone >> device & 1);
}

/* The time at which all devices except `without` end (-1: all devices). */
static double end_of(struct yk_taker *loads, const struct yk_account *accounts,
                     const struct yk_dispatch *dispatch, int without)
{
    const int count = dispatch->view.device_count;
    const double items = (double)(dispatch->view.last - dispatch->view.first);
    int d;
    for (d = 0; d < count; d++)
        loads[d] = (struct yk_taker){ .fixed = accounts[d].line.fixed_ns,
                                      .item = d == without ? 0 : accounts[d].line.item_ns };
    return yk_balance(loads, count, items);
}

/* Returns 1 if all other devices failed. */
static int is_only_one(const struct yk_dispatch *dispatch, uint64_t gone, int device)
{
    int d;
    for (d = 0; d < dispatch->view.device_count; d++)
        if (d != device && !is_gone(gone, d))
            return 0;
    return 1;
}

/* The line known from earlier jobs; otherwise the one measured in this job; otherwise none. */
static void take_line(const struct yk_split_status *status, struct yk_account *out)
{
    *out = (struct yk_account){ .grain = status->chunks_done > 0 ? (double)status->items_done /
                                                                       (double)status->chunks_done
                                                                 : 0 };
    out->of_jobs = status->known.line.item_ns > 0;
    if (out->of_jobs)
        out->line = status->known.line;
    else if (status->item_ns > 0)
        out->line = (struct yk_line){ status->item_ns, status->fixed_ns };
}

yoke_status yk_dispatch_account(const struct yk_dispatch *dispatch, int64_t ns, uint64_t gone,
                                struct yk_account *out)
{
    const int count = dispatch->view.device_count;
    struct yk_taker *loads = yk_calloc((size_t)count, sizeof *loads);
    double all;
    int d;
    if (!loads)
        return YOKE_ENOMEM;
    for (d = 0; d < count; d++) {
        take_line(&dispatch->status[d], &out[d]);
        if (is_gone(gone, d))
            out[d].line.item_ns = 0;
    }
    all = end_of(loads, out, dispatch, -1);
    for (d = 0; d < count; d++) {
        const double less = end_of(loads, out, dispatch, d);
        if (dispatch->status[d].items_done == 0)
            out[d].without_ns = (double)ns;
        else if (!isinf(less))
            out[d].without_ns = (double)ns + fmax(0, less - all);
        else
            out[d].without_ns = is_only_one(dispatch, gone, d) ? INFINITY : 0;
    }
    yk_free(loads);
    return YOKE_OK;
}
