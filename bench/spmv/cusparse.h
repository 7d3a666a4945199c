/* cusparse.h - NVIDIA's product of the same matrix, with driver and library found when it runs. */
#ifndef BENCH_SPMV_CUSPARSE_H
#define BENCH_SPMV_CUSPARSE_H

#include "spmv/spmv_state.h"

struct cusparse_times {
    double copy_rate;  /* bytes a second read and written by a copy within the GPU; 0: none */
    double seconds[3]; /* of a product, by its default, ALG1 and ALG2; 0: none */
    char note[200];    /* why not */
};
/* The matrix, and x, as they are in `s`; the best of `rounds`, each of a few products. y is
 * compared with a loop over the rows. */
void cusparse_measure(struct spmv_state *s, int rounds, struct cusparse_times *out);

#endif
