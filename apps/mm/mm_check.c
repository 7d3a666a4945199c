/* mm_check.c - two checks that share nothing with the kernels.
 *
 * All rows are checked after Freivalds: for a vector r of random signs, C r has to equal A (B r),
 * which takes three products with a vector. A wrong element shows in its row, because it is
 * multiplied by 1 or -1. Elements have mean 0, so the rounding errors of a sum also have mean 0 and
 * do not grow with its length: the error of C_ij is 0.4 u |a_i| |b_j| (standard deviation; u = half
 * the type's epsilon; norms are Euclidean). The kernels cannot know the signs, so row i of C r is
 * off by 0.4 u |a_i| |B|. 8 u is allowed, plus the rounding of long double in the check itself.
 *
 * Some rows are checked element by element in double precision: the allowed error is the bound of
 * any sum of `inner` terms in any order, inner u sum |a_ik b_kj|, and the same for the check's own
 * sum.
 */
#include "mm_check.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../cores.h"
#include "../count.h"
#include "../memory.h"
#include "../random.h"

enum { BLOCKS = 256, STRIP = 32, ALLOWED_UNITS = 8 };

struct element {
    int64_t row, column; /* row -1: there is none */
    double got, right, allowed;
};

struct strip {
    struct element wrong; /* the first wrong one */
    double worst;         /* greatest error, relative to the allowed one */
};

struct check {
    const struct mm_product *product;
    double unit;        /* largest relative error of one rounding of the type */
    signed char *signs; /* r */
    long double *image; /* B r */
    double *squares;    /* of each row of B: sum of its squares; norm_b: |B| */
    double norm_b;
    struct element *rows; /* of each row: C r against A (B r) */
    struct strip *strips;
};

static double number(const struct mm_product *p, const void *matrix, int64_t index)
{
    return p->single ? (double)((const float *)matrix)[index] : ((const double *)matrix)[index];
}

/* --- all rows --- */

static void image_block(void *context, int64_t block)
{
    struct check *check = context;
    const struct mm_product *p = check->product;
    const struct cores_span span = cores_span(p->inner, BLOCKS, block);
    int64_t j, k;
    for (k = span.first; k < span.last; k++) {
        long double sum = 0;
        double square = 0;
        for (j = 0; j < p->columns; j++) {
            const double b = number(p, p->b, k * p->columns + j);
            sum += b * check->signs[j];
            square += b * b;
        }
        check->image[k] = sum;
        check->squares[k] = square;
    }
}

static void row_block(void *context, int64_t block)
{
    struct check *check = context;
    const struct mm_product *p = check->product;
    const struct cores_span span = cores_span(p->rows, BLOCKS, block);
    const double own =
        (double)LDBL_EPSILON * (double)(p->inner + p->columns) * sqrt((double)p->columns);
    int64_t i, j, k;
    for (i = span.first; i < span.last; i++) {
        long double right = 0, got = 0;
        double square = 0;
        for (k = 0; k < p->inner; k++) {
            const double a = number(p, p->a, i * p->inner + k);
            right += a * check->image[k];
            square += a * a;
        }
        for (j = 0; j < p->columns; j++)
            got += number(p, p->c, i * p->columns + j) * check->signs[j];
        check->rows[i] = (struct element){ .row = i,
                                           .got = (double)got,
                                           .right = (double)right,
                                           .allowed = (ALLOWED_UNITS * check->unit + own) *
                                                      sqrt(square) * check->norm_b };
        /* compares in long double; `got` and `right` of the message are rounded */
        if (fabsl(got - right) <= (long double)check->rows[i].allowed)
            check->rows[i].row = -1;
    }
}

static yoke_status check_rows(struct check *check, yoke_runtime *cores)
{
    const struct mm_product *p = check->product;
    const struct cores_work image = { "B r", image_block, check, BLOCKS };
    const struct cores_work rows = { "C r", row_block, check, BLOCKS };
    yoke_status status;
    int64_t i;
    for (i = 0; i < p->columns; i++)
        check->signs[i] = random_bits(p->seed + 2, (uint64_t)i) & 1 ? 1 : -1;
    status = cores_run(cores, &image);
    if (status != YOKE_OK)
        return status;
    check->norm_b = 0;
    for (i = 0; i < p->inner; i++)
        check->norm_b += check->squares[i];
    check->norm_b = sqrt(check->norm_b);
    status = cores_run(cores, &rows);
    for (i = 0; status == YOKE_OK && i < p->rows; i++)
        if (check->rows[i].row >= 0)
            status =
                app_fail(YOKE_EINVAL,
                         "row %" PRId64 " of C times random signs is %.17g and should be %.17g "
                         "(allowed error %.2g)",
                         i, check->rows[i].got, check->rows[i].right, check->rows[i].allowed);
    return status;
}

/* --- some rows --- */

