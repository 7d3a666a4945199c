/* test_opencl_wait.c - waiting for an OpenCL device: the thread sleeps while the device works and
 * learns of the end by callback or by polling; order across queues by events; work restricted to
 * some units. */
#include <stdatomic.h>
#include <time.h>

#include "opencl_bench.h"
#include "platform/clock.h"
#include "under_sanitizer.h"

static const char slow_text[] =
    LINE_MARK "__kernel void yoke_entry_slow(" RANGE ", int rounds, " ARRAY(
        "float", "x") ")\n"
                      "{\n"
                      "    long i = yk_part.first + (long)get_global_id(0);\n"
                      "    if (i >= yk_part.last) return;\n"
                      "    float a = (float)i;\n"
                      "    for (int r = 0; r < rounds; ++r) a = a * 0.999f + 0.5f;\n"
                      "    " AT("float", "x", "i") " = a;\n"
                                                   "}\n";
static const yoke_param slow_params[] = {
    { YOKE_PARAM_VALUE, "int32_t", "rounds", 4, 4 },
    { YOKE_PARAM_OUT, "float", "x", 4, 4 },
};

static int64_t thread_cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* A launch of about 0.3 s. */
static struct yk_event *start_slow(struct fixture *f, struct yk_program *program, int32_t rounds)
{
    struct yk_event *event = NULL;
    const struct yk_launch_arg args[] = { { .value = &rounds }, { .buffer = f->buffer } };
    const struct yk_launch launch = { .last = f->count, .extent = { 1, 1 }, .args = args };
    assert_int_equal(backend->launch(f->queue, program, &launch, &event), YOKE_OK);
    return event;
}

static int32_t slow_rounds(struct fixture *f, struct yk_program *program)
{
    int32_t rounds = 64;
    for (;;) {
        int64_t start = yk_clock_ns();
        struct yk_event *event = start_slow(f, program, rounds);
        assert_int_equal(backend->wait(event), YOKE_OK);
        backend->event_close(event);
        if (yk_clock_ns() - start > 300000000)
            return rounds;
        rounds *= 2;
    }
}

/* *state of the tests below: the settings, one for each way to learn that work has ended. */
static char callback_settings[] = "wake=callback", poll_settings[] = "wake=poll";

/* Other processes only add to measured processor time, so one of these tries with a low time proves
 * that the thread sleeps; a thread that spins never has one: it takes all of its core, or two
 * thirds beside a busy test and PoCL's threads. Polls take 1 % of the wait, with the thread
 * sanitizer 3 to 6 %. */
enum { TRIES = 5, SLEEPS_PART = RUNNING_UNDER_TSAN ? 4 : 20 };

/* One wait for a slow launch: 1 if the thread slept and the event's times agree. */
static int waits_asleep(struct fixture *f, struct yk_program *program, int32_t rounds)
{
    struct yk_event_times times;
    yoke_status outcome = YOKE_EDEVICE;
    int64_t start = yk_clock_ns();
    struct yk_event *event = start_slow(f, program, rounds);
    assert_false(backend->poll(event, &outcome)); /* still running */
    assert_int_equal(outcome, YOKE_EDEVICE);      /* and the output is not written */
    int64_t cpu = thread_cpu_ns();
    assert_int_equal(backend->wait(event), YOKE_OK);
    int64_t end = yk_clock_ns();
    cpu = thread_cpu_ns() - cpu;
    assert_true(backend->poll(event, &outcome));
    assert_int_equal(outcome, YOKE_OK);
    backend->event_times(event, &times);
    assert_true(start <= times.started && times.started < times.ended && times.ended <= end);
    backend->event_close(event);
    return cpu < (end - start) / SLEEPS_PART && times.ended - times.started > (end - start) / 2;
}

static int takes_one_core(struct fixture *f, struct yk_program *program, int32_t rounds)
{
    int64_t start = yk_clock_ns(), cpu = yk_clock_process_ns();
    struct yk_event *event = start_slow(f, program, rounds);
    assert_int_equal(backend->wait(event), YOKE_OK);
    int one_core = yk_clock_process_ns() - cpu < (yk_clock_ns() - start) * 12 / 10;
    backend->event_close(event);
    return one_core;
}

