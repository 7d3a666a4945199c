/* test_touches.c - jobs that are correct on the cores and wrong on devices with their own memory:
 * reported at submit, even for the cores, from the index expressions in the kernel's text. */
#include <stdlib.h>
#include <string.h>

#include "ok.h"
#include "touch_kernels.h"

enum { N = 64, ARRAYS = 5 };

struct bench {
    yoke_runtime *rt;
    void *memory[ARRAYS];
    yoke_array *arrays[ARRAYS];
    int count;
};

static struct bench open_bench(void)
{
    return (struct bench){ .rt = open_runtime("cpu:1") };
}

static yoke_array *make(struct bench *bench, int64_t rows, int64_t row_elements,
                        size_t element_size)
{
    static const char *const names[ARRAYS] = { "first", "second", "third", "fourth", "fifth" };
    const int a = bench->count++;
    bench->memory[a] = calloc((size_t)(rows * row_elements), element_size);
    assert_non_null(bench->memory[a]);
    OK(yoke_array_open(bench->rt,
                       &(yoke_array_spec){ .host = bench->memory[a],
                                           .rows = rows,
                                           .row_elements = row_elements,
                                           .element_size = element_size,
                                           .name = names[a] },
                       &bench->arrays[a]));
    return bench->arrays[a];
}

static void close_bench(struct bench *bench)
{
    while (bench->count--) {
        OK(yoke_array_close(bench->arrays[bench->count]));
        free(bench->memory[bench->count]);
    }
    OK(yoke_close(bench->rt));
}

/* The job is refused, with a message that contains all of `words`. */
static void refused(const struct bench *bench, const yoke_job *job, const char *const *words)
{
    assert_int_equal(yoke_run(bench->rt, job, NULL), YOKE_EINVAL);
    for (; *words; words++)
        if (!strstr(yoke_error_text(), *words))
            fail_msg("'%s' is not in: %s", *words, yoke_error_text());
}
#define REFUSED(bench, job, ...) refused(bench, job, (const char *const[]){ __VA_ARGS__, NULL })

