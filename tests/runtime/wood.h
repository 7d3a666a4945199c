/* wood.h - a random wood, drawn from a seed and counted by one thread: what a step kernel has to
 * come to. */
#ifndef WOOD_H
#define WOOD_H

#include <yoke/yoke.h>

#include "wood_kernels.h"

/* A kernel, and its items as the host sees them. */
struct wood_form {
    const yoke_kernel *kernel;
    leaf_t (*kept)(leaf_t); /* what of a leaf fits the layout */
    uint64_t (*mark)(leaf_t);
};
extern const struct wood_form wood_forms[];
extern const int wood_form_count;

enum { WOOD_BINS_MOST = 16384, WOOD_AGES_MOST = 1500 };

/* How often items were met, and the sum of their marks, in turns. */
struct wood_tally {
    uint64_t bins[2 * WOOD_BINS_MOST], ages[2 * WOOD_AGES_MOST];
};

struct wood_job {
    const struct wood_form *form;
    wood_t wood;
    int64_t first, last;
    int64_t items;
    yoke_step step;        /* with sizes of the queue */
    char partitioner[40];  /* "": the usual one */
    int too_many, too_old; /* errors it has to end with; one of them if both */
};

struct wood_limits {
    int64_t items;   /* of one wood, about */
    int64_t turns;   /* of one work-group, about, that a wood may take on the smallest queues */
    uint32_t groups; /* 0: any */
    int64_t kernels; /* only the first ones; 0: all */
};

/* Draws it and counts it. All that is drawn comes of the seed and the limits. */
void wood_draw(uint64_t seed, const struct wood_limits *limits, struct wood_job *out,
               struct wood_tally *want);

#endif
