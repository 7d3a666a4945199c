/* spmv.c - a sparse matrix by rows times a vector: once, with the matrix sent from the host; or
 * repeatedly, with the matrix on the devices (power iteration, conjugate gradients).
 *
 * An item of the range is a tile of rows and non-zeros; all tiles need the same work (spmv_tile.h).
 * So devices' shares of the range are shares of the work, however different the rows are. The sum
 * of a row is computed with its tile. Rows that are too long for one tile leave carries, which are
 * added afterwards.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../count.h"
#include "spmv_state.h"

static void spmv_close(void *state)
{
    struct spmv_state *s = state;
    if (!s)
        return;
    for (int v = 0; v < SPMV_VECTORS; v++)
        app_data_free(&s->memory, s->vectors[v]);
    app_data_free(&s->memory, s->carry);
    free(s->sums);
    spmv_close_matrix(s);
    free(s);
}

static yoke_status alloc_vectors(struct spmv_state *s)
{
    const size_t size = sparse_size(s->options.type);
    const struct app_data carry = { "carries", s->cut.count, size };
    yoke_status status = app_data_alloc(&s->memory, &carry, &s->carry);
    for (int v = 0; v < SPMV_VECTORS && status == YOKE_OK; v++) {
        const struct app_data vector = { "a vector", spmv_length(s, v), size };
        if (spmv_has(s, v))
            status = app_data_alloc(&s->memory, &vector, &s->vectors[v]);
    }
    if (status == YOKE_OK)
        status = app_alloc("sums", 2, sizeof *s->sums, (void **)&s->sums);
    return status;
}

static yoke_status spmv_open(struct app_spec *spec, void **state)
{
    struct spmv_state *s;
    yoke_status status = app_alloc("spmv", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = (struct spmv_state){ .memory = spec->memory, .seed = spec->seed };
    status = spmv_read_options(spec, &s->options);
    if (status == YOKE_OK)
        status = spmv_make_matrix(spec, s);
    if (status == YOKE_OK)
        status = alloc_vectors(s);
    if (status != YOKE_OK) {
        spmv_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static int64_t spmv_items_of(const void *state)
{
    return ((const struct spmv_state *)state)->cut.count;
}

/* The least traffic between memory and processors, in bytes: the matrix once for each product, and
 * a vector each time that a job uses it. */
double spmv_work(const void *state)
{
    const struct spmv_state *s = state;
    const double size = (double)sparse_size(s->options.type), rows = (double)s->matrix.rows;
    const double product = (double)s->matrix.entries * (size + sizeof *s->matrix.column) +
                           rows * (size + sizeof *s->starts) + (double)s->matrix.columns * size;
    switch (s->options.solve) {
    case SPMV_POWER:
        return (double)s->steps_done * (product + 2 * size * rows);
    case SPMV_CG:
        return (double)s->steps_done * (product + (2 + 6 + 3) * size * rows);
    default:
        return (double)s->steps_done * product;
    }
}

yoke_status spmv_report(void *state, FILE *out)
{
    struct spmv_state *s = state;
    struct sparse_norms norms;
    double squares = 0;
    yoke_status status = sparse_norms(&s->matrix, &norms);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->vector_arrays[s->to], YOKE_READ);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < s->matrix.rows; i++)
        squares += spmv_get(s, s->to, i) * spmv_get(s, s->to, i);
    fprintf(out, "%s: %" PRId64 " x %" PRId64 ", %s, %" PRId64 " to %" PRId64 " in a row\n",
            s->matrix.source, s->matrix.rows, s->matrix.columns,
            count_words(s->matrix.entries, "non-zeros").text, norms.least_row, norms.most_row);
    fprintf(out, "norms: Frobenius %.13g, 1 %.13g, infinity %.13g\n", norms.frobenius, norms.one,
            norms.infinity);
    fprintf(out, "%s; %s in more than one; |%s| is %.13g\n",
            count_words(s->cut.count, "tiles").text, count_words(s->joined, "rows").text,
            s->options.solve == SPMV_CG ? "A p" : "y", sqrt(squares));
    return yoke_array_release(s->vector_arrays[s->to]);
}

const struct app app_spmv = {
    .name = "spmv",
    .summary = "a sparse matrix times a vector, once or in power iteration and conjugate gradients",
    .size_words = "rows",
    .size_count = 1,
    .options = spmv_option_list,
    .is_regular = 1,
    .reads_input = 1,
    .open = spmv_open,
    .close = spmv_close,
    .attach = spmv_attach,
    .detach = spmv_detach,
    .reset = spmv_reset,
    .run = spmv_run,
    .verify = spmv_verify,
    .items = spmv_items_of,
    .work_words = "bytes",
    .work = spmv_work,
    .report = spmv_report,
};
