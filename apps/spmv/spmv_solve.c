/* spmv_solve.c - a product, or many products with the matrix on the devices.
 *
 * The range of all jobs is the tiles. Solvers decide by sums of products. Devices add up these sums
 * (YOKE_ADD), so only two doubles come back to the host, not vectors. Jobs without a decision
 * between them are submitted together: a step of conjugate gradients waits twice, a step of power
 * iteration once.
 */
#include <math.h>

#include "spmv_kernels.h"
#include "spmv_state.h"

/* A value of the kernels' type. */
union number {
    double in_double;
    float in_single;
};

static union number number(const struct spmv_state *s, double value)
{
    union number n = { 0 };
    if (s->options.type == SPARSE_DOUBLE)
        n.in_double = value;
    else
        n.in_single = (float)value;
    return n;
}

static const yoke_kernel *of_type(const struct spmv_state *s, const yoke_kernel *in_double,
                                  const yoke_kernel *in_single)
{
    return s->options.type == SPARSE_DOUBLE ? in_double : in_single;
}

static yoke_arg tiles_of(const struct spmv_state *s)
{
    return (yoke_arg)yoke_in_halo(s->matrix_arrays[SPMV_TILES], 0, 1);
}

static yoke_arg of_rows(const struct spmv_state *s, yoke_param_mode mode, int vector)
{
    return (yoke_arg){ .mode = mode,
                       .array = s->vector_arrays[vector],
                       .shape = YOKE_CUSTOM,
                       .rows = spmv_rows,
                       .rows_context = &s->cut };
}

/* `scale` must stay valid until the job is submitted. */
static yoke_job product(const struct spmv_state *s, const union number *scale)
{
    const struct spmv_cut *cut = &s->cut;
    yoke_job job = {
        .kernel = of_type(s, &spmv_double, &spmv_single),
        .range = { .last = cut->count },
        .args = { yoke_value_of(scale, sparse_size(s->options.type)), tiles_of(s),
                  yoke_in_custom(s->matrix_arrays[SPMV_STARTS], spmv_starts, cut),
                  yoke_in_custom(s->matrix_arrays[SPMV_COLUMNS], spmv_entries, cut),
                  yoke_in_custom(s->matrix_arrays[SPMV_VALUES], spmv_entries, cut),
                  yoke_in_custom(s->vector_arrays[s->from], spmv_columns, cut),
                  of_rows(s, YOKE_PARAM_OUT, s->to), yoke_out(s->carry_array) },
    };
    if (s->options.solve == SPMV_PRODUCT && !s->options.is_resident) {
        job.args[6].home = YOKE_HOME_NOW;
        job.args[7].home = s->joined ? YOKE_HOME_NOW : YOKE_HOME_LATER;
    }
    return job;
}

static yoke_job dots(const struct spmv_state *s)
{
    return (yoke_job){ .kernel = of_type(s, &spmv_dots_double, &spmv_dots_single),
                       .range = { .last = s->cut.count },
                       .args = { yoke_value(s->joined), tiles_of(s),
                                 yoke_in_custom(s->carry_array, spmv_carries, &s->cut),
                                 of_rows(s, YOKE_PARAM_IN, s->from),
                                 of_rows(s, YOKE_PARAM_INOUT, s->to), yoke_add_to(s->sum_array) } };
}

/* Runs the jobs one after the other. `s->sums` start at 0; afterwards they are on the host. */
static yoke_status run_for_sums(struct spmv_state *s, struct app_run *run, const yoke_job *jobs,
                                int count)
{
    yoke_status status = yoke_array_acquire(s->sum_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    s->sums[0] = s->sums[1] = 0;
    status = yoke_array_release(s->sum_array);
    if (status == YOKE_OK)
        status = app_run_jobs(run, jobs, count);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->sum_array, YOKE_READ);
    return status;
}

/* Adds the carries of rows in several tiles to the result. Both are on the host, or are copied
 * there. */
static yoke_status join_rows(struct spmv_state *s)
{
    const spmv_tile_t *tiles = s->cut.tiles;
    yoke_status released, status = yoke_array_acquire(s->carry_array, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->vector_arrays[s->to], YOKE_READ_WRITE);
    if (status != YOKE_OK)
        return status;
    for (int64_t t = 0; t < s->cut.count; t++) {
        double sum = 0;
        if (tiles[t].begin == t || tiles[t + 1].row == tiles[t].row)
            continue;
        for (int64_t k = tiles[t].begin; k < t; k++)
            sum += s->options.type == SPARSE_DOUBLE ? ((double *)s->carry)[k]
                                                    : (double)((float *)s->carry)[k];
        spmv_put(s, s->to, tiles[t].row, spmv_get(s, s->to, tiles[t].row) + sum);
    }
    released = yoke_array_release(s->carry_array);
    status = yoke_array_release(s->vector_arrays[s->to]);
    return status != YOKE_OK ? status : released;
}

