/* mm.c - C = A B, the product of two matrices: limited by arithmetic, and by how well a library is
 * supplied with data.
 *
 * The job's items are rows of C. Cores call OpenBLAS and NVIDIA GPUs cuBLAS, each for its own rows.
 * If these are not found, and on other GPUs, yoke's own kernel of the product is used.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../count.h"
#include "../memory.h"
#include "../number.h"
#include "mm_blas.h"
#include "mm_check.h"
#include "mm_devices.h"
#include "mm_kernels.h"
#include "mm_panels.h"
#include "mm_product.h"
#include "mm_tiles.h"

enum { DEFAULT_SIDE = 4096 };

struct mm_state {
    struct mm_product product;
    struct app_memory memory;
    int libraries; /* 1: use them if they are found */
    yoke_kernel kernel;
    const char *on_cores, *on_nvidia; /* names of the libraries used; NULL: yoke's own text */
    yoke_array *arrays[3];            /* A, B, C; NULL while detached */
    int asked_panels, asked_blocks;   /* as requested; 0: choose */
    yoke_runtime *runtime;
    struct mm_devices devices;   /* of the runtime */
    struct mm_devices_need need; /* what their memory requires */
    int64_t cut_rows;            /* rows that a run computes; panels and blocks are cut for this
                                  * number */
    struct mm_panels panels;     /* of B and C */
};

static const struct app_option options[] = {
    { "type", "TYPE", "double", "type of the numbers: double or single" },
    { "blas", "WHICH", "auto", "auto: OpenBLAS and cuBLAS if they are found; none: neither" },
    { "panels", "N", "0",
      "column panels of B and C, each a job, at most one for each column; 0: chosen by speed and "
      "the devices' memory" },
    { "blocks", "N", "0",
      "blocks of rows of A and C, a job each with every panel; 0: chosen by speed" },
    { NULL, NULL, NULL, NULL },
};

static void mm_close(void *state)
{
    struct mm_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->product.a);
    app_data_free(&s->memory, s->product.b);
    app_data_free(&s->memory, s->product.c);
    free(s);
}

static yoke_status choose(const char *option, const char *given, const char *const *words, int *out)
{
    for (*out = 0; *out < 2; ++*out)
        if (strcmp(given, words[*out]) == 0)
            return YOKE_OK;
    return app_mistake("--%s %s: give %s or %s", option, given, words[0], words[1]);
}

static yoke_status settle_panels(const struct app_spec *spec, struct mm_state *s)
{
    static const struct number_kind kinds[] = {
        { .name = "panels", .least = 0, .most = MM_PANELS_MOST, .whole = 1 },
        { .name = "blocks", .least = 0, .most = MM_BLOCKS_MOST, .whole = 1 },
    };
    double panels, blocks;
    yoke_status status = number_read(&kinds[0], spec->values[2], &panels);
    if (status == YOKE_OK)
        status = number_read(&kinds[1], spec->values[3], &blocks);
    if (status != YOKE_OK)
        return status;
    s->asked_panels = (int)fmin(panels, (double)s->product.columns);
    s->asked_blocks = (int)fmin(blocks, (double)s->product.rows);
    if (s->asked_panels * s->asked_blocks > APP_JOBS_MAX)
        return app_fail(
            YOKE_EINVAL,
            "--panels %d with --blocks %d: each pair is a job, of which there are %d at "
            "most",
            s->asked_panels, s->asked_blocks, APP_JOBS_MAX);
    return YOKE_OK;
}

/* Libraries count rows and columns as int. One number is the side of all three matrices. */
static yoke_status settle_size(struct app_spec *spec, struct mm_product *p)
{
    int64_t *size = spec->size;
    int d;
    if (size[0] == 0)
        size[0] = DEFAULT_SIDE;
    if (size[1] == 0 && size[2] == 0)
        size[1] = size[2] = size[0];
    for (d = 0; d < 3; d++)
        if (size[d] < 1 || size[d] > INT_MAX)
            return app_fail(YOKE_EINVAL,
                            "mm of %" PRId64 "x%" PRId64 "x%" PRId64
                            " products; each number of --size is from 1 to %d",
                            size[0], size[1], size[2], INT_MAX);
    p->rows = size[0];
    p->inner = size[1];
    p->columns = size[2];
    return YOKE_OK;
}

