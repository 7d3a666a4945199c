/* peers.c - the same matrices with other programs: a plain OpenMP loop over the rows; cuSPARSE on
 * the first GPU, if both are found; and copies of memory, which bound them all.
 *
 *     yoke-bench-spmv ROUNDS [option=value ...]
 *
 * Options are those of `yoke run spmv`, and size and input. Products are resident; the vectors'
 * copies are not counted. Prints one line of JSON; null: not available. Times are the best of
 * ROUNDS.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../app_words.h"
#include "../program.h"
#include "cusparse.h"
#include "spmv/spmv_state.h"

static double now(void)
{
    return omp_get_wtime();
}

/* Bytes per second of a = b + 3 c, at 24 bytes per element as in STREAM. */
static double triad(int rounds)
{
    const int64_t count = 1 << 26;
    double *a, *b, *c, best = 0;
    must(app_alloc("triad", count, sizeof *a, (void **)&a), "triad");
    must(app_alloc("triad", count, sizeof *b, (void **)&b), "triad");
    must(app_alloc("triad", count, sizeof *c, (void **)&c), "triad");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] = c[i] = 1;
    for (int r = 0; r < rounds; r++) {
        const double begin = now();
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < count; i++)
            a[i] = b[i] + 3 * c[i];
        const double rate = 24.0 * (double)count / (now() - begin);
        best = rate > best ? rate : best;
    }
    free(a);
    free(b);
    free(c);
    return best;
}

/* Rows in equal parts, as in most programs; and in guided parts, for rows of different lengths. */
#define LOOP(name, real, kind)                                                                     \
    static void name(const struct sparse *m, const real *x, real *y)                               \
    {                                                                                              \
        const real *value = m->value;                                                              \
        _Pragma(#kind) for (int64_t i = 0; i < m->rows; i++)                                       \
        {                                                                                          \
            real sum = 0;                                                                          \
            for (int64_t k = m->starts[i]; k < m->starts[i + 1]; k++)                              \
                sum += value[k] * x[m->column[k]];                                                 \
            y[i] = sum;                                                                            \
        }                                                                                          \
    }
LOOP(static_double, double, omp parallel for schedule(static))
LOOP(static_single, float, omp parallel for schedule(static))
LOOP(guided_double, double, omp parallel for schedule(guided, 512))
LOOP(guided_single, float, omp parallel for schedule(guided, 512))

static double best_of(const struct spmv_state *s, int rounds, int is_guided)
{
    double best = 1e30;
    for (int r = 0; r < rounds; r++) {
        const double begin = now();
        double seconds;
        if (s->options.type == SPARSE_DOUBLE)
            (is_guided ? guided_double : static_double)(&s->matrix, s->vectors[SPMV_X],
                                                        s->vectors[SPMV_Y]);
        else
            (is_guided ? guided_single : static_single)(&s->matrix, s->vectors[SPMV_X],
                                                        s->vectors[SPMV_Y]);
        seconds = now() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static int set(const struct app *app, struct app_spec *spec, const char *word)
{
    const struct program_option size[] = { { "size", .large = &spec->size[0] }, { .name = NULL } };
    return app_word(app, word, spec) || read_option(size, word);
}

static void print_or_null(const char *name, double value)
{
    if (value > 0)
        printf(",\"%s\":%.9g", name, value);
    else
        printf(",\"%s\":null", name);
}

int main(int argc, char **argv)
{
    struct app_spec spec = { .seed = 42 };
    const struct app *app = app_find("spmv");
    struct cusparse_times gpu = { 0 };
    struct spmv_state *s;
    void *state;
    if (argc < 2) {
        fprintf(stderr, "usage: yoke-bench-spmv ROUNDS [option=value ...]\n");
        return 2;
    }
    const int rounds = atoi(argv[1]) > 0 ? atoi(argv[1]) : 1;
    app_words_begin(app, &spec);
    for (int k = 2; k < argc; k++)
        if (!set(app, &spec, argv[k])) {
            fprintf(stderr, "%s: no option of spmv\n", argv[k]);
            return 2;
        }
    must(app->open(&spec, &state), "spmv");
    s = state;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < s->matrix.columns; i++)
        spmv_put(s, SPMV_X, i, spmv_given(s, i));
    const double fixed = best_of(s, rounds, 0), guided = best_of(s, rounds, 1);
    const double rate = triad(rounds);
    cusparse_measure(s, rounds, &gpu);
    s->steps_done = 1;
    printf("{\"rows\":%lld,\"entries\":%lld,\"bytes\":%.9g,\"threads\":%d,\"triad\":%.9g,"
           "\"openmp_static\":%.9g,\"openmp_guided\":%.9g",
           (long long)s->matrix.rows, (long long)s->matrix.entries, app->work(s),
           omp_get_max_threads(), rate, fixed, guided);
    print_or_null("gpu_copy", gpu.copy_rate);
    print_or_null("cusparse_default", gpu.seconds[0]);
    print_or_null("cusparse_alg1", gpu.seconds[1]);
    print_or_null("cusparse_alg2", gpu.seconds[2]);
    printf(",\"note\":\"%s\"}\n", gpu.note);
    app->close(state);
    return 0;
}