/* If the matrix stays on the devices, so do the vectors, and a run has many products. */
static yoke_status run_product(struct spmv_state *s, struct app_run *run)
{
    const int64_t steps = s->options.is_resident ? s->options.steps : 1;
    const union number one = number(s, 1);
    const yoke_job job = product(s, &one);
    yoke_status status = YOKE_OK;
    for (int64_t k = 0; k < steps && status == YOKE_OK; k++) {
        status = app_run_job(run, &job);
        s->steps_done = k + 1;
        if (status == YOKE_OK && steps > 1)
            status = app_progress(run, k + 1, steps);
    }
    if (status == YOKE_OK && s->joined && app_run_items(run, s->cut.count) == s->cut.count)
        status = join_rows(s);
    return status;
}

/* Vectors are stored without scaling; the next product divides by their norm. */
static yoke_status run_power(struct spmv_state *s, struct app_run *run)
{
    double norm = sqrt(s->first_squares), before = 0;
    yoke_status status = YOKE_OK;
    for (int64_t k = 0; k < s->options.steps && status == YOKE_OK; k++) {
        union number scale;
        if (k > 0) {
            const int from = s->from;
            s->from = s->to;
            s->to = from;
        }
        s->scale = 1 / norm;
        scale = number(s, s->scale);
        const yoke_job jobs[] = { product(s, &scale), dots(s) };
        status = run_for_sums(s, run, jobs, 2);
        if (status != YOKE_OK)
            break;
        s->eigenvalue = s->scale * s->sums[0];
        norm = sqrt(s->sums[1]);
        s->has_fallen |= norm < before * (1 - 1e-4);
        before = norm;
        s->steps_done = k + 1;
        status = app_progress(run, k + 1, s->options.steps);
        if (norm == 0)
            break; /* the vector is 0 */
    }
    return status;
}

static yoke_status run_cg(struct spmv_state *s, struct app_run *run)
{
    const size_t size = sparse_size(s->options.type);
    const union number one = number(s, 1);
    double beta = 0;
    yoke_status status = YOKE_OK;
    s->squares = s->first_squares;
    for (int64_t k = 0; k < s->options.steps && status == YOKE_OK; k++) {
        const union number turned = number(s, beta);
        const yoke_job first[] = {
            { .kernel = of_type(s, &spmv_turn_double, &spmv_turn_single),
              .range = { .last = s->cut.count },
              .args = { yoke_value_of(&turned, size), tiles_of(s),
                        of_rows(s, YOKE_PARAM_IN, SPMV_R), of_rows(s, YOKE_PARAM_INOUT, SPMV_P) } },
            product(s, &one),
            dots(s),
        };
        const int skip = k == 0; /* in the first step p is already r */
        status = run_for_sums(s, run, first + skip, 3 - skip);
        if (status != YOKE_OK)
            break;
        if (!(s->sums[0] > 0))
            return app_fail(YOKE_EINVAL,
                            "p A p is %g in step %lld: %s is not positive definite; a greater "
                            "--shift makes it so",
                            s->sums[0], (long long)k + 1, s->matrix.source);
        const union number alpha = number(s, s->squares / s->sums[0]);
        const yoke_job then = {
            .kernel = of_type(s, &spmv_advance_double, &spmv_advance_single),
            .range = { .last = s->cut.count },
            .args = { yoke_value_of(&alpha, size), tiles_of(s), of_rows(s, YOKE_PARAM_IN, SPMV_P),
                      of_rows(s, YOKE_PARAM_IN, SPMV_Y), of_rows(s, YOKE_PARAM_INOUT, SPMV_X),
                      of_rows(s, YOKE_PARAM_INOUT, SPMV_R), yoke_add_to(s->sum_array) }
        };
        status = run_for_sums(s, run, &then, 1);
        beta = s->sums[0] / s->squares;
        s->squares = s->sums[0];
        s->steps_done = k + 1;
        if (status == YOKE_OK)
            status = app_progress(run, k + 1, s->options.steps);
        if (s->squares <= 1e-30 * s->first_squares)
            break; /* only rounding errors are left */
    }
    return status;
}

yoke_status spmv_run(void *state, struct app_run *run)
{
    struct spmv_state *s = state;
    yoke_status status;
    switch (s->options.solve) {
    case SPMV_POWER:
        status = run_power(s, run);
        break;
    case SPMV_CG:
        status = run_cg(s, run);
        break;
    default:
        status = run_product(s, run);
    }
    if (status == YOKE_OK) /* copies the result to the host; released by the next use */
        status = yoke_array_acquire(s->vector_arrays[s->options.solve == SPMV_CG ? SPMV_X : s->to],
                                    YOKE_READ);
    return status;
}
