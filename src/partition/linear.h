/* linear.h - PURE. The insides of the partitioner `linear`: linear.c finds the split,
 * linear_explain.c says why it is what it is.
 */
#ifndef YK_PARTITION_LINEAR_H
#define YK_PARTITION_LINEAR_H

#include "../model/split.h"
#include "partitioner.h"

/* What is said of one device. */
struct yk_linear_told {
    struct yk_part part;
    struct yk_line line; /* beside all */
    double
        without_ns; /* of a job without it, where it would be faster with it left out; 0: not so */
};

struct yk_linear { /* with one `told` a device behind it */
    void *shares;
    int guesses;   /* somebody has a part by a guess: nobody knows when that ends */
    double end_ns; /* of each device; 0: no line is known, shares are equal */
    double job_ns; /* and of the job, as late as such jobs were */
    double joules; /* 0: not asked for */
    struct yk_linear_told told[];
};

/* --- linear_explain.c --- */
void yk_linear_explain(const void *state, const struct yk_split_view *view, int device, char *text,
                       size_t size);

#endif
