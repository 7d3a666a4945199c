/* test_for.c - yoke_for: each loop that programs typically write first is one call, on every kind
 * of device; arguments that do not fit the kernel are reported; the default runtime. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "for_kernels.h"
#include "under_sanitizer.h"

extern const yoke_kernel f_saxpy, f_dot, f_blur, f_look_up, f_gather, f_mxv, f_histogram, f_first,
    f_fill_rows, f_move, f_number;

enum { N = 3000, ROWS = 60, COLUMNS = 50, BINS = 7 };
static float xs[N], ys[N], zs[N], table[256];
static uint8_t keys[N];
static int32_t indexes[N];
static yoke_runtime *rt;
static const char *this_program;

static int open_on(const char *devices)
{
    for (int i = 0; i < N; i++) {
        xs[i] = (float)(i % 100);
        ys[i] = zs[i] = 1;
        keys[i] = (uint8_t)(i * 7);
        indexes[i] = (i * 11) % N;
        table[i % 256] = (float)(1000 + i % 256);
    }
    return yoke_open(&(yoke_config){ .devices = devices }, &rt) == YOKE_OK ? 0 : -1;
}
static int open_cores(void **state)
{
    (void)state;
    return open_on("cpu");
}
static int close_all(void **state)
{
    (void)state;
    const int closed = yoke_close(rt) == YOKE_OK && yk_alloc_outstanding() == 0;
    return closed ? 0 : -1;
}

static void expect(yoke_status got, yoke_status want, const char *part)
{
    assert_int_equal(got, want);
    if (!strstr(yoke_error_text(), part) || strchr(yoke_error_text(), '\n'))
        fail_msg("'%s' should say '%s'", yoke_error_text(), part);
}

static void ok(yoke_status status)
{
    if (status != YOKE_OK)
        fail_msg("%s", yoke_error_text());
}

static void twice(void *const *args, const yoke_chunk *chunk)
{
    for (int64_t i = chunk->first; i < chunk->last; i++)
        ((float *)args[1])[i] = 2 * ((const float *)args[0])[i];
}

/* A descriptor by hand may leave out what types its parameters have, and not its name. */
static void parameters_without_types(void **state)
{
    static const yoke_param params[] = { { .mode = YOKE_PARAM_IN, .size = sizeof(float) },
                                         { .mode = YOKE_PARAM_OUT, .size = sizeof(float) } };
    yoke_kernel kernel = { .struct_size = sizeof kernel,
                           .name = "twice",
                           .params = params,
                           .param_count = 2,
                           .cpu = { .variant = { twice } } };
    (void)state;
    ok(yoke_for(rt, &kernel, N, xs, ys));
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == 2 * xs[i]);
    kernel.name = NULL;
    expect(yoke_for(rt, &kernel, N, xs, ys), YOKE_EINVAL, "the kernel has no name");
}

static void vectors(void)
{
    double sum[1] = { 0 }, more = 0.5;
    float *x = xs, *y = ys;
    ok(yoke_for(rt, &f_saxpy, N, 2.0f, x, y));
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == 2 * xs[i] + 1);
    ok(yoke_for(rt, &f_saxpy, N - 10, 1.0f, x + 10, ys));
    assert_true(ys[0] == 1 + xs[10] && ys[N - 1] == 2 * xs[N - 1] + 1);
    ok(yoke_for(rt, &f_dot, N, xs, zs, sum));
    ok(yoke_for(rt, &f_dot, N, x, x, yoke_whole(&more, 1)));
    assert_true(sum[0] == 49.5 * N);
    assert_true(more == 0.5 + 328350.0 * N / 100);
}

