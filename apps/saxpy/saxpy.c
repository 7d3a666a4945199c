/* saxpy.c - y = a x + y over long vectors: what a runtime costs if there is nothing to compute.
 *
 * All values are small integers. So every element has one right answer, for any order of
 * operations, fused or not, and the check is for equality with integer arithmetic. All cores fill
 * the vectors, before each run too: one core would take half a second for what the cores then do in
 * 10 ms, and the other cores would fall asleep.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../app.h"
#include "../cores.h"
#include "../count.h"
#include "../memory.h"
#include "../random.h"
#include "saxpy_kernels.h"

enum { FACTOR = 3, DEFAULT_ELEMENTS = 64 << 20, BLOCKS = 256 };

struct saxpy_state {
    int64_t count;
    uint64_t seed;
    struct app_memory memory;
    float *x, *y;
    yoke_array *x_array, *y_array; /* NULL while detached */
};

/* One hash serves both vectors: integers in [0, 4096). */
static int64_t x_value(const struct saxpy_state *s, int64_t i)
{
    return (int64_t)(random_bits(s->seed, (uint64_t)i) & 4095);
}
static int64_t y_value(const struct saxpy_state *s, int64_t i)
{
    return (int64_t)(random_bits(s->seed, (uint64_t)i) >> 52);
}

static void saxpy_close(void *state)
{
    struct saxpy_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->x);
    app_data_free(&s->memory, s->y);
    free(s);
}

static void fill_x(void *context, int64_t block)
{
    const struct saxpy_state *s = context;
    struct cores_span span = cores_span(s->count, BLOCKS, block);
    for (int64_t i = span.first; i < span.last; i++)
        s->x[i] = (float)x_value(s, i);
}

static void fill_y(void *context, int64_t block)
{
    const struct saxpy_state *s = context;
    struct cores_span span = cores_span(s->count, BLOCKS, block);
    for (int64_t i = span.first; i < span.last; i++)
        s->y[i] = (float)y_value(s, i);
}

static yoke_status fill(struct saxpy_state *s, cores_fn *block)
{
    const struct cores_work work = { "fill", block, s, BLOCKS };
    return cores_run_once(&work);
}

static yoke_status saxpy_open(struct app_spec *spec, void **state)
{
    struct saxpy_state *s;
    yoke_status status;
    if (spec->size[0] < 0)
        return app_fail(YOKE_EINVAL, "saxpy cannot have %" PRId64 " elements; --size is at least 1",
                        spec->size[0]);
    if (spec->size[0] == 0)
        spec->size[0] = DEFAULT_ELEMENTS;
    status = app_alloc("saxpy", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = (struct saxpy_state){ .count = spec->size[0], .seed = spec->seed, .memory = spec->memory };
    status = app_data_alloc(&s->memory, &(struct app_data){ "saxpy's x", s->count, sizeof *s->x },
                            (void **)&s->x);
    if (status == YOKE_OK)
        status = app_data_alloc(
            &s->memory, &(struct app_data){ "saxpy's y", s->count, sizeof *s->y }, (void **)&s->y);
    if (status == YOKE_OK)
        status = fill(s, fill_x);
    if (status == YOKE_OK)
        status = fill(s, fill_y);
    if (status != YOKE_OK) {
        saxpy_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static yoke_status saxpy_detach(void *state)
{
    struct saxpy_state *s = state;
    yoke_status x_status = yoke_array_close(s->x_array), y_status = yoke_array_close(s->y_array);
    s->x_array = s->y_array = NULL;
    return x_status != YOKE_OK ? x_status : y_status;
}

static yoke_status saxpy_attach(void *state, yoke_runtime *runtime)
{
    struct saxpy_state *s = state;
    yoke_array_spec x = {
        .host = s->x, .rows = s->count, .element_size = sizeof *s->x, .name = "x"
    };
    yoke_array_spec y = {
        .host = s->y, .rows = s->count, .element_size = sizeof *s->y, .name = "y"
    };
    yoke_status status = yoke_array_open(runtime, &x, &s->x_array);
    if (status != YOKE_OK)
        return status;
    status = yoke_array_open(runtime, &y, &s->y_array);
    if (status != YOKE_OK) {
        yoke_array_close(s->x_array);
        s->x_array = NULL;
    }
    return status;
}

/* Makes both vectors valid on the host only, so that each run moves what it needs. */
static yoke_status saxpy_reset(void *state)
{
    struct saxpy_state *s = state;
    yoke_status released, status = yoke_array_acquire(s->x_array, YOKE_READ_WRITE);
    if (status == YOKE_OK)
        status = yoke_array_release(s->x_array);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->y_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    status = fill(s, fill_y);
    released = yoke_array_release(s->y_array);
    return status != YOKE_OK ? status : released;
}

static yoke_status saxpy_run(void *state, struct app_run *run)
{
    struct saxpy_state *s = state;
    float a = FACTOR;
    yoke_job job = { .kernel = &saxpy,
                     .range = { .last = s->count },
                     .args = { yoke_value(a), yoke_in(s->x_array), yoke_inout_home(s->y_array) } };
    return app_run_job(run, &job);
}

static yoke_status saxpy_verify(void *state, char *note)
{
    struct saxpy_state *s = state;
    yoke_status status = yoke_array_acquire(s->y_array, YOKE_READ);
    int64_t i;
    if (status != YOKE_OK)
        return status;
    for (i = 0; i < s->count; i++) {
        int64_t right = FACTOR * x_value(s, i) + y_value(s, i);
        if (s->y[i] != (float)right) {
            yoke_array_release(s->y_array);
            return app_fail(YOKE_EINVAL, "y[%" PRId64 "] is %.9g and should be %" PRId64, i,
                            (double)s->y[i], right);
        }
    }
    snprintf(note, 256, "all %s exact", count_words(s->count, "elements").text);
    return yoke_array_release(s->y_array);
}

static int64_t saxpy_items(const void *state)
{
    return ((const struct saxpy_state *)state)->count;
}

const struct app app_saxpy = {
    .name = "saxpy",
    .summary = "y = a x + y over long vectors; bound by memory",
    .size_words = "elements",
    .size_count = 1,
    .is_regular = 1,
    .open = saxpy_open,
    .close = saxpy_close,
    .attach = saxpy_attach,
    .detach = saxpy_detach,
    .reset = saxpy_reset,
    .run = saxpy_run,
    .verify = saxpy_verify,
    .items = saxpy_items,
};
