/* program.c - a user's program, built against an installed yoke. */
#include <math.h>
#include <yoke/kernel.h>

YOKE_KERNEL(triple, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = 3 * x[i] + sinf(0 * x[i]); /* with libm, which yoke brings */
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <yoke/yoke.h>

int main(void)
{
    static float xs[1000], ys[1000];
    yoke_runtime *rt;
    yoke_array *x, *y;
    int i, wrong = 0;
    for (i = 0; i < 1000; i++)
        xs[i] = (float)i;
    if (yoke_open(NULL, &rt) != YOKE_OK || yoke_array_wrap(rt, xs, 1000, 4, &x) != YOKE_OK ||
        yoke_array_wrap(rt, ys, 1000, 4, &y) != YOKE_OK)
        goto failed;
    yoke_job job = { .kernel = &triple, .range = { 0, 1000 }, .args = { yoke_in(x), yoke_out(y) } };
    if (yoke_run(rt, &job, NULL) != YOKE_OK || yoke_array_acquire(y, YOKE_READ) != YOKE_OK)
        goto failed;
    for (i = 0; i < 1000; i++)
        wrong += ys[i] != 3 * xs[i];
    yoke_array_close(x);
    yoke_array_close(y);
    if (yoke_close(rt) != YOKE_OK)
        goto failed;
    if (!triple.opencl.source.text || !triple.cuda.source.text) {
        printf("the device texts are missing\n");
        return 1;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
failed:
    printf("%s\n", yoke_error_text());
    return 1;
}
#endif
