/* spmv_check.c - compares the devices' result with a plain loop over the rows on the host.
 *
 * A sum of n products has, in any order, an error of at most about n eps times the sum of their
 * magnitudes, (|A| |x|)_i. If all numbers are whole and no sum exceeds the range in which the type
 * counts exactly, there is no error at all. The solution of conjugate gradients is judged by its
 * own residual. It must be what the recurrence says. If the matrix' extreme eigenvalues are known,
 * it must also be as small as the theory promises (Hestenes and Stiefel; Chebyshev's polynomials).
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../count.h"
#include "spmv_state.h"

struct sum {
    double value, size; /* size: sum of the magnitudes */
    int64_t count;
};

static struct sum row_sum(const struct spmv_state *s, int64_t row, int vector)
{
    const struct sparse *matrix = &s->matrix;
    struct sum sum = { .count = matrix->starts[row + 1] - matrix->starts[row] };
    for (int64_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++) {
        const double term = sparse_get(matrix, k) * spmv_get(s, vector, matrix->column[k]);
        sum.value += term;
        sum.size += fabs(term);
    }
    return sum;
}

static double epsilon(const struct spmv_state *s)
{
    return s->options.type == SPARSE_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
}

struct found {
    double worst; /* error / (eps size) */
    int64_t exact;
};

/* Checks the last product, row by row. */
static yoke_status check_product(const struct spmv_state *s, struct found *out)
{
    const double eps = epsilon(s), most = 2 / eps; /* up to this, whole numbers are exact */
    const double scale = s->options.type == SPARSE_DOUBLE ? s->scale : (double)(float)s->scale;
    const int whole =
        s->is_whole && s->options.vector != SPMV_RAMP && s->options.solve == SPMV_PRODUCT;
    *out = (struct found){ 0 };
    for (int64_t i = 0; i < s->matrix.rows; i++) {
        const struct sum right = row_sum(s, i, s->from);
        const double value = spmv_get(s, s->to, i), size = fabs(scale) * right.size;
        const double error = fabs(value - scale * right.value);
        const int exact = whole && right.size < most;
        /* both sums are rounded; the reference's in double precision */
        const double allowed = exact ? 0 : (2 * (double)right.count + 4) * eps * size;
        if (!(error <= allowed))
            return app_fail(YOKE_EINVAL,
                            "row %" PRId64 " is %.17g and should be %.17g (allowed error %.2g)", i,
                            value, scale * right.value, allowed);
        out->exact += exact;
        out->worst = size > 0 ? fmax(out->worst, error / (eps * size)) : out->worst;
    }
    return YOKE_OK;
}

/* The bound for the residual, as a factor, from a shifted Laplacian's eigenvalues: none is below
 * the shift, none is above the greatest sum of magnitudes in a row. */
static double promised(const struct spmv_state *s, double norm)
{
    const double root = sqrt(norm / s->options.shift);
    return 2 * root * pow((root - 1) / (root + 1), (double)s->steps_done);
}

static yoke_status check_cg(const struct spmv_state *s, char *note)
{
    double gap = 0, residual = 0, kept = 0, sizes = 0, norm = 0, longest = 0;
    for (int64_t i = 0; i < s->matrix.rows; i++) {
        const struct sum right = row_sum(s, i, SPMV_X);
        const double b = spmv_given(s, i), left = b - right.value, r = spmv_get(s, SPMV_R, i);
        double magnitudes = 0;
        for (int64_t k = s->matrix.starts[i]; k < s->matrix.starts[i + 1]; k++)
            magnitudes += fabs(sparse_get(&s->matrix, k));
        gap += (left - r) * (left - r);
        residual += left * left;
        kept += r * r;
        sizes += (right.size + b) * (right.size + b);
        norm = fmax(norm, magnitudes);
        longest = fmax(longest, (double)right.count);
    }
    /* Each step rounds x and r once, and a product. */
    const double off = epsilon(s) * (longest + 4) * ((double)s->steps_done + 1) * sqrt(sizes);
    const double first = sqrt(s->first_squares);
    if (!(sqrt(gap) <= off))
        return app_fail(YOKE_EINVAL,
                        "b - A x is %.3g away from the residual of the recurrence (allowed %.2g)",
                        sqrt(gap), off);
    if (!(fabs(kept - s->squares) <= 1e-10 * kept))
        return app_fail(YOKE_EINVAL, "r r was added up to %.17g and is %.17g", s->squares, kept);
    if (s->matrix.is_laplacian && s->options.shift > 0 &&
        !(sqrt(residual) <= promised(s, norm) * first + off))
        return app_fail(YOKE_EINVAL, "the residual is %.3g and should be at most %.3g of b",
                        sqrt(residual) / first, promised(s, norm));
    snprintf(note, 256, "%s: |b - A x| is %.2e |b|, %.1e from the recurrence's (allowed %.1e)",
             count_words(s->steps_done, "steps").text, sqrt(residual) / first, sqrt(gap) / first,
             off / first);
    return YOKE_OK;
}

static yoke_status check_power(const struct spmv_state *s, char *note)
{
    double with_x = 0, squares = 0, sizes = 0, gap = 0;
    for (int64_t i = 0; i < s->matrix.rows; i++) {
        const double x = spmv_get(s, s->from, i), y = spmv_get(s, s->to, i);
        const double off = y - s->eigenvalue * s->scale * x;
        gap += off * off;
        with_x += x * y;
        sizes += fabs(x * y);
        squares += x * x;
    }
    const double right = s->scale * with_x;
    const double off = 1e-10 * s->scale * sizes;
    if (!(fabs(s->eigenvalue - right) <= off))
        return app_fail(YOKE_EINVAL, "the eigenvalue is %.12g and should be %.12g", s->eigenvalue,
                        right);
    if (!(fabs(s->scale * sqrt(squares) - 1) <= 1e-6))
        return app_fail(YOKE_EINVAL, "the last vector's norm is %.12g and should be 1",
                        s->scale * sqrt(squares));
    if (s->has_fallen && s->matrix.is_symmetric)
        return app_fail(YOKE_EINVAL, "the norms of a symmetric matrix' products fell");
    snprintf(note, 256, "%s: x'A x is %.10g, and |A x - (x'A x) x| %.1e",
             count_words(s->steps_done, "steps").text, s->eigenvalue, sqrt(gap));
    return YOKE_OK;
}

static yoke_status check(const struct spmv_state *s, char *note)
{
    struct found found;
    yoke_status status = check_product(s, &found);
    if (status != YOKE_OK)
        return status;
    if (s->options.solve == SPMV_CG)
        return check_cg(s, note);
    if (s->options.solve == SPMV_POWER)
        return check_power(s, note);
    if (found.exact == s->matrix.rows)
        snprintf(note, 256, "all %s, to the bit", count_words(s->matrix.rows, "rows").text);
    else
        snprintf(note, 256, "all %s; max error %.1f eps |A||x|",
                 count_words(s->matrix.rows, "rows").text, found.worst);
    return YOKE_OK;
}

yoke_status spmv_verify(void *state, char *note)
{
    struct spmv_state *s = state;
    yoke_status status = YOKE_OK, released;
    for (int v = 0; v < SPMV_VECTORS && status == YOKE_OK; v++)
        if (spmv_has(s, v))
            status = yoke_array_acquire(s->vector_arrays[v], YOKE_READ);
    if (status == YOKE_OK)
        status = check(s, note);
    for (int v = 0; v < SPMV_VECTORS; v++)
        if (spmv_has(s, v)) {
            released = yoke_array_release(s->vector_arrays[v]);
            status = status != YOKE_OK ? status : released;
        }
    return status;
}
