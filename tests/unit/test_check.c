/* test_check.c - the checking wrapper detects every violation of backend.h by a caller, including
 * races between operations, and accepts correct calls. */
#include "check_bench.h"

static yoke_status copy(struct bench *bench, const struct yk_copy *spec)
{
    return bench->b->copy(bench->queue[0], spec, NULL);
}

static void copy_arguments(void **state)
{
    struct bench bench;
    char *host;
    (void)state;
    bench_open(&bench);
    host = bench.host;
    const struct {
        struct yk_copy copy;
        const char *words;
    } bad[] = {
        { { .host = host, .buffer = bench.x, .bytes = BYTES + 1 }, "4001 bytes at offset 0" },
        { { .host = host, .buffer = bench.x, .offset = 1, .bytes = BYTES }, "at offset 1" },
        { { .host = host, .buffer = bench.x, .offset = -1, .bytes = 1 }, "at offset -1" },
        { { .host = host, .buffer = bench.x, .bytes = 0 }, "0 bytes" },
        { { .host = host, .buffer = bench.x, .bytes = -5 }, "-5 bytes" },
        { { .host = host, .buffer = bench.x, .offset = INT64_MAX, .bytes = 1 }, "1 bytes at" },
        { { .buffer = bench.x, .bytes = 1 }, "no host memory" },
        { { .kind = YK_COPY_FROM_DEVICE, .buffer = bench.x, .bytes = 1 }, "no host memory" },
        { { .host = host, .bytes = 1 }, "no open buffer" },
        { { .host = host, .buffer = (struct yk_buffer *)host, .bytes = 1 }, "no open buffer" },
        { { .host = host, .buffer = (struct yk_buffer *)bench.queue[0], .bytes = 1 },
          "no open buffer" },
        { { .kind = (enum yk_copy_kind)7, .buffer = bench.x, .bytes = 1 }, "kind 7" },
        { { .kind = YK_COPY_WITHIN, .buffer = bench.x, .bytes = 1 }, "no open buffer" },
        { { .kind = YK_COPY_WITHIN,
            .buffer = bench.x,
            .bytes = 8,
            .from = bench.y,
            .from_offset = BYTES - 7 },
          "at offset 3993" },
        { { .kind = YK_COPY_WITHIN,
            .buffer = bench.x,
            .bytes = 8,
            .from = bench.x,
            .from_offset = 7 },
          "overlap" },
        { { .host = host, .buffer = bench.x, .bytes = 8, .rows = 2, .pitch = 7, .host_pitch = 8 },
          "2 rows of 8 bytes, 7 and 8 apart" },
        { { .host = host, .buffer = bench.x, .bytes = 8, .rows = 2, .pitch = 8, .host_pitch = 0 },
          "2 rows of 8 bytes" },
        { { .host = host, .buffer = bench.x, .bytes = 8, .rows = -1 }, "-1 rows" },
        { { .host = host,
            .buffer = bench.x,
            .bytes = 8,
            .rows = 41,
            .pitch = 100,
            .host_pitch = 8 },
          "4008 bytes at offset 0" },
        { { .kind = YK_COPY_WITHIN,
            .buffer = bench.x,
            .bytes = 8,
            .rows = 2,
            .pitch = 8,
            .host_pitch = 8,
            .from = bench.y },
          "2 rows of 8 bytes" },
        { { .host = host, .buffer = bench.x, .bytes = 1, .after_count = 1 }, "without a list" },
        { { .host = host, .buffer = bench.x, .bytes = 1, .after_count = -1 }, "without a list" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(copy(&bench, &bad[i].copy), YOKE_EINVAL);
        expect_breach(bad[i].words);
    }
    assert_int_equal(copy(&bench, &(struct yk_copy){ .kind = YK_COPY_WITHIN,
                                                     .buffer = bench.x,
                                                     .bytes = 8,
                                                     .from = bench.x,
                                                     .from_offset = 8 }),
                     YOKE_OK);
    assert_int_equal(
        bench.b->zero(bench.queue[0], &(struct yk_buffer_range){ bench.x, BYTES - 1, 2 }, NULL),
        YOKE_EINVAL);
    expect_breach("2 bytes at offset 3999");
    bench_close(&bench);
}

static void launch_arguments(void **state)
{
    struct bench bench;
    int n = 1;
    (void)state;
    bench_open(&bench);
    struct yk_launch_arg good[] = { { .value = &n }, { .buffer = bench.x } };
    struct yk_launch_arg no_value[] = { { .value = NULL }, { .buffer = bench.x } };
    struct yk_launch_arg no_buffer[] = { { .value = &n }, { .host = bench.host } };
    struct yk_launch_arg crooked[] = { { .value = &n }, { .buffer = bench.x, .shift = -6 } };
    const struct yk_launch right = {
        .first = 0, .last = 9, .extent = { 1, 1 }, .args = good, .team = 1
    };
    struct yk_launch empty = right, flat = right, alone = right, bare = right, nought = right,
                     hostly = right, shifted = right, beyond = right, before = right;
    empty.last = 0;
    flat.extent[1] = 0;
    beyond.third.last = 2;
    before.extent[0] = 3;
    before.second.first = 3;
    before.second.last = 3;
    alone.team = 0;
    bare.args = NULL;
    nought.args = no_value;
    hostly.args = no_buffer;
    shifted.args = crooked;
    const struct {
        const struct yk_launch *launch;
        const char *words;
    } bad[] = { { &empty, "empty chunk" },
                { &flat, "extents" },
                { &alone, "team of 0" },
                { &bare, "no arguments" },
                { &nought, "no value for n" },
                { &hostly, "no open buffer" },
                { &shifted, "shift -6 of x" },
                { &beyond, "[0, 2) along an extent of 1" },
                { &before, "[3, 3) along an extent of 3" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bench.b->launch(bench.queue[0], bench.program, bad[i].launch, NULL),
                         YOKE_EINVAL);
        expect_breach(bad[i].words);
    }
    assert_int_equal(bench.b->launch(bench.queue[0], (struct yk_program *)bench.x, &right, NULL),
                     YOKE_EINVAL);
    expect_breach("no open program");
    bench.device->desc.reaches_host = 1; /* as if */
    assert_int_equal(bench.b->launch(bench.queue[0], bench.program, &hostly, NULL), YOKE_EINVAL);
    expect_breach("x is not memory of its host_alloc");
    assert_int_equal(bench.b->launch(bench.queue[0], bench.program, &right, NULL), YOKE_OK);
    bench_close(&bench);
}

static void host_memory_devices(void **state)
{
    struct bench bench;
    struct yk_buffer *buffer;
    struct yk_queue *queue;
    struct yk_program *program;
    int n = 1;
    (void)state;
    bench_open(&bench);
    struct yk_device *cpu = open_checked("sim:cpu:cores=2");
    assert_int_equal(cpu->backend->queue_open(cpu, &queue), YOKE_OK);
    assert_int_equal(cpu->backend->build(cpu, &kernel, &program), YOKE_OK);
    assert_int_equal(cpu->backend->alloc(cpu, 4, &buffer), YOKE_EINVAL);
    expect_breach("host memory");
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 1 };
    assert_int_equal(cpu->backend->copy(queue, &spec, NULL), YOKE_EINVAL);
    expect_breach("host memory");
    struct yk_launch_arg args[] = { { .value = &n }, { .host = bench.host } };
    struct yk_launch_arg device_args[] = { { .value = &n }, { .buffer = bench.x } };
    struct yk_launch launch = { .last = 9, .extent = { 1, 1 }, .args = args, .team = 1, .lane = 2 };
    assert_int_equal(cpu->backend->launch(queue, program, &launch, NULL), YOKE_EINVAL);
    expect_breach("lane 2 of 2");
    launch.lane = 1;
    launch.args = device_args;
    assert_int_equal(cpu->backend->launch(queue, program, &launch, NULL), YOKE_EINVAL);
    expect_breach("has to be host memory");
    launch.args = args;
    assert_int_equal(cpu->backend->launch(queue, program, &launch, NULL), YOKE_OK);
    assert_int_equal(bench.b->launch(bench.queue[0], program, &launch, NULL), YOKE_EINVAL);
    expect_breach("belongs to sim:cpu");
    cpu->backend->queue_close(queue);
    cpu->backend->program_close(cpu, program);
    cpu->backend->close(cpu);
    bench_close(&bench);
}

