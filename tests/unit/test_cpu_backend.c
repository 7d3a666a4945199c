/* test_cpu_backend.c - the cpu backend: selectors to sets of cores, variants, launches, and failure
 * of each of its allocations. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu_device.h"
#include "backend/cpu/variant.h"
#include "backend/cpu/variant_run.h"
#include "base/alloc.h"
#include "platform/clock.h"
#include "platform/topology.h"

static int usable_cores(void)
{
    struct yk_topology topology;
    assert_int_equal(yk_topology_open(&topology), YOKE_OK);
    int count = topology.core_count;
    if (topology.quota_cores > 0 && topology.quota_cores < count)
        count = topology.quota_cores;
    yk_topology_close(&topology);
    return count;
}

static yoke_status find(const char *selector, const char *settings, struct yk_device_list *list)
{
    struct yk_device_spec spec = { .backend = &yk_backend_cpu };
    snprintf(spec.selector, sizeof spec.selector, "%s", selector);
    snprintf(spec.settings, sizeof spec.settings, "%s", settings);
    return yk_backend_cpu.find(&spec, 1, list, NULL);
}

static void all_cores_by_default(void **state)
{
    struct yk_device_list list = { 0 };
    struct yk_device_spec spec = { .backend = &yk_backend_cpu };
    char why[512] = "";
    (void)state;
    assert_int_equal(yk_backend_cpu.find(&spec, 0, &list, why), YOKE_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].name, "cpu");
    assert_int_equal(list.items[0].cores, usable_cores());
    assert_int_equal(list.items[0].lanes, list.items[0].cores);
    assert_int_equal(list.items[0].host_memory, 1);
    assert_int_equal(list.items[0].is_cpu, 1);
    assert_non_null(strstr(why, "cores"));
    yk_device_list_close(&list);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void count_takes_the_first(void **state)
{
    struct yk_device_list all = { 0 }, one = { 0 };
    (void)state;
    assert_int_equal(find("", "", &all), YOKE_OK);
    assert_int_equal(find("1", "", &one), YOKE_OK);
    assert_string_equal(one.items[0].name, "cpu:1");
    assert_int_equal(one.items[0].cores, 1);
    assert_float_equal(all.items[0].peak_per_ns, all.items[0].cores * one.items[0].peak_per_ns,
                       1e-6 * all.items[0].peak_per_ns);
    assert_int_equal(yk_cpu_cores(&one.items[0])[0], yk_cpu_cores(&all.items[0])[0]);
    yk_device_list_close(&all);
    yk_device_list_close(&one);
}

/* Nodes and caches: every usable core is in at most one device, and device numbers are distinct. */
static void levels_divide_the_cores(void **state)
{
    static const char *const levels[] = { "numa", "L3", "L2", "l2" };
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct yk_device_list list = { 0 };
        yoke_status status = find(levels[i], "", &list);
        int cores = 0;
        if (status == YOKE_ENODEV) /* a virtual machine may hide its caches */
            continue;
        assert_int_equal(status, YOKE_OK);
        for (int d = 0; d < list.count; d++) {
            cores += list.items[d].cores;
            assert_int_equal(strncmp(list.items[d].name, "cpu:", 4), 0);
            for (int e = 0; e < d; e++)
                assert_string_not_equal(list.items[d].name, list.items[e].name);
        }
        assert_in_range(cores, 1, usable_cores());
        struct yk_device_list again = { 0 }; /* a device's name selects that device */
        assert_int_equal(find(list.items[0].name + 4, "", &again), YOKE_OK);
        assert_int_equal(again.count, 1);
        assert_string_equal(again.items[0].name, list.items[0].name);
        assert_int_equal(again.items[0].cores, list.items[0].cores);
        yk_device_list_close(&again);
        yk_device_list_close(&list);
    }
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void wrong_words(void **state)
{
    static const struct {
        const char *selector, *settings;
        yoke_status status;
        const char *text;
    } cases[] = {
        { "0", "", YOKE_EINVAL, "ask for 1 to" },
        { "1000000", "", YOKE_EINVAL, "ask for 1 to" },
        { "99999999999999999999", "", YOKE_EINVAL, "ask for 1 to" },
        { "-1", "", YOKE_EINVAL, "ask for 1 to" },
        { "2x", "", YOKE_EINVAL, "ask for 1 to" },
        { "all", "", YOKE_EINVAL, "numa, L3" },
        { "numa:x", "", YOKE_EINVAL, "cpu:numa:0" },
        { "numa:", "", YOKE_EINVAL, "cpu:numa:0" },
        { "numa:999", "", YOKE_ENODEV, "NUMA node" },
        { "", "variant=v9", YOKE_EINVAL, "variant" },
        { "", "mem=1G", YOKE_EINVAL, "mem" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_device_list list = { 0 };
        assert_int_equal(find(cases[i].selector, cases[i].settings, &list), cases[i].status);
        assert_non_null(strstr(yoke_error_text(), cases[i].text));
        assert_int_equal(list.count, 0);
        yk_device_list_close(&list);
    }
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* Hand-written kernels that record which of them ran. */
static int ran;
static yoke_chunk seen;

static void add_run(void *const *args, const yoke_chunk *chunk)
{
    const float a = *(const float *)args[0];
    float *y = args[1];
    for (int64_t i = chunk->first; i < chunk->last; i++)
        y[i] += a;
    ran = 1;
    seen = *chunk;
}

static void add_run_v3(void *const *args, const yoke_chunk *chunk)
{
    add_run(args, chunk);
    ran = 3;
}

static void add_run_v4(void *const *args, const yoke_chunk *chunk)
{
    add_run(args, chunk);
    ran = 4;
}

static void add_run_team(void *const *args, const yoke_chunk *chunk)
{
    add_run(args, chunk);
    ran = 9;
}

static const yoke_param params[] = { { YOKE_PARAM_VALUE, "float", "a", 4, 4 },
                                     { YOKE_PARAM_INOUT, "float", "y", 4, 4 } };
static const yoke_kernel add = { .struct_size = sizeof(yoke_kernel),
                                 .name = "add",
                                 .params = params,
                                 .param_count = 2,
                                 .unit = 10, /* too few items are launched to compare variants */
                                 .cpu.variant = { add_run, add_run_v3, add_run_v4 } };

/* Opens, builds and launches rows 100 .. 109 on memory that has only these rows; closes what it
 * opened. */
static yoke_status launch_once(const struct yk_device_desc *desc, const yoke_kernel *kernel)
{
    struct yk_device *device = NULL;
    struct yk_queue *queue = NULL;
    struct yk_program *program = NULL;
    struct yk_event *event = (struct yk_event *)&device;
    float value = 2.5f, *window = calloc(10, sizeof *window);
    const struct yk_launch_arg args[] = { { .value = &value }, { .host = window, .shift = -400 } };
    const struct yk_launch launch = {
        .first = 100, .last = 110, .extent = { 1, 1 }, .args = args, .lane = 1, .team = 2
    };
    assert_non_null(window);
    yoke_status status = desc->backend->open(desc, &device);
    if (status == YOKE_OK)
        status = desc->backend->queue_open(device, &queue);
    if (status == YOKE_OK)
        status = desc->backend->build(device, kernel, &program);
    if (status == YOKE_OK) {
        status = desc->backend->launch(queue, program, &launch, &event);
        assert_null(event);
        assert_int_equal(seen.first, 100);
        assert_int_equal(seen.lane, 1);
        assert_int_equal(seen.team, 2);
        for (int i = 0; i < 10; i++)
            assert_true(window[i] == 2.5f);
        assert_int_equal(desc->backend->launch(queue, program, &launch, NULL), YOKE_OK);
    }
    if (program)
        desc->backend->program_close(device, program);
    if (queue)
        desc->backend->queue_close(queue);
    desc->backend->close(device);
    free(window);
    return status;
}

static void the_best_variant_runs(void **state)
{
    static const int names[] = { 1, 3, 4 };
    struct yk_device_list list = { 0 };
    yoke_kernel kernel = add;
    (void)state;
    assert_int_equal(find("", "", &list), YOKE_OK);
    assert_int_equal(launch_once(&list.items[0], &kernel), YOKE_OK);
    assert_int_equal(ran, names[yk_cpu_variant_best()]);
    kernel.cpu.variant[1] = kernel.cpu.variant[2] = NULL; /* the next lower variant that exists */
    assert_int_equal(launch_once(&list.items[0], &kernel), YOKE_OK);
    assert_int_equal(ran, 1);
    kernel.cpu.team = add_run_team;
    assert_int_equal(launch_once(&list.items[0], &kernel), YOKE_OK);
    assert_int_equal(ran, 9);
    yk_device_list_close(&list);
}

static void a_variant_can_be_asked_for(void **state)
{
    static const int names[] = { 1, 3, 4 };
    (void)state;
    for (int variant = 0; variant < YOKE_CPU_VARIANTS; variant++) {
        struct yk_device_list list = { 0 };
        char settings[32];
        snprintf(settings, sizeof settings, "variant=%s", yk_cpu_variant_name(variant));
        yoke_status status = find("", settings, &list);
        if (variant > yk_cpu_variant_best()) {
            assert_int_equal(status, YOKE_EINVAL);
            assert_non_null(strstr(yoke_error_text(), "cannot run variant"));
            continue;
        }
        assert_int_equal(status, YOKE_OK);
        assert_int_equal(launch_once(&list.items[0], &add), YOKE_OK);
        assert_int_equal(ran, names[variant]);
        yk_device_list_close(&list);
    }
}

/* --- comparison of variants --- */

enum { ITEMS = 4000 };

/* Counts each item and takes the given time per item. */
static void count_items(void *const *args, const yoke_chunk *chunk, int64_t ns_each)
{
    int *counts = args[0];
    const int64_t until = yk_clock_ns() + ns_each * (chunk->last - chunk->first);
    for (int64_t i = chunk->first; i < chunk->last; i++)
        __atomic_add_fetch(&counts[i], 1, __ATOMIC_RELAXED);
    while (ns_each && yk_clock_ns() < until)
        continue;
}

static atomic_int slow_calls;

static void count_fast(void *const *args, const yoke_chunk *chunk)
{
    count_items(args, chunk, 0);
}

static void count_slowly(void *const *args, const yoke_chunk *chunk)
{
    atomic_fetch_add(&slow_calls, 1);
    count_items(args, chunk, 20000);
}

static const yoke_param count_params[] = { { YOKE_PARAM_INOUT, "int", "counts", 4, 4 } };
static const yoke_kernel counting = { .struct_size = sizeof(yoke_kernel),
                                      .name = "counting",
                                      .params = count_params,
                                      .param_count = 1,
                                      .unit = 4,
                                      .cpu.variant = { count_fast, count_slowly, count_slowly } };

static int counted;

static void count_call(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    assert_int_equal(chunk->first % chunk->blocks.size, 0);
    counted++;
}

/* A reducing kernel's chunk of few blocks: a round of pieces of whole blocks does not fit, or
 * hardly. In the end it is one call, not one for each slice. */
static void chunks_of_few_blocks_are_not_sliced(void **state)
{
    static const yoke_kernel reducing = { .name = "reducing",
                                          .unit = 4,
                                          .cpu.variant = { count_call, count_call, count_call } };
    (void)state;
    for (int blocks = 1; blocks < 40; blocks++) {
        const yoke_chunk chunk = { .last = 256 * blocks, .blocks.size = 256 };
        struct yk_variant_run run;
        yk_variant_run_open(&run, &reducing, 2);
        for (int k = 0; k < 200; k++) {
            counted = 0;
            yk_variant_run(&run, NULL, &chunk);
        }
        assert_int_equal(counted, 1);
    }
}

static int64_t chunk_end;
static int uneven; /* number of pieces before the chunk's end that were no whole vectors */

static void whole_vectors(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    uneven += (chunk->last - chunk->first) % 16 != 0 && chunk->last != chunk_end;
}

/* Indexes that do not fill a vector take longer, so they must not decide. */
static void variants_are_compared_in_whole_vectors(void **state)
{
    static const yoke_param floats[] = {
        { .mode = YOKE_PARAM_VALUE, .type = "char", .name = "a", .size = 1, .alignment = 1 },
        { .mode = YOKE_PARAM_OUT, .type = "float", .name = "y", .size = 4, .alignment = 4 }
    };
    yoke_kernel kernel = { .name = "vectors",
                           .params = floats,
                           .param_count = 2,
                           .cpu.variant = { whole_vectors, whole_vectors, whole_vectors } };
    struct yk_variant_run run;
    (void)state;
    yk_variant_run_open(&run, &kernel, 2);
    for (int64_t items = 1; items < 2000; items++) {
        const yoke_chunk chunk = { .last = items };
        chunk_end = items;
        yk_variant_run(&run, NULL, &chunk);
    }
    assert_int_equal(uneven, 0);
    assert_int_equal(yk_cpu_variant_vector(&kernel, 0), 4);
    assert_int_equal(yk_cpu_variant_vector(&kernel, 1), 8);
    kernel.dimensions = 2; /* rows */
    assert_int_equal(yk_cpu_variant_vector(&kernel, 2), 1);
    kernel.dimensions = 1;
    kernel.param_count = 1;
    assert_int_equal(yk_cpu_variant_vector(&kernel, 2), 1);
}

struct core {
    pthread_t thread;
    const struct yk_backend *backend;
    struct yk_device *device;
    struct yk_program *program;
    int counts[ITEMS];
};

static void *launch_all(void *context)
{
    struct core *core = context;
    struct yk_queue *queue;
    const struct yk_launch_arg args[] = { { .host = core->counts } };
    const struct yk_launch launch = { .last = ITEMS, .extent = { 1, 1 }, .args = args, .team = 1 };
    if (core->backend->queue_open(core->device, &queue) != YOKE_OK)
        return NULL;
    core->backend->launch(queue, core->program, &launch, NULL);
    core->backend->queue_close(queue);
    return NULL;
}

/* Wide variants are slower, as with masked lanes: three cores find that, and each item is still
 * done once. */
static void the_fastest_variant_stays(void **state)
{
    enum { CORES = 3 };
    static struct core cores[CORES];
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    struct yk_program *program;
    (void)state;
    if (yk_cpu_variant_best() == 0)
        skip();
    assert_int_equal(find("", "", &list), YOKE_OK);
    const struct yk_backend *backend = list.items[0].backend;
    assert_int_equal(backend->open(&list.items[0], &device), YOKE_OK);
    assert_int_equal(backend->build(device, &counting, &program), YOKE_OK);
    for (int c = 0; c < CORES; c++) {
        cores[c] = (struct core){ .backend = backend, .device = device, .program = program };
        assert_int_equal(pthread_create(&cores[c].thread, NULL, launch_all, &cores[c]), 0);
    }
    for (int c = 0; c < CORES; c++) {
        assert_int_equal(pthread_join(cores[c].thread, NULL), 0);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(cores[c].counts[i], 1);
    }
    const int calls = atomic_load(&slow_calls);
    assert_true(calls > 0);
    launch_all(&cores[0]);
    assert_int_equal(atomic_load(&slow_calls), calls);
    backend->program_close(device, program);
    backend->close(device);
    yk_device_list_close(&list);
}

static void the_environment_is_asked(void **state)
{
    struct yk_device_list list = { 0 };
    (void)state;
    setenv("YOKE_CPU_VARIANT", "base", 1);
    assert_int_equal(find("", "", &list), YOKE_OK);
    unsetenv("YOKE_CPU_VARIANT");
    assert_int_equal(launch_once(&list.items[0], &add), YOKE_OK);
    assert_int_equal(ran, 1);
    yk_device_list_close(&list);
}

static void kernels_that_cannot_be_built(void **state)
{
    struct yk_device_list list = { 0 };
    yoke_kernel none = add, wide = add;
    (void)state;
    memset(&none.cpu, 0, sizeof none.cpu);
    wide.param_count = 25;
    assert_int_equal(find("", "", &list), YOKE_OK);
    assert_int_equal(launch_once(&list.items[0], &none), YOKE_ENOIMPL);
    assert_non_null(strstr(yoke_error_text(), "YOKE_KERNEL"));
    assert_int_equal(launch_once(&list.items[0], &wide), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "25"));
    yk_device_list_close(&list);
    yk_backend_cpu.close(NULL);
    yk_backend_cpu.event_close(NULL);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void no_memory_at_any_place(void **state)
{
    (void)state;
    for (int64_t nth = 1;; nth++) {
        struct yk_device_list list = { 0 };
        yk_alloc_fail_at(nth);
        yoke_status status = find("numa", "", &list);
        if (status == YOKE_ENODEV || (status == YOKE_OK && !list.count))
            status = find("", "", &list);
        if (status == YOKE_OK)
            status = launch_once(&list.items[0], &add);
        int failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_int_equal(status, failed ? YOKE_ENOMEM : YOKE_OK);
        yk_device_list_close(&list);
        assert_int_equal(yk_alloc_outstanding(), 0);
        if (!failed) {
            assert_true(nth > 4);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cores_by_default),
        cmocka_unit_test(count_takes_the_first),
        cmocka_unit_test(levels_divide_the_cores),
        cmocka_unit_test(wrong_words),
        cmocka_unit_test(chunks_of_few_blocks_are_not_sliced),
        cmocka_unit_test(variants_are_compared_in_whole_vectors),
        cmocka_unit_test(the_fastest_variant_stays),
        cmocka_unit_test(the_best_variant_runs),
        cmocka_unit_test(a_variant_can_be_asked_for),
        cmocka_unit_test(the_environment_is_asked),
        cmocka_unit_test(kernels_that_cannot_be_built),
        cmocka_unit_test(no_memory_at_any_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
