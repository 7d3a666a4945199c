/* test_opencl_narrow.c - entries with 32-bit indexes on an OpenCL device: random bodies give the
 * same results through both entries at the limits of ranges, launches just beyond a limit use the
 * first entry, and a second entry that does not compile is omitted. */
#include "backend/opencl/opencl.h"

#include "narrow_body.h"
#include "opencl_bench.h"

#define EDGE (INT64_C(1) << 31)
enum { KERNELS = 6, PLACES = 40, BITS = 50, SEED = 5 };

static const char scatter_text[] =
    "YOKE_FN void yk_body_scatter(int64_t i, int64_t yk_size2, int64_t yk_size3, int64_t step, "
    "__global int64_t *y);\n"
    "__kernel void yoke_entry_scatter(const yk_space yk_part, int64_t step, __global int64_t *y, "
    "long y_shift)\n"
    "{ YK_AXIS(yk_i, yk_part.first, yk_part.last, 0) if (yk_i_beyond) return; "
    "yk_body_scatter(yk_i, yk_part.size2, yk_part.size3, step, (__global int64_t *)((__global char "
    "*)y + y_shift)); }\n"
    "YOKE_FN void yk_body_scatter(int64_t i, int64_t yk_size2, int64_t yk_size3, int64_t step, "
    "__global int64_t *y)\n"
    "{ y[i] = i * step % 1000003; }\n";
static const yoke_param scatter_params[] = { { YOKE_PARAM_VALUE, "int64_t", "step", 8, 8 },
                                             { YOKE_PARAM_OUT, "int64_t", "y", 8, 8 } };

/* A device, a program on it, and the memory of its arrays. */
struct bench {
    struct yk_device *device;
    struct yk_queue *queue;
    struct yk_program *program;
    struct yk_buffer *buffers[NARROW_BODY_PARAMS];
};

static void open_bench(struct bench *bench)
{
    *bench = (struct bench){ .device = open_device("") };
    bench->device->desc.is_cpu = 0; /* CPUs have one entry */
    assert_int_equal(backend->queue_open(bench->device, &bench->queue), YOKE_OK);
}