static yoke_status settle(struct app_spec *spec, struct mm_state *s)
{
    static const char *const types[] = { "double", "single" }, *const blas[] = { "none", "auto" };
    yoke_status status = choose("type", spec->values[0], types, &s->product.single);
    if (status == YOKE_OK)
        status = choose("blas", spec->values[1], blas, &s->libraries);
    s->product.seed = spec->seed;
    s->memory = spec->memory;
    if (status == YOKE_OK)
        status = settle_size(spec, &s->product);
    return status == YOKE_OK ? settle_panels(spec, s) : status;
}

static yoke_status make_matrices(struct mm_state *s)
{
    struct mm_product *p = &s->product;
    const size_t size = mm_element_size(p);
    const struct app_data parts[] = { { "mm's A", p->rows, size * (size_t)p->inner },
                                      { "mm's B", p->inner, size * (size_t)p->columns },
                                      { "mm's C", p->rows, size * (size_t)p->columns } };
    void **const matrices[] = { &p->a, &p->b, &p->c };
    yoke_status status = YOKE_OK;
    int k;
    for (k = 0; k < 3 && status == YOKE_OK; k++)
        status = app_data_alloc(&s->memory, &parts[k], matrices[k]);
    return status == YOKE_OK ? mm_product_fill(p) : status;
}

