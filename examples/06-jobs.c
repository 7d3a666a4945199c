/* 06-jobs.c - many jobs at once: independent jobs run at the same time, dependent ones in order,
 * without any declaration of dependencies. */
#include <yoke/kernel.h>
YOKE_KERNEL(fill, i, YOKE_VALUE(float, value), YOKE_OUT(float, x))
{
    x[i] = value;
}

YOKE_KERNEL(add, i, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] += x[i];
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { ROWS = 100000 };

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    _Exit(status == YOKE_ENODEV ? 77 : 1);
}

int main(void)
{
    float one = 1, two = 2;
    yoke_runtime *rt;
    yoke_array *x, *y;
    yoke_ticket *half[2], *sum, *late;
    must(yoke_open(NULL, &rt));
    must(
        yoke_array_open(rt, &(yoke_array_spec){ .rows = ROWS, .element_size = sizeof(float) }, &x));
    must(
        yoke_array_open(rt, &(yoke_array_spec){ .rows = ROWS, .element_size = sizeof(float) }, &y));

    /* Two halves of x and the whole of y: three jobs that may run at the same time. */
    yoke_job low = { .kernel = &fill,
                     .range = { 0, ROWS / 2, { 0, 0 } },
                     .args = { yoke_value(one), yoke_out(x) } };
    yoke_job high = { .kernel = &fill,
                      .range = { ROWS / 2, ROWS, { 0, 0 } },
                      .args = { yoke_value(two), yoke_out(x) } };
    yoke_job all = { .kernel = &fill,
                     .range = { .last = ROWS },
                     .args = { yoke_value(one), yoke_out(y) } };
    must(yoke_submit(rt, &low, &half[0]));
    must(yoke_submit(rt, &high, &half[1]));
    must(yoke_submit(rt, &all, &late));
    must(yoke_wait(late, NULL));

    /* This job reads what the three jobs write, so it waits for them. */
    yoke_job both = { .kernel = &add,
                      .range = { .last = ROWS },
                      .args = { yoke_in(x), yoke_inout(y) } };
    must(yoke_submit(rt, &both, &sum));
    must(yoke_wait(sum, NULL));
    must(yoke_array_acquire(y, YOKE_READ));
    const float *result = yoke_array_host(y);
    printf("%g ... %g\n", (double)result[0], (double)result[ROWS - 1]);
    must(yoke_array_release(y));
    must(yoke_wait(half[0], NULL));
    must(yoke_wait(half[1], NULL));

    /* yoke_cancel stops a job between two chunks. yoke_wait then returns YOKE_ECANCELED, or YOKE_OK
     * if the job was done before. */
    must(yoke_submit(rt, &both, &late));
    must(yoke_cancel(late));
    yoke_status status = yoke_wait(late, NULL);
    puts(status == YOKE_OK || status == YOKE_ECANCELED ? "canceled, or done before" : "failed");
    must(yoke_array_close(x));
    must(yoke_array_close(y));
    must(yoke_close(rt));
    return 0;
}
#endif