static void planes(void)
{
    float image[ROWS][COLUMNS], *from = xs, *to = &image[0][0];
    int32_t box[4 * 3 * 2];
    ok(yoke_for2(rt, &f_blur, ROWS, COLUMNS, ROWS, yoke_halo(from, 1, 1), to));
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 0; j < COLUMNS; j++)
            assert_true(image[i][j] == xs[(i - 1) * COLUMNS + j] + xs[i * COLUMNS + j] +
                                           xs[(i + 1) * COLUMNS + j]);
    ok(yoke_for3(rt, &f_number, 4, 3, 2, box));
    assert_int_equal(box[3 * 6 + 2 * 2 + 1], 321);
    ok(yoke_for3(rt, &f_number, 4, 0, 2, box));
}

/* Parts of dimensions: other elements stay unchanged. */
static void spans(void)
{
    const yoke_span second = yoke_indexes(2, 3, 4);
    int32_t box[5 * 4 * 7];
    for (int at = 0; at < 5 * 4 * 7; at++)
        box[at] = -1;
    ok(yoke_for3(rt, &f_number, yoke_interior(5, 1), second, yoke_interior(7, 2), box));
    ok(yoke_for3(rt, &f_number, 5, yoke_interior(4, 2), 7, box)); /* too small: empty */
    ok(yoke_for3(rt, &f_number, yoke_interior(5, 6), 4, 7, box));
    ok(yoke_for3(rt, &f_number, yoke_indexes(5, 5, 5), 4, 7, box));
    for (int at = 0; at < 5 * 4 * 7; at++) {
        const int i = at / 28, j = at / 7 % 4, k = at % 7;
        const int is_done = i > 0 && i < 4 && j == 2 && k > 1 && k < 5;
        assert_int_equal(box[at], is_done ? 100 * i + 10 * j + k : -1);
    }
    for (int i = 0; i < N; i++)
        ys[i] = 1;
    ok(yoke_for(rt, &f_saxpy, yoke_indexes(3, N - 5, N), 2.0f, xs, ys));
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == (i >= 3 && i < N - 5 ? 2 * xs[i] + 1 : 1));
}

static void tables(void)
{
    float row[COLUMNS], product[ROWS], *x = xs, *to = zs;
    int32_t counts[BINS] = { 0 };
    ok(yoke_for(rt, &f_look_up, N, keys, yoke_whole(table), to));
    for (int i = 0; i < N; i++)
        assert_true(zs[i] == (float)(1000 + keys[i]));
    ok(yoke_for(rt, &f_gather, N, indexes, yoke_whole(x), to));
    for (int i = 0; i < N; i++)
        assert_true(zs[i] == xs[indexes[i]]);
    for (int j = 0; j < COLUMNS; j++)
        row[j] = (float)(j % 3);
    ok(yoke_for(rt, &f_mxv, ROWS, COLUMNS, yoke_row(x, COLUMNS), yoke_whole(row), product));
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
        for (int j = 0; j < COLUMNS; j++)
            sum += xs[i * COLUMNS + j] * row[j];
        assert_true(product[i] == sum);
    }
    ok(yoke_for(rt, &f_histogram, N, BINS, keys, counts));
    int all = 0;
    for (int b = 0; b < BINS; b++)
        all += counts[b];
    assert_int_equal(all, N);
}

/* A C array counts as far as the range needs it, so its parts may be several arguments. */
static void parts_of_arrays(void)
{
    enum { HALF = N / 2 };
    float sums[N], halo[HALF + 1];
    for (int i = 0; i < N; i++)
        sums[i] = (float)i;
    ok(yoke_for(rt, &f_saxpy, HALF, 2.0f, sums, sums + HALF));
    for (int i = 0; i < N; i++)
        assert_true(sums[i] == (i < HALF ? (float)i : (float)(2 * (i - HALF) + i)));
    ok(yoke_for2(rt, &f_blur, HALF / 5, 5, HALF / 5, yoke_halo(sums, 1, 1), halo));
    for (int i = 0; i <= HALF; i++)
        halo[i] = sums[i];
    ok(yoke_for(rt, &f_saxpy, HALF, 1.0f, yoke_halo(halo, 0, 1), sums));
    for (int i = 0; i < HALF; i++)
        assert_true(sums[i] == 2 * halo[i]);
}

