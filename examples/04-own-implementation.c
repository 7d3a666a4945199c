/* 04-own-implementation.c - a kernel with hand-written CPU code and OpenCL source, for cases in
 * which a tuned library or a device's own language is faster than the common text. Nothing here
 * needs yoke's build rules. */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

/* Indexes count from the start of the whole array: args[p] points to where its element 0 is, or
 * would be if only a part of the array is there. */
static void squares_on_a_core(void *const *args, const yoke_chunk *chunk)
{
    const float *x = args[0];
    float *y = args[1];
    for (int64_t i = chunk->first; i < chunk->last; i++)
        y[i] = x[i] * x[i];
}

/* The parameters are the range and, for each array, its address and the byte offset of element
 * 0. */
static const char squares_text[] =
    "kernel void squares(long first, long last, long extent1, long extent2,\n"
    "                    global const char *x, long x_shift, global char *y, long y_shift)\n"
    "{\n"
    "    global const float *from = (global const float *)(x + x_shift);\n"
    "    global float *to = (global float *)(y + y_shift);\n"
    "    for (long i = first + (long)get_global_id(0); i < last; i += (long)get_global_size(0))\n"
    "        to[i] = from[i] * from[i];\n"
    "}\n";

static const yoke_param squares_params[] = {
    { .mode = YOKE_PARAM_IN,
      .type = "float",
      .name = "x",
      .size = sizeof(float),
      .alignment = sizeof(float) },
    { .mode = YOKE_PARAM_OUT,
      .type = "float",
      .name = "y",
      .size = sizeof(float),
      .alignment = sizeof(float) },
};

static const yoke_kernel squares = {
    .struct_size = sizeof(yoke_kernel),
    .kind = YOKE_KERNEL_RANGE,
    .name = "squares",
    .file = __FILE__,
    .params = squares_params,
    .param_count = 2,
    .cpu = { .variant = { squares_on_a_core } },
    .opencl = { .source = { .text = squares_text, .entry = "squares" } },
};

enum { count = 100000 };
static float xs[count], ys[count];

int main(void)
{
    yoke_runtime *rt;
    yoke_array *x, *y;
    yoke_result *result;
    int wrong = 0;
    for (int i = 0; i < count; i++)
        xs[i] = (float)(i % 1000);
    if (yoke_open(NULL, &rt) != YOKE_OK ||
        yoke_array_wrap(rt, xs, count, sizeof *xs, &x) != YOKE_OK ||
        yoke_array_wrap(rt, ys, count, sizeof *ys, &y) != YOKE_OK)
        goto failed;
    yoke_job job = { .kernel = &squares,
                     .range = { 0, count },
                     .args = { yoke_in(x), yoke_out(y) } };
    if (yoke_run(rt, &job, &result) != YOKE_OK || yoke_array_acquire(y, YOKE_READ) != YOKE_OK)
        goto failed;
    for (int i = 0; i < count; i++)
        wrong += ys[i] != xs[i] * xs[i];
    for (int d = 0; d < result->device_count; d++) {
        yoke_device device;
        if (yoke_device_get(rt, d, &device) == YOKE_OK)
            fprintf(stderr, "%s: %lld items\n", device.name, (long long)result->devices[d].items);
    }
    yoke_result_close(result);
    printf("%d of %d wrong\n", wrong, (int)count);
    yoke_array_close(y);
    yoke_array_close(x);
    return yoke_close(rt) != YOKE_OK || wrong != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
failed:
    fprintf(stderr, "%s\n", yoke_error_text());
    return EXIT_FAILURE;
}
