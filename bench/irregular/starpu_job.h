/* starpu_job.h - runs an application's jobs by StarPU instead of yoke, with the same CPU function
 * of the same kernel.
 */
#ifndef BENCH_IRREGULAR_STARPU_JOB_H
#define BENCH_IRREGULAR_STARPU_JOB_H

#include <stdint.h>

/* Which runtime does the application's jobs from now on. */
extern struct starpu_turn {
    int wanted;    /* 1: StarPU does; 0: yoke does */
    int64_t block; /* indexes per task */
    int unit;      /* out: indexes per call of the latest job's CPU function */
} starpu_turn;

/* A digest of what the latest job wrote. */
uint64_t starpu_job_digest(void);

#endif