/* Tables that have no element when the program runs. */
static void empty_tables(void)
{
    static const uint8_t none[1] = { 0 };
    int32_t counts[BINS] = { 0 };
    float *nothing = NULL, *x = xs;
    ok(yoke_for(rt, &f_first, N, 0, yoke_whole(nothing, 0), ys));
    ok(yoke_for(rt, &f_first, N, 0, yoke_whole(x, 0), ys));
    ok(yoke_for(rt, &f_first, N, 0, yoke_whole(yoke_whole(x, 0), 0), ys)); /* an empty container */
    ok(yoke_for(rt, &f_first, N, 0, yoke_whole(xs, 0), ys));
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == -1);
    ok(yoke_for(rt, &f_histogram, 0, BINS, none, yoke_whole(counts, 0)));
}

/* Rows that have no element when the program runs: what lies there is not touched. */
static void empty_rows(void)
{
    float *nothing = NULL, *x = xs;
    for (int i = 0; i < N; i++)
        xs[i] = 7;
    ok(yoke_for(rt, &f_fill_rows, N, 0, yoke_row(nothing, 0), ys));
    ok(yoke_for(rt, &f_fill_rows, N, 0, yoke_row(x, 0), ys));
    for (int i = 0; i < N; i++)
        assert_true(xs[i] == 7 && ys[i] == 0);
    ok(yoke_for(rt, &f_fill_rows, N / 3, 3, yoke_row(x, 3), ys));
    assert_true(xs[N / 3 * 3 - 1] == 2 && ys[0] == 3);
}

static void structs(void)
{
    f_body bodies[10] = { { 1, 2 } }, by = { 3, 4 };
    ok(yoke_for(rt, &f_move, 10, by, bodies));
    ok(yoke_for(rt, &f_move, 10, ((f_body){ 1, 1 }), bodies));
    assert_true(bodies[0].x == 5 && bodies[0].y == 7 && bodies[9].x == 4 && bodies[9].y == 5);
}

static void arrays(void)
{
    yoke_array *x, *y;
    for (int i = 0; i < N; i++)
        ys[i] = (float)i;
    ok(yoke_array_wrap(rt, xs, N, sizeof *xs, &x));
    ok(yoke_array_wrap(rt, ys, N, sizeof *ys, &y));
    ok(yoke_for(rt, &f_saxpy, N, 0.0f, x, y));
    ok(yoke_for(rt, &f_gather, N, indexes, yoke_whole(y), x)); /* y need not come home now */
    ok(yoke_array_acquire(x, YOKE_READ));
    for (int i = 0; i < N; i++)
        assert_true(xs[i] == (float)indexes[i]);
    yoke_array_close(x);
    yoke_array_close(y);
}

static void everything(void)
{
    vectors();
    planes();
    spans();
    tables();
    parts_of_arrays();
    empty_tables();
    empty_rows();
    structs();
    arrays();
}

static void on_cores(void **state)
{
    (void)state;
    everything();
}

static void on_others(void **state)
{
    static const char *const kinds[] = { "sim:gpu", "sim:cpu:cores=4,sim:gpu*2", "opencl:0",
                                         "cpu,opencl:0" };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (open_on(kinds[k]) == 0) {
            everything();
            assert_int_equal(yoke_close(rt), YOKE_OK);
        }
}

/* The chunks' results leave with them, not when all is done: the timeline of jobs shows it. */
static void results_leave_with_their_chunks(void **state)
{
    static char timeline[1 << 20];
    char path[] = "/tmp/yoke-for-XXXXXX.json";
    const int made = mkstemps(path, 5);
    (void)state;
    assert_true(made >= 0);
    close(made);
    assert_int_equal(open_on("sim:gpu:fill=100"), 0);
    ok(yoke_trace_start(rt));
    ok(yoke_for(rt, &f_saxpy, N, 2.0f, xs, ys));
    ok(yoke_trace_write(rt, path));
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == 1 + 2 * xs[i]);
    assert_int_equal(close_all(NULL), 0);
    FILE *const file = fopen(path, "r"); /* the timeline replaced the file that was made */
    assert_non_null(file);
    assert_true(fread(timeline, 1, sizeof timeline - 1, file) > 0);
    fclose(file);
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(timeline, "copy out"));
}

