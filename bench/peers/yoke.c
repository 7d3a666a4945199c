/* yoke.c - the contestant yoke. A variant is a partitioner. */
#include <yoke/yoke.h>

#include "contestant.h"

static yoke_runtime *runtime;
static yoke_array *x, *y, *out;

static void must(yoke_status status, const char *what)
{
    if (status != YOKE_OK)
        contestant_refuse(what, yoke_error_text());
}

static void saxpy_chunk(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    loops.saxpy.body(chunk->first, chunk->last, chunk->lane);
}

static void up_chunk(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    loops.up.body(chunk->first, chunk->last, chunk->lane);
}

static void down_chunk(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    loops.down.body(chunk->first, chunk->last, chunk->lane);
}

static void nothing_chunk(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    loops.nothing.body(chunk->first, chunk->last, chunk->lane);
}

static const yoke_param saxpy_params[] = {
    { .mode = YOKE_PARAM_VALUE, .type = "float", .name = "a", .size = 4, .alignment = 4 },
    { .mode = YOKE_PARAM_IN, .type = "float", .name = "x", .size = 4, .alignment = 4 },
    { .mode = YOKE_PARAM_INOUT, .type = "float", .name = "y", .size = 4, .alignment = 4 },
};
static const yoke_param uneven_params[] = {
    { .mode = YOKE_PARAM_OUT, .type = "uint", .name = "out", .size = 4, .alignment = 4 },
};

#define KERNEL(word, parameters, count)                                                            \
    {                                                                                              \
        .struct_size = sizeof(yoke_kernel), .kind = YOKE_KERNEL_NATIVE, .name = #word,             \
        .params = (parameters), .param_count = (count), .cpu.variant[0] = word##_chunk             \
    }
static const yoke_kernel saxpy = KERNEL(saxpy, saxpy_params, 3);
static const yoke_kernel up = KERNEL(up, uneven_params, 1);
static const yoke_kernel down = KERNEL(down, uneven_params, 1);
static const yoke_kernel nothing = KERNEL(nothing, NULL, 0);

static void open_yoke(int threads)
{
    must(yoke_open(&(yoke_config){ .devices = "cpu", .threads = threads }, &runtime), "yoke_open");
    must(yoke_array_wrap(runtime, loops.x, loops.floats, sizeof *loops.x, &x), "x");
    must(yoke_array_wrap(runtime, loops.y, loops.floats, sizeof *loops.y, &y), "y");
    must(yoke_array_wrap(runtime, loops.out, loops.uneven_items, sizeof *loops.out, &out), "out");
}

static void close_yoke(void)
{
    must(yoke_array_close(x), "x");
    must(yoke_array_close(y), "y");
    must(yoke_array_close(out), "out");
    must(yoke_close(runtime), "yoke_close");
}

static void run_yoke(const struct loop *loop, const char *variant)
{
    yoke_job job = { .range = { 0, loop->items }, .partitioner = variant };
    if (loop == &loops.saxpy) {
        job.kernel = &saxpy;
        job.args[0] = (yoke_arg)yoke_value(loops.a);
        job.args[1] = (yoke_arg)yoke_in(x);
        job.args[2] = (yoke_arg)yoke_inout(y);
    } else if (loop == &loops.nothing) {
        job.kernel = &nothing;
    } else {
        job.kernel = loop == &loops.up ? &up : &down;
        job.args[0] = (yoke_arg)yoke_out(out);
    }
    must(yoke_run(runtime, &job, NULL), loop->name);
}

const struct contestant contestant = { .open = open_yoke, .close = close_yoke, .run = run_yoke };
