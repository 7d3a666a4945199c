/* starpu_job.h - an application's jobs by StarPU instead of yoke, with the same CPU function of the
 * same kernel.
 */
#ifndef BENCH_IRREGULAR_STARPU_JOB_H
#define BENCH_IRREGULAR_STARPU_JOB_H

#include <stdint.h>

/* Who does the jobs that the application hands over from now on. */
extern struct starpu_turn {
    int wanted;    /* 1: StarPU, */
    int64_t block; /* a task for so many indexes */
    int unit;      /* out: indexes that the CPU function of the latest job does at once */
} starpu_turn;

/* Of what the latest job wrote. */
uint64_t starpu_job_digest(void);

#endif