/* A flat image with a 2-D kernel: correct on the cores, wrong on most other devices. */
static void flat_image(void **state)
{
    (void)state;
    struct bench b = open_bench();
    yoke_array *x = make(&b, N * 32, 1, 4), *y = make(&b, N * 32, 1, 4);
    yoke_job job = { .kernel = &t_image,
                     .range = { 0, N, { 32 } },
                     .args = { yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "t_image", "argument 2 (y)", "'i * YOKE_SIZE2 + j'",
            "32 elements for each index", "row of array second has 1;",
            "pass yoke_row(pointer, 32), or open the array with row_elements = 32",
            "touch_kernels.c:7");
    job.args[1] = (yoke_arg)yoke_out(make(&b, N, 32, 4));
    REFUSED(&b, &job, "argument 1 (x)");
    job.args[0] = (yoke_arg)yoke_in(make(&b, N, 32, 4));
    OK(yoke_run(b.rt, &job, NULL));
    job.range.extent[0] = 16;
    REFUSED(&b, &job, "16 elements for each index", "has 32",
            "if its rows have as many, pass yoke_row(pointer, 16)",
            "otherwise write to row i only");
    close_bench(&b);
}

/* A matrix that is transposed by writing down its columns. */
static void column_by_column(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const yoke_job job = { .kernel = &t_column,
                           .range = { 0, N, { N } },
                           .args = { yoke_in(make(&b, N, N, 4)), yoke_out(make(&b, N, N, 4)) } };
    REFUSED(&b, &job, "argument 2 (y)", "1 element for each index", "exchange the indexes",
            "yoke_whole");
    close_bench(&b);
}

/* This once ended with SIGSEGV, even on the cores. */
static void extents_beyond_the_array(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const yoke_job job = { .kernel = &t_image,
                           .range = { 0, 1000, { 10 } },
                           .args = { yoke_in(make(&b, 1000, 1, 4)),
                                     yoke_out(make(&b, 1000, 1, 4)) } };
    REFUSED(&b, &job, "10 elements for each index", "has 1;", "row_elements = 10");
    close_bench(&b);
}

static void gathers(void **state)
{
    (void)state;
    struct bench b = open_bench();
    yoke_array *index = make(&b, N, 1, 4), *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4),
               *bytes = make(&b, N, 1, 1);
    yoke_job job = { .kernel = &t_gather,
                     .range = { 0, N },
                     .args = { yoke_in(index), yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "argument 2 (x)", "'at'", "read from memory", "yoke_in_whole");
    job.args[1] = (yoke_arg)yoke_in_whole(x);
    OK(yoke_run(b.rt, &job, NULL));
    job.kernel = &t_table;
    job.args[0] = (yoke_arg)yoke_in(bytes);
    job.args[1] = (yoke_arg)yoke_in(x);
    REFUSED(&b, &job, "'pixel[i] & 15'", "yoke_in_whole");
    job.kernel = &t_scatter;
    job.args[0] = (yoke_arg)yoke_in(index);
    REFUSED(&b, &job, "argument 3 (y)", "'index[i]'", "YOKE_ADD");
    close_bench(&b);
}

static void neighbours(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int64_t n = N;
    yoke_array *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4), *u = make(&b, N, 16, 4),
               *w = make(&b, N, 16, 4);
    yoke_job job = { .kernel = &t_neighbours,
                     .range = { 0, N },
                     .args = { yoke_value(n), yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "argument 2 (x)", "row i - 1 of array first, and the job declares row i only",
            "yoke_in_halo(array, 1, 0)");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 1, 0);
    REFUSED(&b, &job, "row i + 1", "declares rows i - 1 to i + 0", "yoke_in_halo(array, 1, 1)");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 1, 1);
    OK(yoke_run(b.rt, &job, NULL));
    job.kernel = &t_reversed;
    REFUSED(&b, &job, "'n - 1 - i'", "leads to other rows", "yoke_in_whole");
    job = (yoke_job){ .kernel = &t_window,
                      .range = { 2, N - 2 },
                      .args = { yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "'i + t'", "row i - 2", "yoke_in_halo(array, 2, 0)");
    job.args[0] = (yoke_arg)yoke_in_halo(x, 2, 0);
    REFUSED(&b, &job, "'i + t'", "row i + 2", "yoke_in_halo(array, 2, 2)");
    job.args[0] = (yoke_arg)yoke_in_halo(x, 2, 2);
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_stencil,
                      .range = { 0, N, { 4, 4 } },
                      .args = { yoke_value(n), yoke_in(u), yoke_out(w) } };
    REFUSED(&b, &job, "'at - ny * nx'", "row i - 1");
    job.args[1] = (yoke_arg)yoke_in_halo(u, 1, 1);
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