static void close_bench(struct bench *bench)
{
    for (int b = 0; b < NARROW_BODY_PARAMS; b++)
        backend->free(bench->device, bench->buffers[b]);
    backend->queue_close(bench->queue);
    backend->close(bench->device);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void copy(struct bench *bench, int array, void *host, int64_t bytes, enum yk_copy_kind kind)
{
    struct yk_event *event = NULL;
    struct yk_buffer **buffer = &bench->buffers[array];
    if (!*buffer)
        assert_int_equal(backend->alloc(bench->device, bytes, buffer), YOKE_OK);
    const struct yk_copy spec = { .kind = kind, .host = host, .buffer = *buffer, .bytes = bytes };
    assert_int_equal(backend->copy(bench->queue, &spec, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
}

static void launch(struct bench *bench, const struct yk_launch *launch)
{
    struct yk_event *event = NULL;
    assert_int_equal(backend->launch(bench->queue, bench->program, launch, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
}

/* Gets y of a launch through the entry that it chooses, or, if `wide`, through the first one. */
static void run(struct bench *bench, const struct yk_launch *spec, int64_t *y, int wide)
{
    const cl_kernel narrow = bench->program->narrow_kernel;
    const int array = NARROW_BODY_PARAMS - 1;
    const int64_t bytes = NARROW_BODY_WRITTEN * (int64_t)sizeof *y;
    memset(y, 0, (size_t)bytes);
    copy(bench, array, y, bytes, YK_COPY_TO_DEVICE);
    if (wide)
        bench->program->narrow_kernel = NULL;
    launch(bench, spec);
    bench->program->narrow_kernel = narrow;
    copy(bench, array, y, bytes, YK_COPY_FROM_DEVICE);
}

static int64_t any_edge(void)
{
    static const int64_t edges[] = {
        1, 5, 1000, 46341, 1 << 20, 1 << 30, EDGE - 3, EDGE, 2 * EDGE
    };
    return edges[narrow_body_below(sizeof edges / sizeof *edges)] - narrow_body_below(2);
}

/* Returns the number of launches that used the second entry. */
static int compare_places(struct bench *bench)
{
    struct yk_launch_arg args[NARROW_BODY_PARAMS] = { 0 };
    int64_t n, y[NARROW_BODY_WRITTEN], z[NARROW_BODY_WRITTEN];
    int32_t m;
    int taken = 0;
    for (int p = 2; p < NARROW_BODY_PARAMS; p++)
        args[p].buffer = bench->buffers[p];
    args[0].value = &n;
    args[1].value = &m;
    for (int p = 0; p < PLACES; p++) {
        const int64_t i = any_edge();
        const struct yk_launch spec = {
            .first = i, .last = i + 1, .extent = { 1, 1 }, .args = args
        };
        n = any_edge();
        m = (int32_t)narrow_body_below(2000) - 1000;
        run(bench, &spec, y, 1);
        run(bench, &spec, z, 0);
        taken += bench->program->narrow.known == YK_NARROW_HOLDS;
        if (memcmp(y, z, sizeof y) != 0)
            fail_msg("%s differs at i %lld, n %lld, m %d", bench->program->shape.name, (long long)i,
                     (long long)n, (int)m);
    }
    return taken;
}

static void write_arrays(struct bench *bench)
{
    int32_t a[NARROW_BODY_READ] = { 0, 1, -1, 5, INT32_MAX, INT32_MIN, 77, 3, 9, -40, 1000 };
    int64_t b[NARROW_BODY_READ] = { 0, -1, INT64_C(1) << 39, 5, 77, 12, 3, -4 * EDGE };
    uint8_t c[NARROW_BODY_READ] = { 0, 255, 3, 7, 1, 2, 90, 128, 5, 6 };
    uint32_t d[NARROW_BODY_READ] = { 0, 1, 4000000000u, 3, 7, 9, UINT32_MAX, 12, 2 };
    int64_t y[NARROW_BODY_WRITTEN] = { 0 };
    copy(bench, 2, a, sizeof a, YK_COPY_TO_DEVICE);
    copy(bench, 3, b, sizeof b, YK_COPY_TO_DEVICE);
    copy(bench, 4, c, sizeof c, YK_COPY_TO_DEVICE);
    copy(bench, 5, d, sizeof d, YK_COPY_TO_DEVICE);
    copy(bench, 6, y, sizeof y, YK_COPY_TO_DEVICE);
}

static void random_bodies(void **state)
{
    (void)state;
    static const char entry[] =
        "__kernel void yoke_entry_k%d(const yk_space yk_part, int64_t n, int32_t m, __global const "
        "int32_t *a, long a_shift, __global const int64_t *b, long b_shift, __global const uint8_t "
        "*c, long c_shift, __global const uint32_t *d, long d_shift, __global int64_t *y, long "
        "y_shift) { YK_AXIS(yk_j, yk_part.first2, yk_part.last2, 0) YK_AXIS(yk_i, "
        "yk_part.first, yk_part.last, 1) if (yk_j_beyond | yk_i_beyond) return; yk_body_k%d(yk_i, "
        "yk_j, yk_part.size2, yk_part.size3, n, "
        "m, a, b, c, d, y); }";
    struct bench bench;
    int taken = 0;
    open_bench(&bench);
    write_arrays(&bench);
    narrow_body_begin(SEED, BITS);
    for (int k = 0; k < KERNELS; k++) {
        char name[8];
        snprintf(name, sizeof name, "k%d", k);
        yoke_kernel kernel =
            make_kernel(name, narrow_body_write(k, entry), narrow_body_params, NARROW_BODY_PARAMS);
        kernel.dimensions = 2;
        if (backend->build(bench.device, &kernel, &bench.program) != YOKE_OK)
            fail_msg("%s", yoke_error_text());
        assert_non_null(bench.program->narrow_kernel);
        taken += compare_places(&bench);
        backend->program_close(bench.device, bench.program);
    }
    assert_in_range(taken, KERNELS, KERNELS * PLACES - 1);
    close_bench(&bench);
}

enum { ITEMS = 600 };

/* Launches y[first .. first + ITEMS - 1]; the buffer has only these elements. */
static void scatter(struct bench *bench, int64_t first, int64_t step, int narrow)
{
    int64_t y[ITEMS];
    const struct yk_launch_arg args[] = {
        { .value = &step }, { .buffer = bench->buffers[0], .shift = -first * (int64_t)sizeof *y }
    };
    launch(bench, &(struct yk_launch){
                      .first = first, .last = first + ITEMS, .extent = { 1, 1 }, .args = args });
    assert_int_equal(bench->program->narrow.known, narrow ? YK_NARROW_HOLDS : YK_NARROW_FAILS);
    copy(bench, 0, y, sizeof y, YK_COPY_FROM_DEVICE);
    for (int at = 0; at < ITEMS; at++)
        assert_true(y[at] == (first + at) * step % 1000003);
}

static void limits(void **state)
{
    (void)state;
    struct bench bench;
    int64_t y[ITEMS] = { 0 };
    const yoke_kernel kernel = make_kernel("scatter", scatter_text, scatter_params, 2);
    open_bench(&bench);
    copy(&bench, 0, y, sizeof y, YK_COPY_TO_DEVICE);
    assert_int_equal(backend->build(bench.device, &kernel, &bench.program), YOKE_OK);
    assert_non_null(bench.program->narrow_kernel);
    scatter(&bench, 0, 1, 1);
    scatter(&bench, EDGE - ITEMS, 1, 1);
    scatter(&bench, EDGE - ITEMS + 1, 1, 0);
    scatter(&bench, 2 * EDGE, 1, 0);
    scatter(&bench, EDGE / 2 - ITEMS, 2, 1);
    scatter(&bench, EDGE / 2 - ITEMS, 3, 0);
    scatter(&bench, 0, EDGE - 1, 0);
    scatter(&bench, 0, -EDGE, 0);
    scatter(&bench, 0, 1, 1);
    backend->program_close(bench.device, bench.program);
    close_bench(&bench);
}

/* The text already uses a part of the second body's name. */
static void not_compiling(void **state)
{
    (void)state;
    static const char clash[] = "enum { yk_body32_scatter = 1 };\n";
    char text[sizeof clash + sizeof scatter_text];
    struct bench bench;
    snprintf(text, sizeof text, "%s%s", clash, scatter_text);
    const yoke_kernel kernel = make_kernel("scatter", text, scatter_params, 2);
    open_bench(&bench);
    for (int turn = 0; turn < 2; turn++) { /* the second time from the cache */
        if (backend->build(bench.device, &kernel, &bench.program) != YOKE_OK)
            fail_msg("%s", yoke_error_text());
        assert_null(bench.program->narrow_kernel);
        backend->program_close(bench.device, bench.program);
    }
    close_bench(&bench);
}

static void one_entry_on_cpus(void **state)
{
    (void)state;
    struct bench bench;
    const yoke_kernel kernel = make_kernel("scatter", scatter_text, scatter_params, 2);
    open_bench(&bench);
    bench.device->desc.is_cpu = 1;
    assert_int_equal(backend->build(bench.device, &kernel, &bench.program), YOKE_OK);
    assert_null(bench.program->narrow_kernel);
    backend->program_close(bench.device, bench.program);
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bodies),
        cmocka_unit_test(limits),
        cmocka_unit_test(not_compiling),
        cmocka_unit_test(one_entry_on_cpus),
    };
    if (!device_present())
        return 77;
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