static void memory_on_demand(void **state)
{
    struct bench bench;
    struct yk_device *device;
    struct yk_buffer *buffer;
    struct yk_queue *queue;
    (void)state;
    bench_open(&bench);
    assert_null(bench.b->commit); /* like the backend's table */
    device = open_checked("sim:gpu:mem=1M:pages=4K");
    assert_int_equal(device->backend->queue_open(device, &queue), YOKE_OK);
    assert_int_equal(device->backend->alloc(device, BYTES, &buffer), YOKE_OK);
    struct yk_copy spec = { .host = bench.host, .buffer = buffer, .offset = 100, .bytes = 50 };
    assert_int_equal(device->backend->copy(queue, &spec, NULL), YOKE_EINVAL);
    expect_breach("byte 100 of a buffer is used and was not committed");
    assert_int_equal(device->backend->commit(device, buffer, 120, 100), YOKE_OK);
    assert_int_equal(device->backend->commit(device, buffer, 90, 30), YOKE_OK);
    assert_int_equal(device->backend->copy(queue, &spec, NULL), YOKE_OK);
    assert_int_equal(
        device->backend->zero(queue, &(struct yk_buffer_range){ buffer, 200, 21 }, NULL),
        YOKE_EINVAL);
    expect_breach("byte 220 of a buffer");
    assert_int_equal(device->backend->commit(device, buffer, BYTES, 1), YOKE_EINVAL);
    expect_breach("1 bytes at offset 4000");
    assert_int_equal(device->backend->commit(device, bench.x, 0, 1), YOKE_EINVAL);
    expect_breach("belongs to sim:gpu");
    device->backend->queue_close(queue);
    device->backend->free(device, buffer);
    device->backend->close(device);
    bench_close(&bench);
}