static yoke_status mm_open(struct app_spec *spec, void **state)
{
    struct mm_state initial = { 0 }, *s;
    yoke_status status = settle(spec, &initial);
    if (status == YOKE_OK)
        status = app_alloc("mm", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = initial;
    status = make_matrices(s);
    if (status != YOKE_OK) {
        mm_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

/* --- on a runtime --- */

/* Chooses the kernel for the devices of the runtime. Loads libraries only for these. */
static yoke_status choose_kernel(struct mm_state *s, yoke_runtime *runtime)
{
    yoke_status status = mm_devices_count(runtime, &s->devices);
    if (status != YOKE_OK)
        return status;
    s->kernel = s->product.single ? mm_single : mm_double;
    s->on_cores = s->on_nvidia = NULL;
    if (s->libraries)
        s->on_cores = mm_openblas_use(&s->kernel, s->product.single);
    if (s->libraries && s->devices.nvidia)
        s->on_nvidia = mm_cublas_use(&s->kernel, s->product.single);
    return YOKE_OK;
}

/* Finds what the devices' memory requires for the first `rows` rows of C. */
static yoke_status look_at_memory(struct mm_state *s, int64_t rows)
{
    const struct mm_product *p = &s->product;
    const struct mm_stream_spec spec = { .rows = rows,
                                         .inner = p->inner,
                                         .columns = p->columns,
                                         .element_size = (int64_t)mm_element_size(p),
                                         .panels_most = s->asked_blocks > 1
                                                            ? APP_JOBS_MAX / s->asked_blocks
                                                            : MM_PANELS_MOST };
    return mm_devices_panels(s->runtime, spec, s->asked_panels, &s->need);
}

/* If memory requires panels of B, there is one block of rows: each further one would copy B
 * again. */
static struct mm_tiles tiles_of(const struct mm_state *s, int64_t rows)
{
    const struct mm_product *p = &s->product;
    const int streams = s->need.panels > 0;
    const struct mm_tiles_spec spec = { .rows = rows,
                                        .columns = p->columns,
                                        .element_size = (int64_t)mm_element_size(p),
                                        .cores = s->on_cores ? s->devices.cores : 0,
                                        .others = s->devices.others,
                                        .panels =
                                            s->asked_panels ? s->asked_panels : s->need.panels,
                                        .blocks = s->asked_blocks || !streams ? s->asked_blocks : 1,
                                        .panels_most = MM_PANELS_GOOD,
                                        .jobs_most = APP_JOBS_MAX };
    return mm_tiles_cut(&spec);
}

static yoke_status cut(struct mm_state *s, int64_t rows)
{
    struct mm_tiles tiles;
    yoke_status closed = mm_panels_close(&s->panels), status = look_at_memory(s, rows);
    if (closed != YOKE_OK || status != YOKE_OK)
        return closed != YOKE_OK ? closed : status;
    tiles = tiles_of(s, rows);
    s->cut_rows = rows;
    s->kernel.cpu.unit = (int)tiles.piece_rows;
    if (tiles.piece_rows && !s->devices.others)
        s->kernel.unit = 1; /* no GPU: cores need no groups of rows */
    status = mm_panels_open(&s->panels, &s->product, s->arrays, tiles.panels);
    s->panels.blocks = tiles.blocks;
    return status;
}

static yoke_status mm_detach(void *state)
{
    struct mm_state *s = state;
    yoke_status first;
    int k;
    if (s->on_nvidia)
        mm_cublas_forget();
    first = mm_panels_close(&s->panels);
    for (k = 0; k < 3; k++) {
        yoke_status status = yoke_array_close(s->arrays[k]);
        s->arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

static yoke_status mm_attach(void *state, yoke_runtime *runtime)
{
    struct mm_state *s = state;
    const struct mm_product *p = &s->product;
    const struct {
        void *host;
        int64_t rows, columns;
        const char *name;
    } parts[] = { { p->a, p->rows, p->inner, "A" },
                  { p->b, p->inner, p->columns, "B" },
                  { p->c, p->rows, p->columns, "C" } };
    int k;
    yoke_status status = choose_kernel(s, runtime);
    s->runtime = runtime;
    for (k = 0; k < 3 && status == YOKE_OK; k++) {
        const yoke_array_spec spec = { .host = parts[k].host,
                                       .rows = parts[k].rows,
                                       .row_elements = parts[k].columns,
                                       .element_size = mm_element_size(p),
                                       .name = parts[k].name };
        status = yoke_array_open(runtime, &spec, &s->arrays[k]);
    }
    if (status == YOKE_OK)
        status = cut(s, p->rows);
    if (status != YOKE_OK)
        mm_detach(s);
    return status;
}

/* Makes the devices' copies of the inputs invalid, so that each run copies them again. */
static yoke_status mm_reset(void *state)
{
    struct mm_state *s = state;
    yoke_status released, status = YOKE_OK;
    int k;
    for (k = 0; k < 2 && status == YOKE_OK; k++) {
        status = yoke_array_acquire(s->arrays[k], YOKE_READ_WRITE);
        if (status == YOKE_OK)
            status = yoke_array_release(s->arrays[k]);
    }
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->arrays[2], YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    status = mm_product_spoil(&s->product);
    released = yoke_array_release(s->arrays[2]);
    return status != YOKE_OK ? status : released;
}

static yoke_status mm_run(void *state, struct app_run *run)
{
    struct mm_state *s = state;
    const int64_t rows = app_run_items(run, s->product.rows);
    const yoke_status status = rows == s->cut_rows ? YOKE_OK : cut(s, rows);
    if (status != YOKE_OK)
        return status;
    return mm_panels_run(&s->panels, &s->kernel, run);
}

static yoke_status mm_verify(void *state, char *note)
{
    struct mm_state *s = state;
    yoke_status released, status = yoke_array_acquire(s->arrays[2], YOKE_READ);
    if (status != YOKE_OK)
        return status;
    status = mm_check(&s->product, note);
    released = yoke_array_release(s->arrays[2]);
    return status != YOKE_OK ? status : released;
}

static yoke_status mm_report(void *state, FILE *out)
{
    const struct mm_state *s = state;
    fprintf(out, "cores: %s", s->on_cores ? s->on_cores : "yoke's own text");
    if (s->kernel.cpu.unit)
        fprintf(out, ", in pieces of %s or more", count_words(s->kernel.cpu.unit, "rows").text);
    fprintf(out, "\n");
    if (s->on_nvidia)
        fprintf(out, "NVIDIA GPUs: %s\n", s->on_nvidia);
    if (s->panels.count > 1 || s->panels.blocks > 1)
        fprintf(out, "%d column panels, %d blocks of rows\n", s->panels.count, s->panels.blocks);
    mm_devices_report(&s->need, out);
    return YOKE_OK;
}

static int64_t mm_items(const void *state)
{
    return ((const struct mm_state *)state)->product.rows;
}

const struct app app_mm = {
    .name = "mm",
    .summary = "the product of two matrices; bound by arithmetic, done by libraries",
    .size_words = "ROWSxINNERxCOLUMNS products",
    .size_count = 3,
    .size_square = 1,
    .options = options,
    .is_regular = 1,
    .open = mm_open,
    .close = mm_close,
    .attach = mm_attach,
    .detach = mm_detach,
    .reset = mm_reset,
    .run = mm_run,
    .verify = mm_verify,
    .items = mm_items,
    .report = mm_report,
};