static void mistakes_of_types(void **state)
{
    double ds[N] = { 0 };
    const float *read_only = xs;
    float *x = xs, *y = ys;
    float table_of_rows[30][70];
    struct {
        char one;
    } *like_void = (void *)xs; /* of a void *, -Wpointer-arith warns */
    yoke_array *a;
    (void)state;
    expect(yoke_for(rt, &f_saxpy, N, 2, x, y), YOKE_EINVAL,
           "argument 1 (a): a value of type float (4 bytes) is wanted, int32_t (4 bytes) given");
    expect(yoke_for(rt, &f_saxpy, N, 2.0, x, y), YOKE_EINVAL, "double (8 bytes) given");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, ds, y), YOKE_EINVAL,
           "argument 2 (x): elements of type float (4 bytes) are wanted, double (8 bytes) given");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, indexes, y), YOKE_EINVAL, "int32_t (4 bytes) given");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, x, read_only), YOKE_EINVAL,
           "argument 3 (y): the kernel writes there, and the pointer is to const");
    expect(yoke_for(rt, &f_saxpy, N, x, x, y), YOKE_EINVAL, "a value (float) is wanted, a pointer");
    expect(yoke_for(rt, &f_saxpy, N, 1.0f, 1.0f, y), YOKE_EINVAL,
           "array (float) is wanted, a value");
    expect(yoke_for(rt, &f_histogram, N, -1, keys, indexes), YOKE_EINVAL,
           "the value does not fit uint32_t");
    expect(yoke_for(rt, &f_histogram, N, 1ull << 32, keys, indexes), YOKE_EINVAL, "does not fit");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, x, table_of_rows), YOKE_EINVAL,
           "argument 3 (y): elements of type float (4 bytes) are wanted, elements of 280 bytes "
           "given; of an array of arrays pass the first element, &y[0][0]");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, x, &table_of_rows), YOKE_EINVAL, "&y[0][0]");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, like_void, y), YOKE_EINVAL,
           "elements of 1 byte given; a void * tells no type: cast it");
    ok(yoke_for(rt, &f_saxpy, N, 2.0f, read_only, y));
    ok(yoke_array_wrap(rt, xs, N, sizeof *xs, &a));
    expect(yoke_for(rt, &f_saxpy, N, 1.0f, yoke_row(a, 1), y), YOKE_EINVAL, "has its own rows");
    yoke_array_close(a);
}