static void host_memory(void **state)
{
    static _Alignas(4096) char memory[4 * 4096];
    struct bench bench;
    struct yk_device *device;
    struct yk_buffer *buffer;
    struct yk_queue *queue;
    struct yk_event *event;
    void *staging;
    int foreign;
    (void)state;
    bench_open(&bench);
    assert_null(bench.b->pin); /* like the backend's table */
    assert_null(bench.b->host_alloc);
    device = open_checked("sim:gpu:mem=1M:pin=yes:staging=yes");
    assert_int_equal(device->backend->queue_open(device, &queue), YOKE_OK);
    assert_int_equal(device->backend->alloc(device, 3 * 4096, &buffer), YOKE_OK);
    assert_int_equal(device->backend->pin(device, memory + 1, 4096, &foreign), YOKE_EINVAL);
    expect_breach("not whole pages");
    assert_int_equal(device->backend->pin(device, memory, 8192, &foreign), YOKE_OK);
    assert_int_equal(device->backend->pin(device, memory + 4096, 8192, &foreign), YOKE_EINVAL);
    expect_breach("pinned already");
    struct yk_copy across = { .host = memory + 4096, .buffer = buffer, .bytes = 8192 };
    assert_int_equal(device->backend->copy(queue, &across, NULL), YOKE_EINVAL);
    expect_breach("parts pinned apart");
    struct yk_copy inside = { .host = memory + 4096, .buffer = buffer, .bytes = 4096 };
    assert_int_equal(device->backend->copy(queue, &inside, &event), YOKE_OK);
    device->backend->unpin(device, memory + 4096);
    expect_breach("was not pinned by this device");
    device->backend->unpin(device, memory);
    expect_breach("an operation in flight uses the memory");
    assert_int_equal(device->backend->wait(event), YOKE_OK);
    device->backend->event_close(event);
    assert_int_equal(device->backend->host_alloc(device, 0, &staging), YOKE_EINVAL);
    expect_breach("0 bytes");
    assert_int_equal(device->backend->host_alloc(device, 100, &staging), YOKE_OK);
    device->backend->host_free(device, memory);
    expect_breach("is not of this device");
    device->backend->queue_close(queue);
    device->backend->free(device, buffer);
    device->backend->close(device);
    expect_breach("is still out");
    bench_close(&bench);
}

