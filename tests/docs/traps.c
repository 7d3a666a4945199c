/* traps.c - the mistakes in the table of docs/tutorial.md, each made once. Prints what yoke says of
 * it, one line each. */
#include <yoke/kernel.h>

YOKE_KERNEL(blur, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = i == 0 ? x[i] : 0.5f * (x[i - 1] + x[i]);
}

YOKE_KERNEL(gather, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[index[i]];
}

YOKE_KERNEL(scatter, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[index[i]] = x[i];
}

YOKE_KERNEL(sum, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    s[0] += x[i];
}

YOKE_KERNEL2(fill, i, j, YOKE_VALUE(float, value), YOKE_OUT(float, y))
{
    y[i * YOKE_SIZE2 + j] = value;
}

YOKE_KERNEL(scale, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = a * x[i];
}

YOKE_KERNEL(positive, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    if (x[i] > 0)
        y[i] = x[i];
}

YOKE_KERNEL(total, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, double, s))
{
    yoke_reduce(s, (double)x[i]);
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { n = 64 };
static float x[n], y[n], z[n - 1];
static int32_t at[n];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

static void refused(yoke_status status)
{
    printf("%s\n", status == YOKE_OK ? "not noticed" : yoke_error_text());
}

/* Loops that are refused whatever the devices. */
static void wrong_loops(yoke_runtime *rt)
{
    float s[1] = { 0 }, single;
    refused(yoke_for(rt, &blur, n, x, y));
    refused(yoke_for(rt, &gather, n, at, x, y));
    refused(yoke_for(rt, &scatter, n, at, x, y));
    refused(yoke_for(rt, &sum, n, x, s));
    refused(yoke_for(rt, &scale, n, 0.5, x, y));
    refused(yoke_for(rt, &scale, n, 0.5f, x, z));
    refused(yoke_for(rt, &scale, n, 0.5f, x, x));
    refused(yoke_for(rt, &fill, n, 0.5f, y));
    refused(yoke_for(rt, &total, n, x, &single));
}

static void wrong_arrays(yoke_runtime *rt, yoke_runtime *other)
{
    yoke_array *a, *b;
    must(yoke_array_wrap(rt, x, n, sizeof *x, &a));
    must(yoke_array_wrap(rt, y, n, sizeof *y, &b));
    refused(yoke_for2(rt, &fill, 8, 8, 0.5f, b));
    must(yoke_array_acquire(a, YOKE_WRITE));
    refused(yoke_for(rt, &scale, n, 0.5f, a, b));
    must(yoke_array_release(a));
    refused(yoke_for(other, &scale, n, 0.5f, a, b));
    refused(yoke_close(rt));
    must(yoke_array_close(a));
    refused(yoke_for(rt, &scale, n, 0.5f, a, b));
    must(yoke_array_close(b));
}

/* What only checking mode notices. */
static void checked(yoke_runtime *rt)
{
    yoke_array *a, *b;
    must(yoke_array_wrap(rt, x, n, sizeof *x, &a));
    must(yoke_array_wrap(rt, y, n, sizeof *y, &b));
    refused(yoke_for(rt, &positive, n, a, b));
    must(yoke_for(rt, &scale, n, 0.5f, a, b));
    printf("y[0] = %g\n", fabs(y[0])); /* nan or -nan */
    x[3] = 1;
    refused(yoke_for(rt, &scale, n, 0.5f, a, b));
    must(yoke_array_close(a));
    refused(yoke_array_close(b));
}

/* A kernel as a file that was compiled without yoke_add_kernels has it. */
static void without_text(void)
{
    yoke_runtime *rt;
    yoke_kernel kernel = scale;
    kernel.opencl.source.text = NULL;
    if (yoke_open(&(yoke_config){ .devices = "opencl:0" }, &rt) != YOKE_OK)
        return; /* there is no OpenCL device */
    refused(yoke_for(rt, &kernel, n, 0.5f, x, y));
    must(yoke_close(rt));
}

int main(void)
{
    yoke_runtime *rt, *checking;
    must(yoke_open(&(yoke_config){ .devices = "cpu:1" }, &rt));
    must(yoke_open(&(yoke_config){ .check = 1 }, &checking));
    wrong_loops(rt);
    wrong_arrays(rt, checking);
    checked(checking);
    must(yoke_close(rt));
    must(yoke_close(checking));
    without_text();
    refused(yoke_open(&(yoke_config){ .devices = "gpu:0" }, &rt));
    return 0;
}
#endif
