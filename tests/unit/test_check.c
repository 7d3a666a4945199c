/* test_check.c - the checking wrapper catches every breach of backend.h, the caller's and the
 * backend's, and lets what is right pass. Its devices are simulated ones; where the backend itself
 * has to misbehave, one slot of a copy of the sim table is replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/check.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"
#include "base/status.h"
#include "platform/thread.h"

static void nothing(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

static const yoke_param params[] = { { YOKE_PARAM_VALUE, "int", "n", 4, 4 },
                                     { YOKE_PARAM_INOUT, "float", "x", 4, 4 } };
static const yoke_kernel kernel = { .struct_size = sizeof kernel,
                                    .name = "nothing",
                                    .params = params,
                                    .param_count = 2,
                                    .cpu = { .variant = { nothing } } };

enum { BYTES = 4000 };

static struct {
    int count;
    char text[384];
} breaches;

static void note_breach(void *context, const char *text)
{
    (void)context;
    breaches.count++;
    strncpy(breaches.text, text, sizeof breaches.text - 1);
}

/* Exactly one breach since the last look, with these words. */
static void expect_breach(const char *words)
{
    if (breaches.count != 1 || !strstr(breaches.text, words))
        fail_msg("%d breaches, the last '%s', instead of one with '%s'", breaches.count,
                 breaches.text, words);
    breaches.count = 0;
    breaches.text[0] = '\0';
}

struct bench {
    struct yk_device *device;
    const struct yk_backend *b; /* the wrapper's table */
    struct yk_queue *queue[2];
    struct yk_buffer *x, *y;
    struct yk_program *program;
    char host[2 * BYTES];
};

static struct yk_device *open_checked(const char *text)
{
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    assert_int_equal(yk_backend_sim.open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    assert_int_equal(yk_backend_check(device, &device), YOKE_OK);
    return device;
}

static void bench_open(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    memset(&breaches, 0, sizeof breaches);
    yk_check_on_breach(note_breach, NULL);
    bench->device = open_checked("sim:gpu:mem=1M");
    bench->b = bench->device->backend;
    for (int q = 0; q < 2; q++)
        assert_int_equal(bench->b->queue_open(bench->device, &bench->queue[q]), YOKE_OK);
    assert_int_equal(bench->b->alloc(bench->device, BYTES, &bench->x), YOKE_OK);
    assert_int_equal(bench->b->alloc(bench->device, BYTES, &bench->y), YOKE_OK);
    assert_int_equal(bench->b->build(bench->device, &kernel, &bench->program), YOKE_OK);
}

static void bench_close(struct bench *bench)
{
    for (int q = 0; q < 2; q++)
        bench->b->queue_close(bench->queue[q]);
    bench->b->free(bench->device, bench->x);
    bench->b->free(bench->device, bench->y);
    bench->b->program_close(bench->device, bench->program);
    bench->b->close(bench->device);
    assert_int_equal(breaches.count, 0);
    yk_check_on_breach(NULL, NULL);
}

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
    assert_int_equal(bench.b->zero(bench.queue[0], bench.x, BYTES - 1, 2, NULL), YOKE_EINVAL);
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
                     hostly = right, shifted = right;
    empty.last = 0;
    flat.extent[1] = 0;
    alone.team = 0;
    bare.args = NULL;
    nought.args = no_value;
    hostly.args = no_buffer;
    shifted.args = crooked;
    const struct {
        const struct yk_launch *launch;
        const char *words;
    } bad[] = { { &empty, "empty chunk" },     { &flat, "extents" },
                { &alone, "team of 0" },       { &bare, "no arguments" },
                { &nought, "no value for n" }, { &hostly, "no open buffer" },
                { &shifted, "shift -6 of x" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bench.b->launch(bench.queue[0], bench.program, bad[i].launch, NULL),
                         YOKE_EINVAL);
        expect_breach(bad[i].words);
    }
    assert_int_equal(bench.b->launch(bench.queue[0], (struct yk_program *)bench.x, &right, NULL),
                     YOKE_EINVAL);
    expect_breach("no open program");
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
    assert_int_equal(other->backend->zero(queue, bench.x, 0, 8, NULL), YOKE_EINVAL);
    expect_breach("belongs to sim:gpu");
    struct yk_buffer *mine;
    assert_int_equal(other->backend->alloc(other, 8, &mine), YOKE_OK);
    struct yk_copy after = {
        .host = bench.host + 8, .buffer = mine, .bytes = 8, .after = &event, .after_count = 1
    };
    assert_int_equal(other->backend->copy(queue, &after, NULL), YOKE_EINVAL);
    expect_breach("event belongs to sim:gpu");
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

/* Two operations on the same bytes: ordered ones pass, others do not. */
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
    /* Order is inherited: after `second` is after `first`. */
    assert_int_equal(bench.b->zero(bench.queue[1], bench.x, 0, 100, NULL), YOKE_OK);
    struct yk_copy again = { .host = host, .buffer = bench.x, .bytes = 100 };
    assert_int_equal(bench.b->copy(bench.queue[0], &again, NULL), YOKE_EINVAL);
    expect_breach("zero on sim:gpu");
    assert_int_equal(bench.b->wait(second), YOKE_OK);
    bench.b->event_close(first);
    bench.b->event_close(second);
    bench_close(&bench);
}

