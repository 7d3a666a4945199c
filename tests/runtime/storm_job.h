/* storm_job.h - one random job of a storm: as a job for yoke, and computed by hand. */
#ifndef STORM_JOB_H
#define STORM_JOB_H

#include <stdint.h>
#include <yoke/yoke.h>

enum { STORM_ARRAYS = 6, STORM_ROWS_MOST = 300 };

/* splitmix64; low bits are as random as high ones. */
uint32_t storm_draw(uint64_t *state);
/* 0 .. most - 1 */
int64_t storm_below(uint64_t *state, int64_t most);
int storm_one_in(uint64_t *state, int times);

/* Expected contents of an array. A row that a failed job may have written, or that was computed
 * from such rows, is undefined. */
struct storm_rows {
    uint32_t value[STORM_ROWS_MOST];
    unsigned char undefined[STORM_ROWS_MOST];
};

struct storm_job {
    int form;     /* index in storm_job.c's table */
    int from, to; /* arrays */
    int64_t first, last;
    int64_t rows; /* of every array */
    uint32_t a;
};

void storm_job_draw(uint64_t *state, int64_t rows, struct storm_job *out);
/* Range, kernel, arguments and partitioner; borrows from *job until submitted. */
void storm_job_state(const struct storm_job *job, yoke_array *const *arrays, uint64_t *state,
                     yoke_job *out);

/* Rows whose contents it needs, and rows that it changes. */
yoke_rows storm_job_reads(const struct storm_job *job, int array);
yoke_rows storm_job_writes(const struct storm_job *job);

void storm_job_by_hand(const struct storm_job *job, struct storm_rows *arrays);
/* The job failed: the rows it writes become undefined. */
void storm_job_undefine(const struct storm_job *job, struct storm_rows *arrays);

#endif
