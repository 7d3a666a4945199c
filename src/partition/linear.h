/* linear.h - PURE. The insides of the partitioner `linear`: linear.c finds the split,
 * linear_explain.c says why it is what it is.
 */
#ifndef YK_PARTITION_LINEAR_H
#define YK_PARTITION_LINEAR_H

#include "../model/split.h"
#include "partitioner.h"

/* Machines change, and a line to which no samples are added stays as it is: who got nothing of so
 * many jobs in a row is taken to be so much faster than it was seen to be, which costs little where
 * it is not. */
enum { YK_LINEAR_PASSED_OVER = 64 };
#define YK_LINEAR_DOUBT 0.8
static inline int yk_linear_doubts(const struct yk_split_device *known)
{
    return known->passed_over >= YK_LINEAR_PASSED_OVER && !known->guessed;
}

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
