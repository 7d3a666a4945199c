/* draft.h - random machines and loops from a seed. */
#ifndef BENCH_SIMULATED_DRAFT_H
#define BENCH_SIMULATED_DRAFT_H

#include "study.h"

enum { GPUS_MAX = 16, LIMIT_PARTS = 200 /* 0.5 % */, DRAFT_FLAWS = 5 };

struct draft {
    int cores, gpus;
    double seconds; /* the intended bound */
    double dearest; /* cost of the most expensive item / the average cost */
    double f[GPUS_MAX], launch[GPUS_MAX];
    int64_t fill[GPUS_MAX];
    int stair[GPUS_MAX], lanes[GPUS_MAX];
    double noise, contention;
    const char *extra; /* settings of the first GPU */
};

/* Draws a machine and a loop of the class that is judged (machines.c). */
void draft_draw(uint64_t *state, struct draft *draft, struct study_case *what);
/* Changes one thing so that the case leaves the class; returns its index in draft_flaws. */
int draft_spoil(uint64_t *state, struct draft *draft, struct study_case *what);
extern const char *const draft_flaws[DRAFT_FLAWS];
/* Writes the machine as a line for `yoke sim`, and parses it into what->machine. */
void draft_write(const struct draft *draft, struct study_case *what);
/* The speed of all devices, in cores. */
double draft_speed(const struct draft *draft);

#endif
