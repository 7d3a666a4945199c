/* test_sim_failure.c - virtual devices that are lost at a given time or after a number of
 * operations, that run out of memory, or that cannot build a kernel. */
#include "sim_bench.h"

static void failure_by_time(void **state)
{
    struct bench bench;
    struct yk_buffer *buffer;
    struct yk_queue *queue;
    struct yk_program *program;
    struct yk_event *event = (void *)&bench;
    void *staging;
    (void)state;
    bench_open(&bench, "sim:gpu:link=1e9:latency=10us:rate=1e9:fixed=5us:fail=20us");
    bench.host[0] = 5;
    struct yk_event *in = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    struct yk_event *kernel = launch(&bench, bench.scale, (struct part){ .items = 1000 });
    struct yk_event *out = copy_after(&bench, 0, YK_COPY_FROM_DEVICE, NULL);
    struct yk_event *beside = copy_after(&bench, 1, YK_COPY_TO_DEVICE, in);
    expect(in, 0, 14000);
    expect_outcome(kernel, 14000, 20000, YOKE_EDEVICE); /* it would have ended then */
    expect_outcome(beside, 14000, 20000, YOKE_EDEVICE);
    expect_outcome(out, 20000, 20000, YOKE_EDEVICE);
    assert_int_equal(sim->now(), 20000);
    assert_float_equal(bench.host[0], 5, 0);
    for (size_t i = 0; i < sizeof bench.host; i++)
        assert_int_equal(bench.buffer->data[i], YK_SIM_POISON);
    struct yk_copy copy = {
        .kind = YK_COPY_FROM_DEVICE, .host = bench.host, .buffer = bench.buffer, .bytes = 4
    };
    assert_int_equal(sim->copy(bench.queue[2], &copy, &event), YOKE_EDEVICE);
    assert_ptr_equal(event, &bench);
    assert_non_null(strstr(yoke_error_text(), "sim:gpu"));
    assert_int_equal(
        sim->zero(bench.queue[2], &(struct yk_buffer_range){ bench.buffer, 0, 4 }, &event),
        YOKE_EDEVICE);
    assert_int_equal(sim->alloc(bench.device, 4, &buffer), YOKE_EDEVICE);
    assert_int_equal(sim->queue_open(bench.device, &queue), YOKE_EDEVICE);
    assert_int_equal(sim->build(bench.device, &scale, &program), YOKE_EDEVICE);
    assert_int_equal(sim->host_alloc(bench.device, 4, &staging), YOKE_EDEVICE);
    assert_int_equal(sim->memory_free(bench.device), 0);
    bench_close(&bench);
}

/* Time stops at the failure, before the end of operations in progress. */
static void failure_under_way(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:link=1e9:latency=10us:fail=9us");
    expect_outcome(copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL), 0, 9000, YOKE_EDEVICE);
    assert_int_equal(sim->now(), 9000);
    bench_close(&bench);
}

/* A device whose failure time is before its opening is lost with its first operation. */
static void failure_before_opening(void **state)
{
    struct bench bench;
    struct yk_device_list list = { 0 };
    struct yk_device *late;
    struct yk_queue *queue;
    struct yk_buffer *buffer;
    (void)state;
    bench_open(&bench, slow_link);
    expect(copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL), 0, 14000);
    assert_int_equal(yk_devices_find("sim:gpu:fail=14us", &list), YOKE_OK);
    assert_int_equal(sim->open(&list.items[0], &late), YOKE_OK);
    yk_device_list_close(&list);
    assert_int_equal(sim->queue_open(late, &queue), YOKE_OK);
    assert_int_equal(sim->alloc(late, 8, &buffer), YOKE_OK);
    assert_int_equal(sim->zero(queue, &(struct yk_buffer_range){ buffer, 0, 8 }, NULL),
                     YOKE_EDEVICE);
    sim->queue_close(queue);
    sim->free(late, buffer);
    sim->close(late);
    bench_close(&bench);
}

