/* held_jobs.h - jobs by hand over one array of a few cores, which tests hold up for as long as they
 * want: at a gate, or by a nap for each row. One scene at a time. */
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

/* A millisecond. */
void nap(void);

/* stepping: x[i] = x[i] * 3 + a, a step that shows in which order it was done. reading, writing:
 * wait at the gate. slow_writing: a nap for each row. */
extern const yoke_kernel stepping, reading, writing, slow_writing;
/* While 0, chunks of reading and writing wait; those that have come in; rows that are done. */
extern atomic_int gate, inside, done_items;

enum { ROWS = 1000 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *array;
    int64_t rows[ROWS];
};

/* Four cores; the gate is shut. */
void scene_open(struct scene *scene);
void scene_close(struct scene *scene);
/* What a stopped job was to write is lost until then. */
void write_again(struct scene *scene);

/* One chunk of the rows. */
yoke_job job_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last);
yoke_ticket *submit(struct scene *scene, const yoke_job *job);
yoke_ticket *submit_on(struct scene *scene, const yoke_kernel *kernel, int64_t first, int64_t last);

void wait_inside(int count);
/* For a while nothing more comes in. */
void stays_inside(int count);

#endif
