/* 10-arrays.c - the loop of 01-hello.c in its long form: a runtime that the program opens, arrays
 * whose rows stay on the devices until they are needed elsewhere, and a job that can be submitted,
 * canceled and asked what each device did. */
#include <yoke/kernel.h>

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <yoke/yoke.h>

enum { count = 1000000 };
static float xs[count], ys[count];

int main(void)
{
    yoke_runtime *rt;
    yoke_array *x, *y;
    for (int i = 0; i < count; i++) {
        xs[i] = (float)i;
        ys[i] = 1.0f;
    }
    if (yoke_open(NULL, &rt) != YOKE_OK ||
        yoke_array_wrap(rt, xs, count, sizeof *xs, &x) != YOKE_OK ||
        yoke_array_wrap(rt, ys, count, sizeof *ys, &y) != YOKE_OK)
        goto failed;
    yoke_job job = { .kernel = &saxpy,
                     .range = { 0, count },
                     .args = { yoke_value(2.0f), yoke_in(x), yoke_inout(y) } };
    if (yoke_run(rt, &job, NULL) != YOKE_OK || yoke_array_acquire(y, YOKE_READ) != YOKE_OK)
        goto failed;
    printf("y[10] = %g, y[%d] = %g\n", (double)ys[10], count - 1, (double)ys[count - 1]);
    yoke_array_close(y);
    yoke_array_close(x);
    return yoke_close(rt) != YOKE_OK;
failed:
    fprintf(stderr, "%s\n", yoke_error_text());
    return 1;
}
#endif