static void same_rows_for_all(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int32_t columns = 8;
    yoke_array *m = make(&b, N, 8, 4), *v = make(&b, 8, 1, 4), *y = make(&b, N, 1, 4),
               *long_v = make(&b, N, 1, 4);
    yoke_job job = { .kernel = &t_vector,
                     .range = { 0, N },
                     .args = { yoke_value(columns), yoke_in(m), yoke_in(long_v), yoke_out(y) } };
    REFUSED(&b, &job, "argument 3 (v)", "'j'", "does not depend", "yoke_in_whole");
    job.args[2] = (yoke_arg)yoke_in_whole(v);
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

static void sums_without_yoke_add(void **state)
{
    (void)state;
    struct bench b = open_bench();
    yoke_array *x = make(&b, N, 1, 4), *s = make(&b, 1, 1, 4);
    yoke_job job = { .kernel = &t_sum, .range = { 0, N }, .args = { yoke_in(x), yoke_add_to(s) } };
    REFUSED(&b, &job, "t_sum", "argument 2 (s)", "line 56", "yoke_add(&s[k], v)");
    job.kernel = &t_sum_star;
    REFUSED(&b, &job, "t_sum_star", "argument 2 (s)", "yoke_add(&s[k], v)");
    job.kernel = &t_sum_counts;
    REFUSED(&b, &job, "t_sum_counts", "argument 2 (s)", "yoke_add(&s[k], v)");
    job.kernel = &t_sum_right;
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

static void right_ones(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int32_t w = 8;
    yoke_array *xyz = make(&b, N, 3, 4), *length = make(&b, N, 1, 4), *x = make(&b, N, 8, 4),
               *y = make(&b, N, 8, 4);
    yoke_job job = { .kernel = &t_triples,
                     .range = { 0, N },
                     .args = { yoke_in(xyz), yoke_out(length) } };
    OK(yoke_run(b.rt, &job, NULL));
    job.args[0] = (yoke_arg)yoke_in(x);
    REFUSED(&b, &job, "3 elements for each index", "has 8");
    job = (yoke_job){ .kernel = &t_right,
                      .range = { 0, N },
                      .args = { yoke_value(w), yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    /* one index is no exception */
    job = (yoke_job){ .kernel = &t_image,
                      .range = { 0, 1, { 8 } },
                      .args = { yoke_in(xyz), yoke_out(y) } };
    REFUSED(&b, &job, "8 elements for each index", "has 3");
    job.range.second.first = job.range.second.last = 8; /* no index at all */
    OK(yoke_run(b.rt, &job, NULL));
    job.range.second.first = job.range.second.last = 0;
    job.range.extent[0] = 3;
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

/* The same bodies are correct for some values, and wrong for others. */
static void values_decide(void **state)
{
    (void)state;
    struct bench b = open_bench();
    int32_t radius = 0, channels = 1;
    yoke_array *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4), *xyz = make(&b, N, 3, 4);
    yoke_job job = { .kernel = &t_radius,
                     .range = { 2, N - 2 },
                     .args = { yoke_value(radius), yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    job.args[1] = (yoke_arg)yoke_in_halo(x, 0, 0);
    OK(yoke_run(b.rt, &job, NULL));
    radius = 2;
    job.args[0] = (yoke_arg)yoke_value(radius);
    REFUSED(&b, &job, "'i - t'", "yoke_in_halo(array, 1, 0)");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 1, 1);
    REFUSED(&b, &job, "'i - t'", "yoke_in_halo(array, 2, 1)");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 2, 2);
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_channels,
                      .range = { 0, N },
                      .args = { yoke_value(channels), yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    job.args[1] = (yoke_arg)yoke_in(xyz);
    REFUSED(&b, &job, "'i'", "row of array third has 3");
    channels = 3;
    job.args[0] = (yoke_arg)yoke_value(channels);
    OK(yoke_run(b.rt, &job, NULL));
    job.args[1] = (yoke_arg)yoke_in(x);
    REFUSED(&b, &job, "3 elements for each index");
    close_bench(&b);
}

/* Results of / % & ^ and the like are computed at some indexes. */
static void operators(void **state)
{
    (void)state;
    struct bench b = open_bench();
    int64_t n = N;
    const int64_t color = 1;
    yoke_array *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4);
    yoke_job job = { .kernel = &t_half, .range = { 0, N }, .args = { yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "'i / 2' is of row 0 of array first for index 1",
            "declare the whole array (yoke_whole, yoke_in_whole)");
    job.range.last = 1; /* index 0 alone reads its own row */
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_ring,
                      .range = { 0, N },
                      .args = { yoke_value(n), yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "'(i + 1) % n' is of row 1 of array first for index 0");
    job.args[1] = (yoke_arg)yoke_in_whole(x);
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_red,
                      .range = { 0, N },
                      .args = { yoke_value(n), yoke_value(color), yoke_inout(x) } };
    REFUSED(&b, &job, "of row i - 1", "write to one array, and read another one",
            "with a halo (yoke_halo, yoke_in_halo)");
    job = (yoke_job){ .kernel = &t_pairs, .range = { 0, N }, .args = { yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

/* A value that would wrap is unknown, and one that does not is not. */
static void unsigned_values(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int64_t n = N;
    yoke_array *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4), *table = make(&b, 8, 1, 4);
    yoke_job job = { .kernel = &t_wrapped,
                     .range = { 0, N },
                     .args = { yoke_in_whole(table), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    job.kernel = &t_unsigned_half;
    job.args[0] = (yoke_arg)yoke_in(x);
    REFUSED(&b, &job, "'(size_t)i / 2' is of row 0 of array first for index 1");
    job = (yoke_job){ .kernel = &t_unsigned_near,
                      .range = { 0, N },
                      .args = { yoke_value(n), yoke_in(x), yoke_out(y) } };
    REFUSED(&b, &job, "'at + 1'", "row i + 1", "yoke_in_halo(array, 0, 1)");
    close_bench(&b);
}

/* The text of a kernel whose last job was right is not looked at again for the same job, but for
 * others. */
static void elements_outside(void **state)
{
    (void)state;
    struct bench b = open_bench();
    int64_t at = N - 1;
    yoke_array *table = make(&b, N, 1, 4), *sums = make(&b, N / 2, 1, 4);
    yoke_job job = { .kernel = &t_far,
                     .range = { 0, 10 },
                     .args = { yoke_value(at), yoke_in_whole(table), yoke_add_to(sums) } };
    OK(yoke_run(b.rt, &job, NULL));
    at = N;
    job.args[0] = (yoke_arg)yoke_value(at);
    REFUSED(&b, &job, "'at / 2' is of row 32 for index 0", "array second has rows [0, 32)",
            "give their number (yoke_whole(pointer, count))");
    job.args[2] = (yoke_arg)yoke_add_to(make(&b, N, 1, 4));
    REFUSED(&b, &job, "'at' is of row 64 for index 0", "array first has rows [0, 64)");
    at = N - 1;
    job.args[0] = (yoke_arg)yoke_value(at);
    OK(yoke_run(b.rt, &job, NULL));
    OK(yoke_run(b.rt, &job, NULL));
    job.args[1] = (yoke_arg)yoke_in_whole(sums);
    job.args[2] = (yoke_arg)yoke_add_to(table);
    REFUSED(&b, &job, "'at' is of row 63", "array second has rows [0, 32)");
    close_bench(&b);
}

/* The distance counts as the array's own, for a panel and for the whole array. (It once counted as
 * 0, and the job ended with SIGFPE.) */
static void row_distances(void **state)
{
    (void)state;
    struct bench b = open_bench();
    int64_t column = 5;
    yoke_array *x = make(&b, N, 8, 4), *y = make(&b, N, 1, 4), *panel;
    float *values = b.memory[0];
    for (int64_t n = 0; n < N * 8; n++)
        values[n] = (float)n;
    yoke_job job = { .kernel = &t_distance,
                     .range = { 0, N },
                     .args = { yoke_row_distance(x), yoke_value(column), yoke_in(x),
                               yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    OK(yoke_array_panel(x, 4, 3, &panel));
    job.args[0] = (yoke_arg)yoke_row_distance(panel);
    job.args[2] = (yoke_arg)yoke_in(panel);
    OK(yoke_run(b.rt, &job, NULL));
    OK(yoke_array_acquire(y, YOKE_READ));
    assert_true(((float *)b.memory[1])[N - 1] == (N - 1) * 8 + 5);
    OK(yoke_array_release(y));
    column = 13;
    job.args[1] = (yoke_arg)yoke_value(column);
    REFUSED(&b, &job, "'i * distance + column'", "of row i + 1", "yoke_in_halo(array, 0, 1)");
    OK(yoke_array_close(panel));
    close_bench(&b);
}

static void rows_from_their_end(void **state)
{
    (void)state;
    struct bench b = open_bench();
    yoke_array *x = make(&b, N, 16, 4), *y = make(&b, N, 16, 4), *xyz = make(&b, N, 3, 4),
               *sum = make(&b, N, 1, 4);
    yoke_job job = { .kernel = &t_mirror,
                     .range = { 0, N, { 16 } },
                     .args = { yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_backwards,
                      .range = { 0, N },
                      .args = { yoke_in(xyz), yoke_out(sum) } };
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

static void conditions_of_the_index(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int64_t n = N;
    const int32_t w = 1;
    yoke_array *x = make(&b, N, 1, 4), *y = make(&b, N, 1, 4), *wide = make(&b, N, 256, 4);
    yoke_job job = { .kernel = &t_ends,
                     .range = { 0, N },
                     .args = { yoke_value(n), yoke_in(x), yoke_out(y) } };
    OK(yoke_run(b.rt, &job, NULL));
    job.kernel = &t_behind;
    REFUSED(&b, &job, "'i - 1'", "yoke_in_halo(array, 1, 0)");
    job = (yoke_job){ .kernel = &t_names,
                      .range = { 0, N },
                      .args = { yoke_value(w), yoke_in(x), yoke_out(wide) } };
    OK(yoke_run(b.rt, &job, NULL));
    close_bench(&b);
}

/* Indexes of the second and third dimension that change one element. */
static void races_in_a_row(void **state)
{
    (void)state;
    struct bench b = open_bench();
    const int64_t n = 4, five = 5;
    yoke_array *x = make(&b, N, 16, 4), *y = make(&b, N, 1, 4), *wide = make(&b, N, 4, 4);
    yoke_job job = { .kernel = &t_row_sum,
                     .range = { 0, N, { 16 } },
                     .args = { yoke_in(x), yoke_inout(y) } };
    REFUSED(&b, &job, "'i' is the same for all 16 indexes of dimension 2", "YOKE_REDUCE");
    job.kernel = &t_row_last;
    REFUSED(&b, &job, "'i' is the same for all 16 indexes");
    job.kernel = &t_row_first;
    OK(yoke_run(b.rt, &job, NULL));
    job.kernel = &t_row_same;
    OK(yoke_run(b.rt, &job, NULL));
    job = (yoke_job){ .kernel = &t_row_loop,
                      .range = { 0, N, { 16 } },
                      .args = { yoke_value(n), yoke_in(x), yoke_inout(wide) } };
    REFUSED(&b, &job, "'i * n + k' is the same for all 16 indexes");
    job.kernel = &t_row_never;
    job.args[2] = (yoke_arg)yoke_inout(y);
    OK(yoke_run(b.rt, &job, NULL));
    job.args[0] = (yoke_arg)yoke_value(five);
    REFUSED(&b, &job, "'i' is the same for all 16 indexes");
    job = (yoke_job){ .kernel = &t_box_sum,
                      .range = { 0, N, { 4, 4 } },
                      .args = { yoke_in(x), yoke_inout(wide) } };
    REFUSED(&b, &job, "is the same for all 4 indexes of dimension 3", "YOKE_KERNEL2");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_image),
        cmocka_unit_test(column_by_column),
        cmocka_unit_test(extents_beyond_the_array),
        cmocka_unit_test(gathers),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(same_rows_for_all),
        cmocka_unit_test(sums_without_yoke_add),
        cmocka_unit_test(right_ones),
        cmocka_unit_test(values_decide),
        cmocka_unit_test(operators),
        cmocka_unit_test(unsigned_values),
        cmocka_unit_test(elements_outside),
        cmocka_unit_test(row_distances),
        cmocka_unit_test(rows_from_their_end),
        cmocka_unit_test(conditions_of_the_index),
        cmocka_unit_test(races_in_a_row),
    };
    return cmocka_run_group_tests_name("touches", tests, NULL, NULL);
}