static void handles(void **state)
{
    struct bench bench;
    struct yk_buffer *buffer;
    struct yk_event *event;
    yoke_status outcome = YOKE_OK;
    (void)state;
    bench_open(&bench);
    assert_int_equal(bench.b->alloc(bench.device, 0, &buffer), YOKE_EINVAL);
    expect_breach("0 bytes");
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_OK);
    bench.b->free(bench.device, buffer);
    bench.b->free(bench.device, buffer);
    expect_breach("no open buffer");
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &event), YOKE_OK);
    struct yk_event_times times;
    bench.b->event_times(event, &times);
    expect_breach("before the event is complete");
    assert_int_equal(bench.b->notify(event, NULL, NULL), YOKE_EINVAL);
    expect_breach("no function");
    assert_int_equal(bench.b->wait(event), YOKE_OK);
    bench.b->event_times(event, &times);
    bench.b->event_close(event);
    bench.b->event_close(event);
    expect_breach("no open event");
    assert_int_equal(bench.b->poll(event, &outcome), 1);
    assert_int_equal(outcome, YOKE_EINVAL);
    expect_breach("no open event");
    assert_int_equal(bench.b->wait(event), YOKE_EINVAL);
    expect_breach("no open event");
    spec.after = &event;
    spec.after_count = 1;
    assert_int_equal(copy(&bench, &spec), YOKE_EINVAL);
    expect_breach("no open event");
    yoke_kernel unset = kernel;
    unset.struct_size = 0;
    assert_int_equal(bench.b->build(bench.device, &unset, &bench.program), YOKE_EINVAL);
    expect_breach("struct_size");
    bench_close(&bench);
}

static void another_device(void **state)
{
    struct bench bench;
    struct yk_queue *queue;
    struct yk_event *event;
    (void)state;
    bench_open(&bench);
    struct yk_device *other = open_checked("sim:gpu-b");
    assert_int_equal(other->backend->queue_open(other, &queue), YOKE_OK);
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    assert_int_equal(other->backend->copy(queue, &spec, NULL), YOKE_EINVAL);
    expect_breach("belongs to sim:gpu");
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &event), YOKE_OK);
    assert_int_equal(other->backend->zero(queue, &(struct yk_buffer_range){ bench.x, 0, 8 }, NULL),
                     YOKE_EINVAL);
    expect_breach("belongs to sim:gpu");
    struct yk_buffer *mine;
    assert_int_equal(other->backend->alloc(other, 8, &mine), YOKE_OK);
    struct yk_copy after = {
        .host = bench.host + 8, .buffer = mine, .bytes = 8, .after = &event, .after_count = 1
    };
    assert_int_equal(other->backend->copy(queue, &after, NULL), YOKE_EINVAL);
    expect_breach("an event of a device out of reach");
    bench.b->event_close(event);
    other->backend->free(other, mine);
    other->backend->queue_close(queue);
    other->backend->close(other);
    bench_close(&bench);
}

static void left_open(void **state)
{
    struct bench bench;
    struct yk_event *event;
    int64_t outstanding = yk_alloc_outstanding();
    (void)state;
    bench_open(&bench);
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &event), YOKE_OK);
    bench.b->close(bench.device);
    assert_int_equal(breaches.count, 6); /* two queues, two buffers, a program, an event */
    yk_check_on_breach(NULL, NULL);
    assert_int_equal(yk_alloc_outstanding(), outstanding);
}

