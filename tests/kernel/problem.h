/* problem.h - the parts of a case: a kernel with its operands, cut into chunks and launched on
 * windows, and the comparison of results. */
#ifndef TESTS_KERNEL_PROBLEM_H
#define TESTS_KERNEL_PROBLEM_H

#include "cases.h"

enum reach { ROWS, HALO, WHOLE };

struct operand {
    const void *value;
    void *rows; /* the whole array */
    size_t row_bytes;
    enum reach reach;
    int64_t count; /* WHOLE: number of rows; otherwise as many as the range has */
};

struct problem {
    const yoke_kernel *kernel;
    int64_t count; /* of the first dimension */
    int64_t extent[2];
    struct operand operands[24];
    int64_t second[2], third[2]; /* first and last; zeros: all */
};

/* Three chunks, cut at odd places as far as the kernel's unit allows, each on copies of the rows it
 * may touch, of exactly their size. */
void run(const struct launcher *launcher, const struct problem *problem);

/* Fails the test if a value is wrong; the tolerance of `near` is relative for large values. */
void near(const char *what, int64_t at, double value, double expected, double tolerance);
void same(const char *what, int64_t at, int64_t value, int64_t expected);

void *allocate(size_t bytes); /* zeroed, never NULL */
/* Numbers in (0, 1), the same in every run. */
float noise(int64_t i);
float *noise_array(int64_t count);
int bin_of(float x); /* of BINS */

/* group_cases.c */
void mxv_run(const struct launcher *launcher);
void extremes_run(const struct launcher *launcher);
void gaps_run(const struct launcher *launcher);
void nbody_run(const struct launcher *launcher);
void parted_run(const struct launcher *launcher);
void unequal_run(const struct launcher *launcher);
void reverse_run(const struct launcher *launcher);
void voting_run(const struct launcher *launcher);
void leaving_run(const struct launcher *launcher);
void local_histogram_run(const struct launcher *launcher);
void few_lanes_run(const struct launcher *launcher);
void branches_run(const struct launcher *launcher);
void scan_run(const struct launcher *launcher);

/* exact_cases.c */
void exact_run(const struct launcher *launcher);
void wide_sums_run(const struct launcher *launcher);

#endif