/* Requires `holds` in one of the tries, on a device opened with these settings. */
static void holds_in_a_try(const char *settings,
                           int (*holds)(struct fixture *, struct yk_program *, int32_t))
{
    struct fixture f = open_fixture(settings, 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    int32_t rounds = slow_rounds(&f, program);
    int tries = 0;
    while (tries < TRIES && !holds(&f, program, rounds))
        ++tries;
    assert_true(tries < TRIES);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

static void test_wait_asleep(void **state)
{
    holds_in_a_try(*state, waits_asleep);
}

struct bell {
    struct yk_parker parker;
    atomic_int rings;
};

static void ring(void *context)
{
    struct bell *bell = context;
    atomic_fetch_add(&bell->rings, 1);
    yk_parker_wake(&bell->parker);
}

static void wait_for_rings(struct bell *bell, int count)
{
    while (atomic_load(&bell->rings) < count)
        assert_true(yk_parker_sleep(&bell->parker, 60000000000));
    assert_int_equal(atomic_load(&bell->rings), count);
}

/* With no work in progress no thread is awake. */
static int all_threads_sleep(void)
{
    for (int i = 0; i < TRIES; ++i) {
        int64_t cpu = yk_clock_process_ns();
        yk_clock_sleep_ns(300000000);
        if (yk_clock_process_ns() - cpu < 30000000)
            return 1;
    }
    return 0;
}

static void test_notify(void **state)
{
    enum { EVENTS = 20 };
    struct fixture f = open_fixture(*state, 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    struct yk_event *events[EVENTS];
    struct bell bell = { .rings = 0 };
    yoke_status outcome = YOKE_EDEVICE;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    for (int i = 0; i < EVENTS; ++i) {
        events[i] = start_slow(&f, program, 100);
        assert_int_equal(backend->notify(events[i], ring, &bell), YOKE_OK);
    }
    wait_for_rings(&bell, EVENTS);
    for (int i = 0; i < EVENTS; ++i) {
        assert_true(backend->poll(events[i], &outcome));
        assert_int_equal(outcome, YOKE_OK);
    }
    assert_int_equal(backend->notify(events[0], ring, &bell), YOKE_OK); /* has ended: at once */
    wait_for_rings(&bell, EVENTS + 1);
    for (int i = 0; i < EVENTS; ++i)
        backend->event_close(events[i]);
    if (*state == poll_settings || f.device->desc.is_cpu) /* NVIDIA's callback threads spin */
        assert_true(all_threads_sleep());
    struct yk_event *event = start_slow(&f, program, 1000); /* closed while it runs */
    assert_int_equal(backend->notify(event, ring, &bell), YOKE_OK);
    backend->event_close(event);
    wait_for_rings(&bell, EVENTS + 2);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

/* Order across queues by events, more of them than the stack buffer holds. */
static void test_after(void **state)
{
    (void)state;
    enum { EVENTS = 40 };
    struct fixture f = open_fixture("", 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    struct yk_queue *other = NULL;
    struct yk_event *events[EVENTS] = { 0 }, *last = NULL;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    assert_int_equal(backend->queue_open(f.device, &other), YOKE_OK);
    for (int i = 0; i < EVENTS - 1; ++i) /* the last stays NULL: complete */
        events[i] = start_slow(&f, program, 100);
    const struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE,
                                  .host = f.host,
                                  .buffer = f.buffer,
                                  .bytes = f.count * 4,
                                  .after = events,
                                  .after_count = EVENTS };
    assert_int_equal(backend->copy(other, &copy, &last), YOKE_OK);
    assert_int_equal(backend->wait(last), YOKE_OK);
    for (int i = 0; i < EVENTS - 1; ++i) {
        yoke_status outcome = YOKE_EDEVICE;
        assert_true(backend->poll(events[i], &outcome));
        assert_int_equal(outcome, YOKE_OK);
        backend->event_close(events[i]);
    }
    assert_true(((float *)f.host)[1000] != 0);
    backend->event_close(last);
    backend->queue_close(other);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

/* units=1: work for two cores takes the time of one core. */
static void test_units(void **state)
{
    (void)state;
    struct yk_device_list list;
    assert_int_equal(find(device_number(), "", &list), YOKE_OK);
    int is_cpu = list.items[0].is_cpu, cores = list.items[0].cores;
    yk_device_list_close(&list);
    if (!is_cpu || cores < 2)
        skip();
    struct yk_device *device = open_device("units=1");
    assert_int_equal(device->desc.cores, 1);
    backend->close(device);
    holds_in_a_try("units=1", takes_one_core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_wait_asleep, callback_settings),
        cmocka_unit_test_prestate(test_wait_asleep, poll_settings),
        cmocka_unit_test_prestate(test_notify, callback_settings),
        cmocka_unit_test_prestate(test_notify, poll_settings),
        cmocka_unit_test(test_after),
        cmocka_unit_test(test_units),
    };
    return device_present() ? cmocka_run_group_tests(tests, make_cache, remove_cache) : 77;
}
