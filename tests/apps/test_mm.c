/* test_mm.c - the check of mm's results accepts a product computed in another way, and refuses one
 * with a single wrong element at any place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"
#include "mm/mm_check.h"
#include "mm/mm_core.h"
#include "mm/mm_tiles.h"

enum { ROWS = 150, INNER = 70, COLUMNS = 90 };

static void put(const struct mm_product *p, int64_t at, double value)
{
    if (p->single)
        ((float *)p->c)[at] = (float)value;
    else
        ((double *)p->c)[at] = value;
}

static double get(const struct mm_product *p, const void *matrix, int64_t at)
{
    return p->single ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

/* Rounded once, from sums in long double. */
static void multiply(const struct mm_product *p)
{
    int64_t i, j, k;
    for (i = 0; i < p->rows; i++)
        for (j = 0; j < p->columns; j++) {
            long double sum = 0;
            for (k = 0; k < p->inner; k++)
                sum +=
                    (long double)get(p, p->a, i * p->inner + k) * get(p, p->b, k * p->columns + j);
            put(p, i * p->columns + j, (double)sum);
        }
}

static struct mm_product open_product(int single)
{
    struct mm_product p = {
        .rows = ROWS, .inner = INNER, .columns = COLUMNS, .single = single, .seed = 7
    };
    p.a = calloc(ROWS * INNER, sizeof(double));
    p.b = calloc(INNER * COLUMNS, sizeof(double));
    p.c = calloc(ROWS * COLUMNS, sizeof(double));
    assert_true(p.a && p.b && p.c);
    assert_int_equal(mm_product_fill(&p), YOKE_OK);
    return p;
}

static void close_product(struct mm_product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
}

static int is_sampled(const struct mm_product *p, int64_t row)
{
    int s;
    for (s = 0; s < MM_SAMPLE; s++)
        if (mm_sample_row(p, s) == row)
            return 1;
    return 0;
}

static void refused(const struct mm_product *p, const char *words)
{
    char note[APP_NOTE_MAX];
    assert_int_equal(mm_check(p, note), YOKE_EINVAL);
    if (!strstr(app_error_text(), words))
        fail_msg("not \"%s\": %s", words, app_error_text());
}

static void inputs_are_as_promised(void **unused)
{
    int single;
    (void)unused;
    for (single = 0; single <= 1; single++) {
        struct mm_product p = open_product(single), again = open_product(single);
        double sum = 0;
        int64_t i;
        for (i = 0; i < ROWS * INNER; i++) {
            assert_true(fabs(get(&p, p.a, i)) <= 1);
            assert_true(get(&p, p.a, i) == get(&again, again.a, i));
            sum += get(&p, p.a, i);
        }
        assert_true(fabs(sum) < ROWS * INNER * 0.03); /* five standard deviations */
        assert_true(get(&p, p.a, 0) != get(&p, p.b, 0));
        assert_int_equal(mm_product_spoil(&p), YOKE_OK);
        for (i = 0; i < ROWS * COLUMNS; i++)
            assert_true(isnan(get(&p, p.c, i)));
        close_product(&p);
        close_product(&again);
    }
}

/* One element of each row in turn becomes NaN, 0, its neighbour's value, or slightly wrong. */
static void one_wrong_element_is_refused(void **unused)
{
    int single;
    (void)unused;
    for (single = 0; single <= 1; single++) {
        struct mm_product p = open_product(single);
        char note[APP_NOTE_MAX];
        int64_t row, sampled = 0;
        multiply(&p);
        assert_int_equal(mm_check(&p, note), YOKE_OK);
        assert_non_null(strstr(note, "all 150 rows"));
        for (row = 0; row < ROWS; row++) {
            const int64_t at = row * COLUMNS + row * 7 % COLUMNS, side = at ^ 1;
            const double right = get(&p, p.c, at);
            const double wrong[] = { (double)NAN, 0, get(&p, p.c, side), right + 0.01 };
            const int known = is_sampled(&p, row);
            sampled += known;
            put(&p, at, wrong[row % 4]);
            refused(&p, known ? "C[" : "times random signs");
            put(&p, at, right);
        }
        assert_true(sampled > 30 && sampled < ROWS - 30);
        assert_int_equal(mm_check(&p, note), YOKE_OK);
        close_product(&p);
    }
}

/* Rounding is distinguished from errors: in a sampled row 1e-4 is too much in single precision, and
 * 1e-11 in double precision. */
static void small_errors_show_in_sampled_rows(void **unused)
{
    static const double slips[] = { 1e-11, 1e-4 };
    int single;
    (void)unused;
    for (single = 0; single <= 1; single++) {
        struct mm_product p = open_product(single);
        const int64_t at = mm_sample_row(&p, 5) * COLUMNS + 3;
        multiply(&p);
        put(&p, at, get(&p, p.c, at) + slips[single]);
        refused(&p, "C[");
        close_product(&p);
    }
}

static void single_precision_is_no_double(void **unused)
{
    struct mm_product p = open_product(0);
    int64_t i;
    (void)unused;
    multiply(&p);
    for (i = 0; i < ROWS * COLUMNS; i++)
        put(&p, i, (double)(float)get(&p, p.c, i));
    refused(&p, "C[");
    close_product(&p);
}

