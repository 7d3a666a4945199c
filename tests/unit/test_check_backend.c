/* test_check_backend.c - the checking wrapper detects a backend that violates backend.h (one slot
 * of a copy of the sim table is replaced), and makes calls fail on request. */
#include "check_bench.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "platform/thread.h"

static struct yk_backend bent; /* the device's table with one slot that misbehaves */

static void bend(struct bench *bench, struct check_device **device)
{
    *device = (struct check_device *)bench->device;
    bent = *(*device)->backend;
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
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, NULL), YOKE_OK);
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

static double reach_negative(struct yk_device *device, struct yk_device *from)
{
    (void)device, (void)from;
    return -1;
}

/* Both devices can be used afterwards. */
static void bent_reach(void **state)
{
    struct bench bench;
    struct check_device *device;
    struct yk_device *other;
    struct yk_buffer *buffer;
    (void)state;
    bench_open(&bench);
    other = open_checked("sim:gpu:mem=1M");
    bend(&bench, &device);
    bent.reach = reach_negative;
    assert_true(bench.b->reach(bench.device, other) == 0);
    expect_breach("a speed of -1");
    assert_int_equal(other->backend->alloc(other, 8, &buffer), YOKE_OK);
    other->backend->free(other, buffer);
    other->backend->close(other);
    bench_close(&bench);
}

struct intruder {
    struct bench *bench;
    yoke_status status;
};

static void intrude(void *context)
{
    struct intruder *intruder = context;
    intruder->status = intruder->bench->b->zero(
        intruder->bench->queue[1], &(struct yk_buffer_range){ intruder->bench->y, 0, 8 }, NULL);
}

static struct intruder the_intruder;

/* While one thread is inside, a second one enters. */
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

/* Without a listener a violation aborts the process. */
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

static void injection(void **state)
{
    struct bench bench;
    struct yk_buffer *buffer;
    struct yk_event *event, *other;
    yoke_status outcome;
    (void)state;
    bench_open(&bench);
    yk_backend_fail_at(2, YOKE_ENOMEM);
    assert_int_equal(
        bench.b->zero(bench.queue[0], &(struct yk_buffer_range){ bench.x, 0, 4 }, NULL), YOKE_OK);
    assert_int_equal(yk_backend_failed(), 0);
    assert_int_equal(bench.b->alloc(bench.device, 4, &buffer), YOKE_ENOMEM);
    assert_int_equal(yk_backend_failed(), 1);
    assert_int_equal(bench.b->alloc(bench.device, 4, &buffer), YOKE_OK); /* only once */
    bench.b->free(bench.device, buffer);
    yk_backend_fail_at(1, YOKE_EBUILD);
    assert_int_equal(
        bench.b->zero(bench.queue[0], &(struct yk_buffer_range){ bench.x, 0, 4 }, NULL),
        YOKE_OK); /* not a build */
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
    assert_int_equal(bench.b->wait(other), YOKE_EDEVICE); /* all work in progress */
    assert_int_equal(bench.b->poll(event, &outcome), 1);
    assert_int_equal(outcome, YOKE_EDEVICE);
    assert_int_equal(bench.b->copy(bench.queue[0], &spec, NULL), YOKE_EDEVICE); /* for good */
    bench.b->event_close(event);
    bench.b->event_close(other);
    bench_close(&bench);
}

/* A device that is really lost obeys the rules. */
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
    assert_int_equal(b->zero(queue, &(struct yk_buffer_range){ buffer, 0, 8 }, &event), YOKE_OK);
    assert_int_equal(b->zero(queue, &(struct yk_buffer_range){ buffer, 0, 8 }, NULL), YOKE_EDEVICE);
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
        cmocka_unit_test(bent_alloc),  cmocka_unit_test(bent_events),
        cmocka_unit_test(two_threads), cmocka_unit_test(abort_without_listener),
        cmocka_unit_test(injection),   cmocka_unit_test(real_loss),
        cmocka_unit_test(no_memory),   cmocka_unit_test(bent_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