/* Two operations on the same bytes: ordered ones are accepted, others are not. */
static void races_on_one_device(void **state)
{
    struct bench bench;
    struct yk_event *first = NULL, *second = NULL;
    char *host;
    (void)state;
    bench_open(&bench);
    host = bench.host;
    struct yk_copy in = { .host = host, .buffer = bench.x, .bytes = 100 };
    struct yk_copy out = {
        .kind = YK_COPY_FROM_DEVICE, .host = host + 50, .buffer = bench.y, .bytes = 100
    };
    assert_int_equal(bench.b->copy(bench.queue[0], &in, &first), YOKE_OK);
    assert_int_equal(bench.b->copy(bench.queue[1], &out, NULL), YOKE_EINVAL);
    expect_breach("may still be running"); /* host bytes 50 to 99 */
    out.host = host + 100;
    assert_int_equal(bench.b->copy(bench.queue[1], &out, NULL), YOKE_OK);
    /* Reading the same bytes twice is no race. */
    struct yk_copy twin = { .host = host, .buffer = bench.y, .offset = 200, .bytes = 100 };
    assert_int_equal(bench.b->copy(bench.queue[1], &twin, NULL), YOKE_OK);
    struct yk_copy same = { .kind = YK_COPY_FROM_DEVICE,
                            .host = host + 1000,
                            .buffer = bench.x,
                            .offset = 99,
                            .bytes = 5 };
    assert_int_equal(bench.b->copy(bench.queue[1], &same, NULL), YOKE_EINVAL);
    expect_breach("copy on sim:gpu"); /* device byte 99 */
    same.after = &first;
    same.after_count = 1;
    assert_int_equal(bench.b->copy(bench.queue[1], &same, &second), YOKE_OK);
    /* Order is transitive: after `second` is after `first`. */
    assert_int_equal(
        bench.b->zero(bench.queue[1], &(struct yk_buffer_range){ bench.x, 0, 100 }, NULL), YOKE_OK);
    struct yk_copy again = { .host = host, .buffer = bench.x, .bytes = 100 };
    assert_int_equal(bench.b->copy(bench.queue[0], &again, NULL), YOKE_EINVAL);
    expect_breach("zero on sim:gpu");
    assert_int_equal(bench.b->wait(second), YOKE_OK);
    bench.b->event_close(first);
    bench.b->event_close(second);
    bench_close(&bench);
}

/* Interleaved rows are no race; a byte that both use is. */
static void races_of_rows(void **state)
{
    struct bench bench;
    struct yk_event *first = NULL;
    (void)state;
    bench_open(&bench);
    struct yk_copy in = { .host = bench.host,
                          .buffer = bench.x,
                          .bytes = 10,
                          .rows = 20,
                          .pitch = 100,
                          .host_pitch = 30 };
    assert_int_equal(bench.b->copy(bench.queue[0], &in, &first), YOKE_OK);
    struct yk_copy beside = in;
    beside.host = (char *)bench.host + 1000;
    beside.offset = 10;
    beside.bytes = 90;
    beside.host_pitch = 90;
    beside.rows = 19;
    assert_int_equal(bench.b->copy(bench.queue[1], &beside, NULL), YOKE_OK);
    struct yk_copy crossing = {
        .host = (char *)bench.host + 3000, .buffer = bench.x, .offset = 1909, .bytes = 1
    };
    assert_int_equal(bench.b->copy(bench.queue[1], &crossing, NULL), YOKE_EINVAL);
    expect_breach("may still be running"); /* last byte of the last row */
    crossing.offset = 1910;
    assert_int_equal(bench.b->copy(bench.queue[1], &crossing, NULL), YOKE_OK);
    struct yk_copy out = { .kind = YK_COPY_FROM_DEVICE,
                           .host = (char *)bench.host + 15,
                           .buffer = bench.y,
                           .offset = 2000,
                           .bytes = 5,
                           .rows = 3,
                           .pitch = 5,
                           .host_pitch = 51 }; /* 15, 66, 117; reads are 0 to 9, 30 to 39, ... */
    assert_int_equal(bench.b->copy(bench.queue[1], &out, NULL), YOKE_EINVAL);
    expect_breach("may still be running"); /* 60 to 69 */
    out.host_pitch = 30;
    assert_int_equal(bench.b->copy(bench.queue[1], &out, NULL), YOKE_OK);
    assert_int_equal(bench.b->wait(first), YOKE_OK);
    bench.b->event_close(first);
    bench_close(&bench);
}

/* Between devices, only waiting for the end creates order. */
static void races_between_devices(void **state)
{
    struct bench bench;
    struct yk_queue *queue;
    struct yk_buffer *buffer;
    struct yk_event *event;
    (void)state;
    bench_open(&bench);
    struct yk_device *other = open_checked("sim:gpu-b");
    assert_int_equal(other->backend->queue_open(other, &queue), YOKE_OK);
    assert_int_equal(other->backend->alloc(other, BYTES, &buffer), YOKE_OK);
    struct yk_copy out = {
        .kind = YK_COPY_FROM_DEVICE, .host = bench.host, .buffer = bench.x, .bytes = BYTES
    };
    struct yk_copy in = { .host = bench.host, .buffer = buffer, .bytes = BYTES };
    assert_int_equal(bench.b->copy(bench.queue[0], &out, &event), YOKE_OK);
    assert_int_equal(other->backend->copy(queue, &in, NULL), YOKE_EINVAL);
    expect_breach("copy on sim:gpu");
    assert_int_equal(bench.b->wait(event), YOKE_OK);
    assert_int_equal(other->backend->copy(queue, &in, NULL), YOKE_OK);
    bench.b->event_close(event);
    other->backend->queue_close(queue);
    other->backend->free(other, buffer);
    other->backend->close(other);
    bench_close(&bench);
}