static void mistakes_of_counts(void **state)
{
    float *x = xs, *y = ys, *none = NULL;
    double sum = 0;
    (void)state;
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, x), YOKE_EINVAL, "3 arguments are wanted, 2 given");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, x, y, y), YOKE_EINVAL, "wanted, 4 given");
    expect(yoke_for(rt, &f_look_up, N, keys, table, x), YOKE_EINVAL,
           "argument 2 (table): the range [0, 3000) leaves array table, whose rows are [0, 256); "
           "if any index may use any element, declare the whole array");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, yoke_whole(x, 10), none), YOKE_EINVAL,
           "pointer is NULL");
    expect(yoke_for(rt, &f_look_up, N, keys, yoke_whole(table, 257), x), YOKE_EINVAL,
           "argument 2 (table): yoke_whole names more elements than there are");
    expect(yoke_for(rt, &f_saxpy, -1, 2.0f, x, y), YOKE_EINVAL, "dimension 1 of the range has -1");
    expect(yoke_for(rt, &f_dot, N, x, y, &sum), YOKE_EINVAL, "yoke_whole(pointer, count)");
    expect(yoke_for(rt, &f_blur, ROWS, ROWS, x, y), YOKE_EINVAL, "run it with yoke_for2");
    expect(yoke_for2(rt, &f_blur, ROWS, yoke_indexes(3, COLUMNS + 1, COLUMNS), ROWS, x, y),
           YOKE_EINVAL, "indexes [3, 51) of dimension 2, which has 50; give yoke_indexes(");
    expect(yoke_for2(rt, &f_blur, yoke_indexes(-1, 1, ROWS), COLUMNS, ROWS, x, y), YOKE_EINVAL,
           "indexes [-1, 1) of dimension 1");
    expect(yoke_for2(rt, &f_blur, yoke_indexes(2, 1, ROWS), COLUMNS, ROWS, x, y), YOKE_EINVAL,
           "indexes [2, 1) of dimension 1");
    expect(yoke_for2(rt, &f_blur, yoke_interior(ROWS, -1), COLUMNS, ROWS, x, y), YOKE_EINVAL,
           "indexes [-1, 61) of dimension 1");
    expect(yoke_for2(rt, &f_blur, yoke_interior(-ROWS, 1), COLUMNS, ROWS, x, y), YOKE_EINVAL,
           "dimension 1 of the range has -60 indexes");
    expect(yoke_for(rt, &f_saxpy, N, 2.0f, y, y), YOKE_EINVAL, "given twice");
    expect(yoke_for(rt, &f_saxpy, N - 1, 2.0f, y, y + 1), YOKE_EINVAL,
           "argument 3 (y): its memory overlaps that of argument 2 (x)");
    expect(yoke_for(rt, &f_saxpy, N - 1, 2.0f, ys, ys + 1), YOKE_EINVAL, "its memory overlaps");
    expect(yoke_for2(rt, &f_blur, ROWS, COLUMNS, ROWS, x, x + ROWS), YOKE_EINVAL,
           "pass yoke_row(pointer, elements)");
    expect(yoke_for(rt, NULL, N, y), YOKE_EINVAL, "job.kernel is NULL");
    ok(yoke_for(rt, &f_saxpy, 0, 2.0f, none, none));
}

/* Each argument is evaluated once. */
static void evaluation(void **state)
{
    float *x = xs, *y = ys;
    int n = N - 1;
    (void)state;
    ok(yoke_for(rt, &f_saxpy, n--, 2.0f, x++, y++));
    assert_int_equal(n, N - 2);
    assert_ptr_equal(x, xs + 1);
    assert_ptr_equal(y, ys + 1);
}

static void default_runtime(void **state)
{
    yoke_runtime *mine;
    yoke_array *wrapped;
    (void)state;
    setenv("YOKE_DEVICES", "cpu", 1);
    ok(yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys));
    mine = yoke_default();
    assert_non_null(mine);
    assert_ptr_equal(mine, yoke_default());
    ok(yoke_close(mine)); /* the next call opens another one */
    setenv("YOKE_DEVICES", "sim:nothing", 1);
    assert_null(yoke_default());
    expect(yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys), YOKE_EINVAL, "nothing");
    expect(yoke_array_wrap(yoke_default(), xs, N, sizeof *xs, &wrapped), YOKE_EINVAL,
           "yoke_default() has failed: ");
    expect(yoke_array_wrap(NULL, xs, N, sizeof *xs, &wrapped), YOKE_EINVAL, "nothing");
    setenv("YOKE_DEVICES", "cpu", 1);
    ok(yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys));
    assert_non_null(yoke_default());
    expect(yoke_array_wrap(NULL, xs, N, sizeof *xs, &wrapped), YOKE_EINVAL, "runtime is NULL");
    ok(yoke_close(yoke_default()));
    unsetenv("YOKE_DEVICES");
}

static void *call_often(void *context)
{
    float x[64], y[64] = { 0 };
    int *wrong = context;
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    for (int call = 0; call < 50; call++)
        *wrong += yoke_for(NULL, &f_saxpy, 64, 1.0f, x, y) != YOKE_OK;
    for (int i = 0; i < 64; i++)
        *wrong += y[i] != 50 * x[i];
    return NULL;
}

