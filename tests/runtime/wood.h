/* wood.h - a random wood, generated from a seed and counted by one thread: the expected result of a
 * step kernel. */
#ifndef WOOD_H
#define WOOD_H

#include <yoke/yoke.h>

#include "wood_kernels.h"

/* A kernel, and the host's view of its items. */
struct wood_form {
    const yoke_kernel *kernel;
    leaf_t (*kept)(leaf_t); /* the part of a leaf that fits the layout */
    uint64_t (*mark)(leaf_t);
};
extern const struct wood_form wood_forms[];
extern const int wood_form_count;

enum { WOOD_BINS_MOST = 16384, WOOD_AGES_MOST = 1500 };

/* Alternating: number of items, and sum of their marks. */
struct wood_tally {
    uint64_t bins[2 * WOOD_BINS_MOST], ages[2 * WOOD_AGES_MOST];
};

struct wood_job {
    const struct wood_form *form;
    wood_t wood;
    int64_t first, last;
    int64_t items;
    yoke_step step;        /* with sizes of the queue */
    char partitioner[40];  /* "": the default */
    int too_many, too_old; /* expected errors; one of the two if both are set */
};

struct wood_limits {
    int64_t items;   /* about, per wood */
    int64_t turns;   /* about, of one work-group for a wood with the smallest queues */
    uint32_t groups; /* 0: any */
    int64_t kernels; /* use only the first ones; 0: all */
};

/* Generates and counts it. Deterministic: depends only on the seed and the limits. */
void wood_draw(uint64_t seed, const struct wood_limits *limits, struct wood_job *out,
               struct wood_tally *want);

#endif
