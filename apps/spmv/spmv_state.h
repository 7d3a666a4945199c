/* spmv_state.h - what the parts of the application share. */
#ifndef YOKE_APPS_SPMV_STATE_H
#define YOKE_APPS_SPMV_STATE_H

#include "../app.h"
#include "sparse.h"
#include "spmv_cut.h"

enum spmv_solve { SPMV_PRODUCT, SPMV_POWER, SPMV_CG };
enum spmv_vector { SPMV_RANDOM, SPMV_ONES, SPMV_RAMP };

struct spmv_options {
    enum sparse_type type;
    enum { SPMV_STENCIL, SPMV_SKEWED } make;
    enum spmv_solve solve;
    enum spmv_vector vector;
    enum spmv_items items;
    int is_adjacency, is_resident;
    int64_t steps;
    double beta, shift;
};

/* Vectors. A product reads vector `from` and writes vector `to`. In conjugate gradients, q is
 * SPMV_Y. */
enum { SPMV_X, SPMV_Y, SPMV_P, SPMV_R, SPMV_VECTORS };
/* Arrays of the matrix, in the order of the kernels' parameters. */
enum { SPMV_TILES, SPMV_STARTS, SPMV_COLUMNS, SPMV_VALUES, SPMV_MATRIX };

struct spmv_state {
    struct spmv_options options;
    struct app_memory memory;
    struct sparse matrix;
    struct spmv_cut cut;
    uint32_t *starts; /* of the matrix' rows, modulo 2^32 */
    void *vectors[SPMV_VECTORS], *carry;
    double *sums; /* the two sums that a job adds up */
    yoke_array *matrix_arrays[SPMV_MATRIX], *vector_arrays[SPMV_VECTORS], *carry_array, *sum_array;
    int32_t joined; /* number of rows in more than one tile */
    int is_whole;   /* all values are whole numbers */
    int stays;      /* 1: x is filled, and no run changes it */
    uint64_t seed;
    /* What a run found. */
    int from, to;      /* vectors of the run's last product */
    double scale;      /* of that product */
    double eigenvalue; /* power */
    double squares;    /* CG: r r */
    double first_squares;
    int64_t steps_done;
    int has_fallen; /* power: 1: a norm fell, which is impossible for symmetric matrices */
};

yoke_status spmv_read_options(const struct app_spec *spec, struct spmv_options *out);
extern const struct app_option spmv_option_list[];
/* Makes the matrix that the options ask for, and its tiles. */
yoke_status spmv_make_matrix(struct app_spec *spec, struct spmv_state *s);
void spmv_close_matrix(struct spmv_state *s);

/* Access to elements of vectors, as doubles. */
double spmv_get(const struct spmv_state *s, int vector, int64_t i);
void spmv_put(struct spmv_state *s, int vector, int64_t i, double value);
int64_t spmv_length(const struct spmv_state *s, int vector);
/* Element i of the vector that a run begins with: x, or for CG the right side b. */
double spmv_given(const struct spmv_state *s, int64_t i);
/* Returns 1 if the solver uses this vector. */
int spmv_has(const struct spmv_state *s, int vector);

yoke_status spmv_attach(void *state, yoke_runtime *runtime);
yoke_status spmv_detach(void *state);
yoke_status spmv_reset(void *state);
yoke_status spmv_run(void *state, struct app_run *run);
yoke_status spmv_verify(void *state, char *note);
yoke_status spmv_report(void *state, FILE *out);
double spmv_work(const void *state);

#endif
