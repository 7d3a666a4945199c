/* alternative_work.c - see alternative_work.h. */
#include "alternative_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ok.h"

const char *where = "";
const char *const partitioners[PARTITIONERS] = {
    NULL, "even", "static", "dynamic", "guided", "nc-ht", "c-ht", "demand",
};

yoke_status open_work(yoke_runtime *rt, int64_t n, struct work *out)
{
    yoke_status status;
    *out = (struct work){ .rt = rt, .n = n };
    out->x = malloc((size_t)n * sizeof *out->x);
    out->y = malloc((size_t)n * sizeof *out->y);
    for (int64_t i = 0; i < n; i++)
        out->x[i] = (uint32_t)i * 2654435761u;
    status = yoke_array_wrap(rt, out->x, n, sizeof *out->x, &out->ax);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, out->y, n, sizeof *out->y, &out->ay);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, &out->sum, 1, sizeof out->sum, &out->asum);
    return status;
}

yoke_status close_work(struct work *work)
{
    yoke_array *const arrays[] = { work->ax, work->ay, work->asum };
    yoke_status status = YOKE_OK;
    for (int a = 0; a < 3; a++) {
        yoke_status closed = yoke_array_close(arrays[a]);
        status = status == YOKE_OK ? closed : status;
    }
    free(work->x);
    free(work->y);
    return status;
}

static const int32_t most_rounds = ALTERNATIVE_MOST;

yoke_job job_of(const struct work *work)
{
    return (yoke_job){ .kernel = &k_at_once,
                       .alternative = &k_by_steps,
                       .range = { 0, work->n },
                       .args = { yoke_value(most_rounds), yoke_in(work->ax), yoke_out(work->ay),
                                 yoke_add_to(work->asum) } };
}

yoke_status check_work(struct work *work, int times)
{
    int64_t sum = 0;
    yoke_status status = yoke_array_acquire(work->ay, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(work->asum, YOKE_READ);
    for (int64_t i = 0; i < work->n && status == YOKE_OK; i++) {
        uint32_t z = work->x[i];
        const int rounds = alternative_rounds(z, most_rounds);
        for (int r = 0; r < rounds; r++)
            z = alternative_round(z);
        sum += rounds;
        if (work->y[i] != z)
            fail_msg("%s: y[%d] is %u, not %u", where, (int)i, work->y[i], z);
    }
    if (status == YOKE_OK && work->sum != times * sum)
        fail_msg("%s: %d rounds, not %d", where, (int)work->sum, (int)(times * sum));
    return status;
}

yoke_status run_work(struct work *work, const yoke_job *job, struct did *out)
{
    yoke_result *result = NULL;
    yoke_status status;
    memset(work->y, 0xee, (size_t)work->n * sizeof *work->y);
    status = yoke_array_acquire(work->asum, YOKE_WRITE);
    work->sum = 0;
    if (status == YOKE_OK)
        status = yoke_array_release(work->asum);
    if (status == YOKE_OK)
        status = yoke_run(work->rt, job, &result);
    if (status != YOKE_OK)
        return status;
    *out = (struct did){ .seconds = result->seconds };
    for (int d = 0; d < result->device_count && d < DEVICES_MOST; d++) {
        const yoke_kernel_result *kernel = &result->kernels[d];
        assert_int_equal(kernel->items[0] + kernel->items[1], result->devices[d].items);
        assert_string_equal(kernel->name,
                            kernel->items[1] > kernel->items[0] ? "k_by_steps" : "k_at_once");
        memcpy(out->items[d], kernel->items, sizeof kernel->items);
        snprintf(out->reasons[d], sizeof out->reasons[d], "%s", kernel->reason);
        snprintf(out->names[d], sizeof out->names[d], "%s", kernel->name);
    }
    yoke_result_close(result);
    return check_work(work, 1);
}