/* Concurrent first calls open one runtime. */
static void default_of_threads(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int wrong[THREADS] = { 0 };
    (void)state;
    setenv("YOKE_DEVICES", "cpu", 1);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, call_often, &wrong[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(wrong[t], 0);
    ok(yoke_close(yoke_default()));
    assert_int_equal(yk_alloc_outstanding(), 0);
    unsetenv("YOKE_DEVICES");
}

/* A child ends by exec: otherwise valgrind reports memory as lost to which only the parent's
 * threads had pointers. */
_Noreturn static void leave(int failed)
{
    execl(failed ? "/bin/false" : "/bin/true", "child", (char *)NULL);
    _exit(2);
}

/* The default runtime's threads stay in the parent: a child has a runtime of its own. */
static void default_of_a_child(void **state)
{
    int status = -1;
    (void)state;
    if (!CHILDREN_MAY_START_THREADS)
        skip();
    setenv("YOKE_DEVICES", "cpu", 1);
    ok(yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys));
    const yoke_runtime *parents = yoke_default();
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        leave(yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys) != YOKE_OK || yoke_default() == parents);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    ok(yoke_close(yoke_default()));
    unsetenv("YOKE_DEVICES");
}

/* At the program's end no caller sees that the timeline could not be written. */
static void default_cannot_write_its_timeline(void **state)
{
    static const struct {
        const char *path, *warning;
    } cases[] = {
        { "/nonexistent/t.json", "yoke: warn: /nonexistent/t.json: No such file" },
        { "t.foo", "yoke: warn: t.foo: a timeline's name ends in .html" },
    };
    char command[4096], said[512];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(command, sizeof command, "YOKE_DEVICES=cpu YOKE_TRACE=%s '%s' end 2>&1",
                 cases[i].path, this_program);
        FILE *program = popen(command, "r");
        assert_non_null(program);
        said[fread(said, 1, sizeof said - 1, program)] = 0;
        assert_int_equal(pclose(program), 0);
        assert_non_null(strstr(said, cases[i].warning));
    }
}

/* Each allocation fails in turn; with memory the call succeeds. */
static void memory_runs_out(void **state)
{
    yoke_status status = YOKE_ENOMEM;
    int failed = 0;
    (void)state;
    for (int64_t n = 1; status == YOKE_ENOMEM && n < 1000; n++) {
        for (int i = 0; i < N; i++)
            ys[i] = 1;
        yk_alloc_fail_at(n);
        status = yoke_for(rt, &f_saxpy, N, 1.0f, xs, ys);
        failed += yk_alloc_failed() != 0;
        yk_alloc_fail_at(0);
    }
    ok(status);
    assert_true(failed > 3);
    for (int i = 0; i < N; i++)
        assert_true(ys[i] == 1 + xs[i]);
}

int main(int argc, char **argv)
{
    this_program = argv[0];
    if (argc > 1) /* default_cannot_write_its_timeline */
        return yoke_for(NULL, &f_saxpy, N, 1.0f, xs, ys) != YOKE_OK;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(on_cores, open_cores, close_all),
        cmocka_unit_test(on_others),
        cmocka_unit_test(results_leave_with_their_chunks),
        cmocka_unit_test_setup_teardown(parameters_without_types, open_cores, close_all),
        cmocka_unit_test_setup_teardown(mistakes_of_types, open_cores, close_all),
        cmocka_unit_test_setup_teardown(mistakes_of_counts, open_cores, close_all),
        cmocka_unit_test_setup_teardown(evaluation, open_cores, close_all),
        cmocka_unit_test_setup_teardown(memory_runs_out, open_cores, close_all),
        cmocka_unit_test(default_runtime),
        cmocka_unit_test(default_of_threads),
        cmocka_unit_test(default_of_a_child),
        cmocka_unit_test(default_cannot_write_its_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
