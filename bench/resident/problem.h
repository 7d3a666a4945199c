/* problem.h - the cases of resident.c and starpu.c: their words, their data, how their times are
 * printed, and the same by plain loops. Knows nothing of yoke or StarPU.
 *
 * CASE: axpy     one kernel
 *       stencil  one kernel, two vectors in turn, with a halo
 *       chain    three kernels on the same rows
 *       turns    two kernels in turn (with slow=scale on a device: with opposite speed ratios)
 *       spmv     the rows of a sparse matrix, the whole vector
 *       cg       conjugate gradients: spmv, dot products and updates
 */
#ifndef BENCH_RESIDENT_PROBLEM_H
#define BENCH_RESIDENT_PROBLEM_H

#include <stdint.h>

enum { NONZEROS = 9, SPMV_STEPS = 20 }; /* NONZEROS: in each row of the matrix */
enum problem_case { AXPY, STENCIL, CHAIN, TURNS, SPMV, CG, CASES };

#define PROBLEM_WORDS "axpy|stencil|chain|turns|spmv|cg ROWS STEPS"

struct problem {
    enum problem_case which;
    int steps;
    int64_t rows;
};

/* Reads CASE ROWS STEPS. 0: the words say something else. */
int problem_read(char **words, struct problem *out);
int problem_has_matrix(const struct problem *problem);

/* What vectors are filled with. */
float wave(int64_t i);
float zero(int64_t i);

struct matrix { /* CSR: NONZEROS per row, rows + 1 starts */
    int64_t *start;
    int32_t *column;
    float *value;
};
void matrix_fill(const struct matrix *matrix, int64_t rows);

/* Seconds of one clock. */
struct problem_times {
    double begin, first, half,
        end; /* `first`, `half`: when the first step and the first half end */
};
/* Without the end of the line. */
void problem_print(const struct problem *problem, const struct problem_times *times);

struct problem_results {
    const float *u, *y;
    double residual; /* conjugate gradients: r r after the last step */
};
/* Compares with plain loops: at both ends and in the middle, where the borders between two devices
 * are; or all rows. Of conjugate gradients, the residual. 0: the results are wrong, which it also
 * tells. Of spmv after more than SPMV_STEPS steps, only whether the values decay, as they do
 * to nothing: wrong results show in fewer steps. */
int problem_verify(const struct problem *problem, const struct problem_results *found);

#endif