/* A setting below the processor's ability is replaced, others are not. */
static void kernels_of_the_library_fit_the_processor(void **unused)
{
    (void)unused;
    assert_string_equal(mm_core_instead("Prescott", MM_CORE_AVX512), "SkylakeX");
    assert_string_equal(mm_core_instead("prescott", MM_CORE_AVX2), "Haswell");
    assert_null(mm_core_instead("Prescott", MM_CORE_OLD));
    assert_string_equal(mm_core_instead("Zen", MM_CORE_AVX512), "SkylakeX");
    assert_null(mm_core_instead("Haswell", MM_CORE_AVX2));
    assert_null(mm_core_instead("Cooperlake", MM_CORE_AVX512));
    assert_null(mm_core_instead("of the future", MM_CORE_AVX512));
}

/* For doubles. */
static struct mm_tiles cut(int64_t rows, int64_t columns, int cores, int others)
{
    const struct mm_tiles_spec spec = { rows,           columns, 8,
                                        cores,          others,  .panels_most = 16,
                                        .jobs_most = 64 };
    return mm_tiles_cut(&spec);
}

/* Every core has work, in tiles that are neither flat nor narrow. */
static void tiles_are_for_all_cores(void **unused)
{
    static const int64_t sides[] = { 3000, 4096, 7000, 38000 };
    int cores;
    size_t n;
    (void)unused;
    for (n = 0; n < sizeof sides / sizeof *sides; n++)
        for (cores = 1; cores <= 64; cores++) {
            const int64_t side = sides[n];
            const struct mm_tiles t = cut(side, side, cores, 0);
            const int64_t pieces = ((side - 1) / t.piece_rows + 1) * t.panels;
            const int64_t rounds = (pieces - 1) / cores + 1;
            const double width = (double)side / t.panels;
            const double made = (double)rounds * (double)t.piece_rows * width * cores;
            assert_true(t.piece_rows >= 1 && t.panels >= 1 && t.panels <= 16 && t.blocks == 1);
            if (made > 1.1 * (double)side * (double)side)
                fail_msg("%d cores, %d: %d panels, %d rows: as if it were %.2f products", cores,
                         (int)side, t.panels, (int)t.piece_rows,
                         made / (double)side / (double)side);
            assert_true(side < 7000 || (t.piece_rows >= 100 && width >= 1000));
        }
    assert_int_equal(cut(7000, 7000, 2, 0).panels, 1);
    assert_true(cut(7000, 7000, 32, 0).panels > 1);
    assert_int_equal(cut(1, 1, 32, 0).piece_rows, 1);
    assert_int_equal(cut(1, 1, 32, 0).panels, 1);
    assert_int_equal(cut(438, 7000, 32, 0).piece_rows * 2, 438);
}

/* Panels are wide enough for links, and the number of jobs stays within its limit. */
static void tiles_are_for_links(void **unused)
{
    struct mm_tiles_spec spec = { .rows = 7000,
                                  .columns = 7000,
                                  .element_size = 8,
                                  .others = 1,
                                  .panels_most = 16,
                                  .jobs_most = 64 };
    struct mm_tiles t = cut(7000, 7000, 32, 2);
    int panels, blocks;
    (void)unused;
    assert_int_equal(t.panels, 5);
    assert_int_equal(t.blocks, 5);
    assert_true(t.piece_rows > 0 && t.piece_rows <= 7000 / 5 / 32 + 1);
    t = cut(7000, 7000, 32, 1); /* one link */
    assert_int_equal(t.panels, 4);
    assert_int_equal(t.blocks, 8);
    t = cut(38000, 38000, 0, 2);
    assert_int_equal(t.panels * t.blocks, 64);
    assert_int_equal(t.piece_rows, 0);
    assert_int_equal(cut(4096, 4096, 0, 1).panels, 2);
    assert_int_equal(cut(4096, 4096, 0, 1).blocks, 4);
    t = cut(100, 100, 2, 1);
    assert_int_equal(t.panels * t.blocks, 1);
    for (panels = 0; panels <= 16; panels++)
        for (blocks = 0; blocks <= 16; blocks++) {
            if (panels * blocks > 64)
                continue;
            spec.panels = panels;
            spec.blocks = blocks;
            spec.others = (panels + blocks) % 3 != 0;
            spec.cores = blocks % 2 * 32;
            t = mm_tiles_cut(&spec);
            assert_true(t.panels * t.blocks <= 64 && t.panels >= 1 && t.blocks >= 1);
            assert_true(!panels || t.panels == panels);
            assert_true(!blocks || t.blocks == blocks);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_as_promised),
        cmocka_unit_test(one_wrong_element_is_refused),
        cmocka_unit_test(small_errors_show_in_sampled_rows),
        cmocka_unit_test(single_precision_is_no_double),
        cmocka_unit_test(kernels_of_the_library_fit_the_processor),
        cmocka_unit_test(tiles_are_for_all_cores),
        cmocka_unit_test(tiles_are_for_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