static void freed_in_use(void **state)
{
    struct bench bench;
    struct yk_event *event;
    struct yk_buffer *buffer;
    int n = 0;
    (void)state;
    bench_open(&bench);
    assert_int_equal(bench.b->alloc(bench.device, 64, &buffer), YOKE_OK);
    struct yk_launch_arg args[] = { { .value = &n }, { .buffer = buffer } };
    struct yk_launch launch = { .last = 9, .extent = { 1, 1 }, .args = args, .team = 1 };
    assert_int_equal(bench.b->launch(bench.queue[0], bench.program, &launch, &event), YOKE_OK);
    bench.b->free(bench.device, buffer);
    expect_breach("in flight");
    assert_int_equal(bench.b->wait(event), YOKE_OK);
    bench.b->free(bench.device, buffer);
    bench.b->event_close(event);
    bench_close(&bench);
}

/* As if the simulated device's kernels reached host memory: they get a buffer instead. */
static struct yk_buffer *instead;
static yoke_status launch_instead(struct yk_queue *queue, struct yk_program *program,
                                  const struct yk_launch *launch, struct yk_event **event)
{
    const struct yk_launch_arg args[] = { launch->args[0], { .buffer = instead } };
    struct yk_launch other = *launch;
    other.args = args;
    return yk_backend_sim.launch(queue, program, &other, event);
}

static void host_memory_freed_in_use(void **state)
{
    struct yk_device *device = open_checked("sim:gpu:mem=1M:staging=yes");
    struct check_device *checked = (struct check_device *)device;
    struct yk_backend table = *checked->backend;
    struct yk_queue *queue;
    struct yk_program *program;
    struct yk_event *event;
    void *memory;
    int n = 0;
    (void)state;
    yk_check_on_breach(note_breach, NULL);
    assert_int_equal(table.alloc(checked->inner, 64, &instead), YOKE_OK);
    table.launch = launch_instead;
    checked->backend = &table;
    device->desc.reaches_host = 1;
    assert_int_equal(device->backend->queue_open(device, &queue), YOKE_OK);
    assert_int_equal(device->backend->build(device, &kernel, &program), YOKE_OK);
    assert_int_equal(device->backend->host_alloc(device, 64, &memory), YOKE_OK);
    struct yk_launch_arg args[] = { { .value = &n }, { .host = (char *)memory + 8 } };
    struct yk_launch launch = { .last = 9, .extent = { 1, 1 }, .args = args, .team = 1 };
    assert_int_equal(device->backend->launch(queue, program, &launch, &event), YOKE_OK);
    device->backend->host_free(device, memory);
    expect_breach("an operation in flight uses the memory");
    device->backend->event_close(event);
    args[1].host = (char *)memory + 8; /* freed */
    assert_int_equal(device->backend->launch(queue, program, &launch, &event), YOKE_EINVAL);
    expect_breach("x is not memory of its host_alloc");
    device->backend->program_close(device, program);
    device->backend->queue_close(queue);
    table.free(checked->inner, instead);
    device->backend->close(device);
    assert_int_equal(breaches.count, 0);
    yk_check_on_breach(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_arguments),           cmocka_unit_test(launch_arguments),
        cmocka_unit_test(memory_on_demand),         cmocka_unit_test(host_memory),
        cmocka_unit_test(host_memory_devices),      cmocka_unit_test(handles),
        cmocka_unit_test(another_device),           cmocka_unit_test(left_open),
        cmocka_unit_test(races_on_one_device),      cmocka_unit_test(races_of_rows),
        cmocka_unit_test(races_between_devices),    cmocka_unit_test(freed_in_use),
        cmocka_unit_test(host_memory_freed_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
