/* cusparse.h - NVIDIA's product of the same matrix. The driver and the library are loaded at run
 * time. */
#ifndef BENCH_SPMV_CUSPARSE_H
#define BENCH_SPMV_CUSPARSE_H

#include "spmv/spmv_state.h"

struct cusparse_times {
    double copy_rate;  /* bytes per second, read + written, of a copy within the GPU; 0: none */
    double seconds[3]; /* per product, by the default, ALG1 and ALG2; 0: none */
    char note[200];    /* why there are no times */
};
/* Measures with the matrix and x of `s`. Times are the best of `rounds`, each of a few products. y
 * is compared with a loop over the rows. */
void cusparse_measure(struct spmv_state *s, int rounds, struct cusparse_times *out);

#endif