/* The failure comes at its time even if no operation is in progress. */
static void failure_while_idle(void **state)
{
    struct bench bench;
    struct yk_event *event;
    (void)state;
    bench_open(&bench, "sim:gpu:fail=3us,sim:cpu:rate=1e9:cores=1");
    struct yk_program *program;
    float a = 1, y[5000] = { 0 };
    assert_int_equal(sim->build(bench.devices[1], &scale, &program), YOKE_OK);
    struct yk_launch_arg args[] = { { .value = &a }, { .host = y } };
    struct yk_launch l = { .last = 5000, .extent = { 1, 1 }, .args = args, .team = 1 };
    assert_int_equal(sim->launch(bench.queue[1], program, &l, &event), YOKE_OK);
    expect(event, 0, 5000);
    struct yk_copy copy = {
        .kind = YK_COPY_TO_DEVICE, .host = bench.host, .buffer = bench.buffer, .bytes = 4
    };
    assert_int_equal(sim->copy(bench.queue[0], &copy, NULL), YOKE_EDEVICE);
    sim->program_close(bench.devices[1], program);
    bench_close(&bench);
}

/* The clock advances past the failure time, to a time at which nothing ends. */
static void failure_on_the_way(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:fail=3us");
    assert_int_equal(sim->advance(2999), 1);
    assert_int_equal(sim->memory_free(bench.device) > 0, 1);
    assert_int_equal(sim->advance(4000), 1);
    assert_int_equal(sim->now(), 4000);
    assert_int_equal(sim->memory_free(bench.device), 0);
    assert_int_equal(
        sim->zero(bench.queue[0], &(struct yk_buffer_range){ bench.buffer, 0, 4 }, NULL),
        YOKE_EDEVICE);
    bench_close(&bench);
}

static void failure_by_count(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "sim:gpu:link=1e9:latency=10us:fail_after=2");
    struct yk_event *first = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    expect(first, 0, 14000);
    struct yk_event *second = copy_after(&bench, 0, YK_COPY_TO_DEVICE, NULL);
    struct yk_copy copy = {
        .kind = YK_COPY_TO_DEVICE, .host = bench.host, .buffer = bench.buffer, .bytes = 4
    };
    assert_int_equal(sim->copy(bench.queue[1], &copy, NULL), YOKE_EDEVICE);
    expect_outcome(second, 14000, 14000, YOKE_EDEVICE); /* it was in progress */
    bench_close(&bench);
}

static void memory_limit(void **state)
{
    struct bench bench;
    struct yk_buffer *a, *b = (void *)&bench;
    (void)state;
    bench_open(&bench, "sim:gpu:mem=10000"); /* 4000 of them are the bench's */
    assert_int_equal(sim->memory_free(bench.device), 6000);
    assert_int_equal(sim->alloc(bench.device, 3500, &a), YOKE_OK);
    assert_int_equal(sim->alloc(bench.device, 2501, &b), YOKE_ENOMEM);
    assert_ptr_equal(b, &bench);
    assert_non_null(strstr(yoke_error_text(), "sim:gpu has 2500 bytes"));
    sim->free(bench.device, a);
    assert_int_equal(sim->alloc(bench.device, 6000, &b), YOKE_OK);
    assert_int_equal(sim->memory_free(bench.device), 0);
    sim->free(bench.device, b);
    bench_close(&bench);
}

static void builds_that_fail(void **state)
{
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    struct yk_program *program;
    (void)state;
    assert_int_equal(yk_devices_find("sim:gpu:build=fails", &list), YOKE_OK);
    assert_int_equal(sim->open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    assert_int_equal(sim->build(device, &scale, &program), YOKE_EBUILD);
    assert_non_null(strstr(yoke_error_text(), "scale"));
    sim->close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_by_time),        cmocka_unit_test(failure_under_way),
        cmocka_unit_test(failure_before_opening), cmocka_unit_test(failure_while_idle),
        cmocka_unit_test(failure_on_the_way),     cmocka_unit_test(failure_by_count),
        cmocka_unit_test(memory_limit),           cmocka_unit_test(builds_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
