/* held_jobs.c - see held_jobs.h. */
#include "held_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"

void nap(void)
{
    const struct timespec time = { .tv_nsec = 1000000 };
    nanosleep(&time, NULL);
}

/* --- kernels --- */

/* x[i] = x[i] * 3 + a, a step whose result depends on the order. */
static void step(void *const *args, const yoke_chunk *chunk)
{
    const int64_t a = *(const int64_t *)args[0];
    int64_t *x = args[1], i;
    for (i = chunk->first; i < chunk->last; i++)
        x[i] = (int64_t)((uint64_t)x[i] * 3 + (uint64_t)a);
}

static void smooth(void *const *args, const yoke_chunk *chunk)
{
    const int64_t *x = args[0];
    int64_t *y = args[1], i;
    for (i = chunk->first; i < chunk->last; i++)
        y[i] = (int64_t)((uint64_t)x[i - 1] * 3 + (uint64_t)x[i + 1]);
}

atomic_int gate, inside, done_items;

static void held_up(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&gate))
        nap();
    atomic_fetch_add(&done_items, (int)(chunk->last - chunk->first));
}

static void slow(void *const *args, const yoke_chunk *chunk)
{
    int64_t i;
    (void)args;
    for (i = chunk->first; i < chunk->last; i++)
        nap();
    atomic_fetch_add(&done_items, (int)(chunk->last - chunk->first));
}

static const yoke_param step_params[] = {
    { YOKE_PARAM_VALUE, "int64_t", "a", sizeof(int64_t), _Alignof(int64_t) },
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_param read_params[] = {
    { YOKE_PARAM_IN, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};
static const yoke_param write_params[] = {
    { YOKE_PARAM_INOUT, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
};

static const yoke_param smooth_params[] = {
    { YOKE_PARAM_IN, "int64_t", "x", sizeof(int64_t), _Alignof(int64_t) },
    { YOKE_PARAM_OUT, "int64_t", "y", sizeof(int64_t), _Alignof(int64_t) },
};

#define BY_HAND(kernel_name, function, parameters)                                                 \
    const yoke_kernel kernel_name = { .struct_size = sizeof(yoke_kernel),                          \
                                      .kind = YOKE_KERNEL_NATIVE,                                  \
                                      .name = #kernel_name,                                        \
                                      .file = __FILE__,                                            \
                                      .params = parameters,                                        \
                                      .param_count = sizeof parameters / sizeof *parameters,       \
                                      .cpu.variant = { function } }
BY_HAND(stepping, step, step_params);
BY_HAND(smoothing, smooth, smooth_params);
BY_HAND(reading, held_up, read_params);
BY_HAND(writing, held_up, write_params);
BY_HAND(slow_writing, slow, write_params);

/* --- a scene --- */

void scene_open(struct scene *scene)
{
    yoke_config config = { .devices = "cpu", .threads = 4 };
    int i;
    for (i = 0; i < ROWS; i++)
        scene->rows[i] = i;
    OK(yoke_open(&config, &scene->runtime));
    OK(yoke_array_wrap(scene->runtime, scene->rows, ROWS, sizeof *scene->rows, &scene->array));
    atomic_store(&gate, 0);
    atomic_store(&inside, 0);
    atomic_store(&done_items, 0);
}

void scene_close(struct scene *scene)
{
    OK(yoke_array_close(scene->array));
    OK(yoke_close(scene->runtime));
    assert_int_equal(yk_alloc_outstanding(), 0);
}

void write_again(struct scene *scene)
{
    OK(yoke_array_acquire(scene->array, YOKE_WRITE));
    OK(yoke_array_release(scene->array));
}

yoke_ticket *submit(struct scene *scene, const yoke_job *job)
{
    yoke_ticket *ticket;
    OK(yoke_submit(scene->runtime, job, &ticket));
    return ticket;
}

yoke_job job_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last)
{
    yoke_job job = { .kernel = kernel,
                     .range = { first, last, { 0, 0 } },
                     .partitioner = "dynamic:chunk=100000" };
    if (kernel == &reading)
        job.args[0] = (yoke_arg)yoke_in(scene->array);
    else
        job.args[0] = (yoke_arg)yoke_inout(scene->array);
    return job;
}

yoke_ticket *submit_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last)
{
    const yoke_job job = job_on(scene, kernel, first, last);
    return submit(scene, &job);
}

void wait_inside(int count)
{
    int patience = 10000;
    while (atomic_load(&inside) < count && patience-- > 0)
        nap();
    assert_int_equal(atomic_load(&inside), count);
}

void stays_inside(int count)
{
    int i;
    for (i = 0; i < 30; i++)
        nap();
    assert_int_equal(atomic_load(&inside), count);
}