/* Between devices only having seen the end makes an order. */
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

/* ---- the backend's side ---- */

static struct yk_backend bent; /* the sim table with a slot that misbehaves */

static void bend(struct bench *bench, struct check_device **device)
{
    *device = (struct check_device *)bench->device;
    bent = yk_backend_sim;
    (*device)->backend = &bent;
}

static yoke_status alloc_silent(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    (void)device, (void)bytes, (void)out;
    return YOKE_OK;
}

static yoke_status alloc_untidy(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    (void)device, (void)bytes;
    *out = NULL;
    return yk_fail(YOKE_ENOMEM, "no");
}

static yoke_status alloc_odd(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    (void)device, (void)bytes, (void)out;
    return yk_fail(YOKE_EIO, "a disk?");
}

static yoke_status alloc_lost(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    (void)device, (void)bytes, (void)out;
    return yk_fail(YOKE_EDEVICE, "some device is gone");
}

static int poll_never(struct yk_event *event, yoke_status *outcome)
{
    (void)event, (void)outcome;
    return 0;
}

static void times_backwards(struct yk_event *event, struct yk_event_times *out)
{
    (void)event;
    *out = (struct yk_event_times){ .started = 20, .ended = 10 };
}

static int64_t memory_negative(struct yk_device *device)
{
    (void)device;
    return -1;
}

static void bent_alloc(void **state)
{
    struct bench bench;
    struct check_device *device;
    struct yk_buffer *buffer;
    (void)state;
    bench_open(&bench);
    bend(&bench, &device);
    bent.alloc = alloc_silent;
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_EINVAL);
    expect_breach("left its output unwritten");
    bent.alloc = alloc_untidy;
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_EINVAL);
    expect_breach("wrote its output and failed");
    bent.alloc = alloc_odd;
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_EINVAL);
    expect_breach("may not fail with");
    bent.memory_free = memory_negative;
    assert_int_equal(bench.b->memory_free(bench.device), -1);
    expect_breach("-1 bytes");
    bent.alloc = alloc_lost;
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_EINVAL);
    expect_breach("does not name the device");
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    bent.alloc = yk_backend_sim.alloc;
    assert_int_equal(copy(&bench, &spec), YOKE_OK);
    expect_breach("worked on a device that was lost");
    bench_close(&bench);
}

static void bent_events(void **state)
{
    struct bench bench;
    struct check_device *device;
    struct yk_event *event;
    struct yk_event_times times;
    yoke_status outcome;
    (void)state;
    bench_open(&bench);
    bend(&bench, &device);
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &event), YOKE_OK);
    assert_int_equal(bench.b->wait(event), YOKE_OK);
    bent.event_times = times_backwards;
    bench.b->event_times(event, &times);
    expect_breach("ended before it started");
    bent.poll = poll_never;
    assert_int_equal(bench.b->poll(event, &outcome), 1);
    assert_int_equal(outcome, YOKE_OK);
    expect_breach("pending again");
    bench.b->event_close(event);
    bench_close(&bench);
}

struct intruder {
    struct bench *bench;
    yoke_status status;
};

static void intrude(void *context)
{
    struct intruder *intruder = context;
    intruder->status =
        intruder->bench->b->zero(intruder->bench->queue[1], intruder->bench->y, 0, 8, NULL);
}

static struct intruder the_intruder;

/* While one thread is inside, a second comes. */
static yoke_status alloc_slow(struct yk_device *device, int64_t bytes, struct yk_buffer **out)
{
    struct yk_thread thread;
    struct yk_thread_spec spec = {
        .name = "intruder", .cpu = -1, .run = intrude, .context = &the_intruder
    };
    yoke_status status = yk_thread_open(&spec, &thread);
    if (status == YOKE_OK)
        yk_thread_join(&thread);
    return status == YOKE_OK ? yk_backend_sim.alloc(device, bytes, out) : status;
}

static void two_threads(void **state)
{
    struct bench bench;
    struct check_device *device;
    struct yk_buffer *buffer;
    (void)state;
    bench_open(&bench);
    bend(&bench, &device);
    bent.alloc = alloc_slow;
    the_intruder = (struct intruder){ &bench, YOKE_OK };
    assert_int_equal(bench.b->alloc(bench.device, 8, &buffer), YOKE_OK);
    assert_int_equal(the_intruder.status, YOKE_EINVAL);
    expect_breach("another thread");
    bench.b->free(bench.device, buffer);
    bench_close(&bench);
}

