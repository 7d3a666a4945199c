/* linear.h - PURE. The internals of the partitioner `linear`: linear.c finds the split,
 * linear_explain.c explains it. */
#ifndef YK_PARTITION_PAPERS_LINEAR_H
#define YK_PARTITION_PAPERS_LINEAR_H

#include "../../model/split.h"
#include "../partitioner.h"

/* Machines change, but a line without new samples stays as it is. So a device that got nothing of
 * this many jobs in a row is assumed to need only YK_LINEAR_DOUBT of its known time, and may get a
 * part again. If the assumption is wrong, that costs little. */
enum { YK_LINEAR_PASSED_OVER = 64 };
#define YK_LINEAR_DOUBT 0.8
static inline int yk_linear_doubts(const struct yk_split_device *known)
{
    return known->passed_over >= YK_LINEAR_PASSED_OVER && !known->guessed;
}

/* What is known about one device. */
struct yk_linear_told {
    struct yk_part part;
    struct yk_line line; /* its line while all others work */
    double without_ns;   /* time of the job without this device, if it is left out for that;
                          * otherwise 0 */
};

struct yk_linear { /* followed by one `told` per device */
    const struct yk_split_view *view;
    void *shares;
    int guesses;   /* 1: a device's part is based on a guess, so its end cannot be predicted */
    double end_ns; /* common end of the devices; 0: no line is known, shares are equal */
    double job_ns; /* end of the job, with the usual lateness of such jobs */
    double joules; /* 0: not requested */
    struct yk_linear_told told[];
};

/* --- linear_explain.c --- */
void yk_linear_explain(const void *state, int device, char *text, size_t size);

#endif
