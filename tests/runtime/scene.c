/* scene.c - see scene.h. */
#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"

enum { N = 600, BINS = 5, STEPS = 3, ROWS = 50, WIDTH = 12, CUT = 5 };

/* A small program: a job in place, time steps with halos, a histogram, columns of a matrix. */
struct scene {
    float x[N], y[N], u[N];
    int32_t keys[N];
    uint32_t h[BINS];
    float w[BINS];
    uint32_t m[ROWS * WIDTH];
    yoke_array *ax, *ay, *au, *av, *akeys, *ah, *aw, *am, *left;
};

static void fill(struct scene *s)
{
    int i;
    memset(s, 0, sizeof *s);
    for (i = 0; i < N; i++) {
        s->x[i] = (float)i;
        s->y[i] = s->u[i] = 1;
        s->keys[i] = i;
    }
}

static yoke_status open_arrays(struct scene *s, yoke_runtime *rt)
{
    yoke_status status = yoke_array_wrap(rt, s->x, N, 4, &s->ax);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->y, N, 4, &s->ay);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->u, N, 4, &s->au);
    if (status == YOKE_OK)
        status = yoke_array_open(rt, &(yoke_array_spec){ .rows = N, .element_size = 4 }, &s->av);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->keys, N, 4, &s->akeys);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->h, BINS, 4, &s->ah);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->w, BINS, 4, &s->aw);
    if (status == YOKE_OK)
        status = yoke_array_open(
            rt,
            &(yoke_array_spec){
                .host = s->m, .rows = ROWS, .row_elements = WIDTH, .element_size = 4, .name = "m" },
            &s->am);
    return status;
}

static yoke_status add_to_columns(yoke_runtime *rt, yoke_array *m, int last)
{
    const tile_t tile = { .width = WIDTH, .last = last };
    const uint32_t by = 5;
    yoke_job job = { .kernel = &k_columns,
                     .range = { 0, ROWS },
                     .partitioner = "dynamic:chunk=16",
                     .args = { yoke_value(tile), yoke_value(by), yoke_inout(m) } };
    return yoke_run(rt, &job, NULL);
}

/* A panel, then all columns, then the panel again. */
static yoke_status run_panels(struct scene *s, yoke_runtime *rt)
{
    yoke_status status = yoke_array_panel(s->am, 0, CUT, &s->left);
    if (status == YOKE_OK)
        status = add_to_columns(rt, s->left, CUT);
    if (status == YOKE_OK)
        status = add_to_columns(rt, s->am, WIDTH);
    if (status == YOKE_OK)
        status = add_to_columns(rt, s->left, CUT);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->am, YOKE_READ);
    return status;
}

static yoke_status run_jobs(struct scene *s, yoke_runtime *rt)
{
    const float a = 2;
    const bounds_t b = { 0, N, 1 };
    const int32_t bins = BINS;
    yoke_job saxpy = { .kernel = &k_saxpy,
                       .range = { 0, N },
                       .partitioner = "dynamic:chunk=64",
                       .args = { yoke_value(a), yoke_in(s->ax), yoke_inout(s->ay) } };
    yoke_job count = { .kernel = &k_histogram,
                       .range = { 0, N },
                       .partitioner = "dynamic:chunk=50",
                       .args = { yoke_value(bins), yoke_in(s->akeys), yoke_add_to(s->ah),
                                 yoke_add_to(s->aw) } };
    yoke_status status = yoke_run(rt, &saxpy, NULL);
    int step;
    for (step = 0; step < 2 * STEPS && status == YOKE_OK; step++) {
        yoke_job blur = { .kernel = &k_blur,
                          .range = { 0, N },
                          .args = { yoke_value(b), yoke_in_halo(step % 2 ? s->av : s->au, 1, 1),
                                    yoke_out(step % 2 ? s->au : s->av) } };
        status = yoke_run(rt, &blur, NULL);
    }
    if (status == YOKE_OK)
        status = yoke_run(rt, &count, NULL);
    if (status == YOKE_OK)
        status = run_panels(s, rt);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->ay, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->au, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->ah, YOKE_READ);
    return status;
}

static void check(const struct scene *s)
{
    float u[N], v[N];
    int i, step;
    for (i = 0; i < N; i++) {
        u[i] = 1;
        if (s->y[i] != 1 + 2 * (float)i)
            fail_msg("y[%d] = %g", i, s->y[i]);
    }
    for (step = 0; step < 2 * STEPS; step++) {
        for (i = 0; i < N; i++)
            v[i] = (i ? u[i - 1] : 0) + u[i] + (i < N - 1 ? u[i + 1] : 0);
        memcpy(u, v, sizeof u);
    }
    assert_memory_equal(u, s->u, sizeof u);
    for (i = 0; i < BINS; i++)
        assert_int_equal(s->h[i], N / BINS);
    for (i = 0; i < ROWS * WIDTH; i++) {
        const int column = i % WIDTH, times = column < CUT ? 1 + 3 + 9 : 1;
        assert_int_equal(s->m[i], times * 5 * (i / WIDTH + 7 * column + 1));
    }
}

yoke_status scene_run(const char *devices)
{
    static struct scene s;
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    fill(&s);
    status = open_arrays(&s, rt);
    if (status == YOKE_OK)
        status = run_jobs(&s, rt);
    if (status == YOKE_OK)
        check(&s);
    yoke_array_close(s.ax);
    yoke_array_close(s.ay);
    yoke_array_close(s.au);
    yoke_array_close(s.av);
    yoke_array_close(s.akeys);
    yoke_array_close(s.ah);
    yoke_array_close(s.aw);
    yoke_array_close(s.left);
    yoke_array_close(s.am);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return status;
}
