/* held_jobs.h - jobs of hand-written kernels over one array on a few cores, which tests delay as
 * long as they want: at a gate, or by a nap for each row. One scene at a time. */
#ifndef HELD_JOBS_H
#define HELD_JOBS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "ok.h"

#define REFUSED(call, status, words)                                                               \
    do {                                                                                           \
        assert_int_equal((call), (status));                                                        \
        if (!strstr(yoke_error_text(), (words)))                                                   \
            fail_msg("'%s' should say '%s'", yoke_error_text(), (words));                          \
    } while (0)

/* Sleeps for 1 ms. */
void nap(void);

/* stepping: x[i] = x[i] * 3 + a, a step whose result depends on the order. smoothing: y[i] =
 * x[i - 1] * 3 + x[i + 1]. reading, writing: wait at the gate. slow_writing: a nap for each row. */
extern const yoke_kernel stepping, smoothing, reading, writing, slow_writing;
/* gate: while 0, chunks of reading and writing wait. inside: number of chunks that wait.
 * done_items: rows done. */
extern atomic_int gate, inside, done_items;

enum { ROWS = 1000 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *array;
    int64_t rows[ROWS];
};

/* Four cores; the gate is closed. */
void scene_open(struct scene *scene);
void scene_close(struct scene *scene);
/* Writes the rows again that a stopped job left lost. */
void write_again(struct scene *scene);

/* A job on rows first .. last - 1. */
yoke_job job_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last);
yoke_ticket *submit(struct scene *scene, const yoke_job *job);
yoke_ticket *submit_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last);

void wait_inside(int count);
/* Checks that for a while no other chunk enters. */
void stays_inside(int count);

#endif
