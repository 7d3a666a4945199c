/* spmv_matrix.c - makes the matrix and its tiles, by all cores. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../volume.h"
#include "spmv_state.h"

enum { DEFAULT_ROWS = 8000000, DEFAULT_SKEWED = 1000000 };
#define MEAN 16.0

static int ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcasecmp(path + length - end, ending) == 0;
}

static yoke_status from_image(const char *path, const struct spmv_options *options,
                              const struct sparse_spec *spec, struct sparse *out)
{
    struct volume volume;
    struct sparse_grid grid = { .beta = options->beta };
    yoke_status status = volume_load(path, &volume);
    if (status != YOKE_OK)
        return status;
    memcpy(grid.size, volume.size, sizeof grid.size);
    grid.image = volume.voxels;
    status = sparse_make_grid(&grid, spec, out);
    volume_close(&volume);
    return status;
}

static yoke_status find_matrix(const struct app_spec *spec, struct spmv_state *s)
{
    const struct spmv_options *options = &s->options;
    const struct sparse_file file = { { options->type, s->memory }, !options->is_adjacency };
    const char *path = spec->input;
    const int64_t size = spec->size[0];
    if (path && (ends_with(path, ".nii") || ends_with(path, ".nii.gz")))
        return from_image(path, options, &file.spec, &s->matrix);
    if (path)
        return sparse_load(path, &file, &s->matrix);
    if (options->make == SPMV_STENCIL)
        return sparse_make_band(size ? size : DEFAULT_ROWS, &file.spec, &s->matrix);
    return sparse_make_skewed(
        &(struct sparse_skew){ size ? size : DEFAULT_SKEWED, MEAN, spec->seed }, &file.spec,
        &s->matrix);
}

static void begin_block(void *context, int64_t block)
{
    struct spmv_state *s = context;
    spmv_cut_begin(&s->cut, block);
}

static void measure_block(void *context, int64_t block)
{
    struct spmv_state *s = context;
    if (!spmv_cut_measure(&s->cut, block))
        s->cut.blocks[block].high = INT32_MAX; /* reported when all blocks are done */
}

static yoke_status alloc_cut(struct spmv_state *s)
{
    struct spmv_cut *cut = &s->cut;
    const struct app_data tiles = { "tiles", cut->count + 1, sizeof *cut->tiles };
    const struct app_data starts = { "starts of rows", cut->rows + 1, sizeof *s->starts };
    yoke_status status = app_data_alloc(&s->memory, &tiles, (void **)&cut->tiles);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &starts, (void **)&s->starts);
    if (status == YOKE_OK)
        status = app_alloc("spans", cut->count, sizeof *cut->spans, (void **)&cut->spans);
    if (status == YOKE_OK)
        status =
            app_alloc("spans", spmv_cut_blocks(cut), sizeof *cut->blocks, (void **)&cut->blocks);
    return status;
}

static yoke_status cut_matrix(struct spmv_state *s)
{
    struct spmv_cut *cut = &s->cut;
    struct cores_work work = { .name = "cut", .block = begin_block, .context = s };
    yoke_status status;
    *cut = (struct spmv_cut){ .starts = s->matrix.starts,
                              .column = s->matrix.column,
                              .rows = s->matrix.rows };
    spmv_cut_count(cut, s->options.items);
    status = alloc_cut(s);
    work.blocks = spmv_cut_blocks(cut);
    if (status == YOKE_OK)
        status = cores_run_once(&work);
    work.block = measure_block;
    if (status == YOKE_OK)
        status = cores_run_once(&work);
    for (int64_t b = 0; b < work.blocks && status == YOKE_OK; b++)
        if (cut->blocks[b].high == INT32_MAX)
            status = app_fail(YOKE_EINVAL,
                              "a tile of rows has more than %d non-zeros; --items work", INT32_MAX);
    return status;
}

/* Computes what runs and checks need: starts modulo 2^32, the number of rows in several tiles, and
 * whether all values are whole. */
static void look(struct spmv_state *s)
{
    const struct sparse *matrix = &s->matrix;
    const struct spmv_cut *cut = &s->cut;
    for (int64_t i = 0; i <= matrix->rows; i++)
        s->starts[i] = (uint32_t)matrix->starts[i];
    for (int64_t t = 0; t < cut->count; t++)
        s->joined += cut->tiles[t].begin < t && cut->tiles[t + 1].row > cut->tiles[t].row;
    s->is_whole = 1;
    for (int64_t k = 0; k < matrix->entries && s->is_whole; k++)
        s->is_whole = sparse_get(matrix, k) == rint(sparse_get(matrix, k));
}

static yoke_status check_solvable(const struct spmv_state *s)
{
    const struct sparse *matrix = &s->matrix;
    if (matrix->rows != matrix->columns)
        return app_fail(YOKE_EINVAL,
                        "%s has %" PRId64 " rows and %" PRId64
                        " columns; --solve power and cg are for square matrices",
                        matrix->source, matrix->rows, matrix->columns);
    if (s->options.solve == SPMV_CG && !matrix->is_symmetric)
        return app_fail(YOKE_EINVAL,
                        "%s is not known to be symmetric; --solve cg is for symmetric matrices",
                        matrix->source);
    return YOKE_OK;
}

yoke_status spmv_make_matrix(struct app_spec *spec, struct spmv_state *s)
{
    yoke_status status;
    if (!spec->input && spec->size[0] < 0)
        return app_fail(YOKE_EINVAL, "a matrix of %" PRId64 " rows; --size is at least 1",
                        spec->size[0]);
    if (spec->input && spec->size[0])
        return app_fail(YOKE_EINVAL, "%s says how many rows there are; leave --size out",
                        spec->input);
    status = find_matrix(spec, s);
    if (status == YOKE_OK && s->options.solve != SPMV_PRODUCT)
        status = check_solvable(s);
    if (status == YOKE_OK && s->options.solve == SPMV_CG)
        status = sparse_shift(&s->matrix, s->options.shift);
    if (status == YOKE_OK)
        status = cut_matrix(s);
    if (status != YOKE_OK)
        return status;
    spec->size[0] = s->matrix.rows;
    look(s);
    return YOKE_OK;
}

void spmv_close_matrix(struct spmv_state *s)
{
    app_data_free(&s->memory, s->cut.tiles);
    app_data_free(&s->memory, s->starts);
    free(s->cut.spans);
    free(s->cut.blocks);
    sparse_close(&s->matrix);
}