/* Without a listener a breach ends the process. */
static void abort_without_listener(void **state)
{
    int wstatus;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bench bench;
        bench_open(&bench);
        yk_check_on_breach(NULL, NULL);
        bench.b->free(bench.device, (struct yk_buffer *)&bench);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &wstatus, 0), child);
    assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == 6);
}

/* ---- failures on demand ---- */

static void injection(void **state)
{
    struct bench bench;
    struct yk_buffer *buffer;
    struct yk_event *event, *other;
    yoke_status outcome;
    (void)state;
    bench_open(&bench);
    yk_backend_fail_at(2, YOKE_ENOMEM);
    assert_int_equal(bench.b->zero(bench.queue[0], bench.x, 0, 4, NULL), YOKE_OK);
    assert_int_equal(yk_backend_failed(), 0);
    assert_int_equal(bench.b->alloc(bench.device, 4, &buffer), YOKE_ENOMEM);
    assert_int_equal(yk_backend_failed(), 1);
    assert_int_equal(bench.b->alloc(bench.device, 4, &buffer), YOKE_OK); /* once */
    bench.b->free(bench.device, buffer);
    yk_backend_fail_at(1, YOKE_EBUILD);
    assert_int_equal(bench.b->zero(bench.queue[0], bench.x, 0, 4, NULL), YOKE_OK); /* no build */
    struct yk_program *program;
    assert_int_equal(bench.b->build(bench.device, &kernel, &program), YOKE_EBUILD);
    assert_non_null(strstr(yoke_error_text(), "sim:gpu"));
    struct yk_copy spec = { .host = bench.host, .buffer = bench.x, .bytes = 8 };
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &event), YOKE_OK);
    spec.host = bench.host + 8;
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, &other), YOKE_OK);
    yk_backend_fail_at(1, YOKE_EDEVICE);
    assert_int_equal(bench.b->wait(event), YOKE_EDEVICE); /* an outcome */
    assert_int_equal(yk_backend_failed(), 1);
    yk_backend_fail_at(0, YOKE_OK);
    assert_int_equal(bench.b->wait(other), YOKE_EDEVICE); /* all that was under way */
    assert_int_equal(bench.b->poll(event, &outcome), 1);
    assert_int_equal(outcome, YOKE_EDEVICE);
    assert_int_equal(copy(&bench, &spec), YOKE_EDEVICE); /* for good */
    bench.b->event_close(event);
    bench.b->event_close(other);
    bench_close(&bench);
}

/* A device really lost is one that obeys. */
static void real_loss(void **state)
{
    struct yk_device *device = open_checked("sim:gpu:fail_after=1");
    const struct yk_backend *b = device->backend;
    struct yk_queue *queue;
    struct yk_buffer *buffer, *more;
    struct yk_event *event;
    (void)state;
    assert_int_equal(b->queue_open(device, &queue), YOKE_OK);
    assert_int_equal(b->alloc(device, 8, &buffer), YOKE_OK);
    assert_int_equal(b->zero(queue, buffer, 0, 8, &event), YOKE_OK);
    assert_int_equal(b->zero(queue, buffer, 0, 8, NULL), YOKE_EDEVICE);
    assert_int_equal(b->wait(event), YOKE_EDEVICE);
    assert_int_equal(b->alloc(device, 8, &more), YOKE_EDEVICE);
    b->event_close(event);
    b->free(device, buffer);
    b->queue_close(queue);
    b->close(device);
}

static void no_memory(void **state)
{
    struct yk_device_list list = { 0 };
    struct yk_device *inner, *device = NULL;
    (void)state;
    assert_int_equal(yk_devices_find("sim:gpu", &list), YOKE_OK);
    int64_t outstanding = yk_alloc_outstanding();
    assert_int_equal(yk_backend_sim.open(&list.items[0], &inner), YOKE_OK);
    yk_alloc_fail_at(1);
    assert_int_equal(yk_backend_check(inner, &device), YOKE_ENOMEM);
    yk_alloc_fail_at(0);
    assert_null(device);
    assert_int_equal(yk_alloc_outstanding(), outstanding); /* it closed the device */
    yk_device_list_close(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_arguments),
        cmocka_unit_test(launch_arguments),
        cmocka_unit_test(host_memory_devices),
        cmocka_unit_test(handles),
        cmocka_unit_test(another_device),
        cmocka_unit_test(left_open),
        cmocka_unit_test(races_on_one_device),
        cmocka_unit_test(races_between_devices),
        cmocka_unit_test(freed_in_use),
        cmocka_unit_test(bent_alloc),
        cmocka_unit_test(bent_events),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(abort_without_listener),
        cmocka_unit_test(injection),
        cmocka_unit_test(real_loss),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