int64_t mm_sample_row(const struct mm_product *p, int sample)
{
    return p->rows <= MM_SAMPLE
               ? sample
               : (int64_t)(random_bits(p->seed + 3, (uint64_t)sample) % (uint64_t)p->rows);
}

/* Elements of a row of C in the columns of a strip, and the sums of their terms' magnitudes. */
struct sums {
    double value[STRIP], size[STRIP];
};

static void add_up(const struct mm_product *p, int64_t row, struct cores_span span,
                   struct sums *out)
{
    const int width = (int)(span.last - span.first);
    int64_t k;
    int j;
    memset(out, 0, sizeof *out);
    for (k = 0; k < p->inner; k++) {
        const double a = number(p, p->a, row * p->inner + k);
        const int64_t first = k * p->columns + span.first;
        for (j = 0; j < width; j++) {
            const double term = a * number(p, p->b, first + j);
            out->value[j] += term;
            out->size[j] += fabs(term);
        }
    }
}

static void sample_block(void *context, int64_t block)
{
    struct check *check = context;
    const struct mm_product *p = check->product;
    const struct cores_span span = { block * STRIP, block * STRIP + STRIP < p->columns
                                                        ? block * STRIP + STRIP
                                                        : p->columns };
    const double unit = (double)p->inner * (check->unit + DBL_EPSILON / 2);
    struct strip *strip = &check->strips[block];
    int64_t j;
    int sample;
    *strip = (struct strip){ .wrong.row = -1 };
    for (sample = 0; sample < MM_SAMPLE && sample < p->rows; sample++) {
        const int64_t row = mm_sample_row(p, sample);
        struct sums sums;
        add_up(p, row, span, &sums);
        for (j = span.first; j < span.last; j++) {
            const double got = number(p, p->c, row * p->columns + j);
            const double right = sums.value[j - span.first];
            const double allowed = unit * sums.size[j - span.first], error = fabs(got - right);
            if (!(error <= allowed) && strip->wrong.row < 0)
                strip->wrong = (struct element){ row, j, got, right, allowed };
            if (allowed > 0)
                strip->worst = fmax(strip->worst, error / allowed);
        }
    }
}

static yoke_status check_sample(struct check *check, yoke_runtime *cores, double *worst)
{
    const int64_t strips = (check->product->columns - 1) / STRIP + 1;
    const struct cores_work work = { "sample", sample_block, check, strips };
    yoke_status status = cores_run(cores, &work);
    int64_t s;
    *worst = 0;
    for (s = 0; status == YOKE_OK && s < strips; s++) {
        const struct element *wrong = &check->strips[s].wrong;
        if (wrong->row >= 0)
            status = app_fail(YOKE_EINVAL,
                              "C[%" PRId64 "][%" PRId64
                              "] is %.17g and should be %.17g (allowed error %.2g)",
                              wrong->row, wrong->column, wrong->got, wrong->right, wrong->allowed);
        *worst = fmax(*worst, check->strips[s].worst);
    }
    return status;
}

/* --- both --- */

static yoke_status check_both(struct check *check, char *note)
{
    const struct mm_product *p = check->product;
    const int64_t sample = p->rows < MM_SAMPLE ? p->rows : MM_SAMPLE;
    yoke_runtime *cores;
    double worst = 0;
    yoke_status closed, status = cores_open(&cores);
    if (status != YOKE_OK)
        return status;
    status = check_sample(check, cores, &worst);
    if (status == YOKE_OK)
        status = check_rows(check, cores);
    closed = cores_close(cores);
    if (status == YOKE_OK)
        snprintf(note, 256,
                 "all %s of C r are those of A (B r); %s: max error %.1e of what is allowed, %.1e "
                 "of |A||B|",
                 count_words(p->rows, "rows").text, count_words(sample, "rows").text, worst,
                 (double)p->inner * (check->unit + DBL_EPSILON / 2));
    return status != YOKE_OK ? status : closed;
}

yoke_status mm_check(const struct mm_product *p, char *note)
{
    struct check check = {
        .product = p,
        .unit = p->single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2,
    };
    const struct {
        int64_t count;
        size_t size;
        void **out;
    } parts[] = {
        { p->columns, sizeof *check.signs, (void **)&check.signs },
        { p->inner, sizeof *check.image, (void **)&check.image },
        { p->inner, sizeof *check.squares, (void **)&check.squares },
        { p->rows, sizeof *check.rows, (void **)&check.rows },
        { (p->columns - 1) / STRIP + 1, sizeof *check.strips, (void **)&check.strips },
    };
    yoke_status status = YOKE_OK;
    size_t k;
    for (k = 0; status == YOKE_OK && k < sizeof parts / sizeof *parts; k++)
        status = app_alloc("mm's check", parts[k].count, parts[k].size, parts[k].out);
    if (status == YOKE_OK)
        status = check_both(&check, note);
    for (k = 0; k < sizeof parts / sizeof *parts; k++)
        free(*parts[k].out);
    return status;
}
