/* test_await.c - when the thread that drives a device polls a chunk: seldom at first, continuously
 * near its expected end, and never so late that a wrong forecast doubles the chunk's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "flight/forecast.h"
#include "work/await.h"
#include <cmocka.h>

enum { US = 1000, MS = 1000000 };

static const struct yk_job_device by_its_thread = { 0 }, by_the_caller = { .driven = 1 };

static struct yk_flight flight_of(int64_t lasts_ns)
{
    struct yk_job_device device = { 0 };
    struct yk_flight flight = { .issued_ns = 5 * MS, .lasts_ns = lasts_ns };
    yk_flight_foretell(&device, &flight, flight.issued_ns);
    return flight;
}

static void without_a_forecast_there_is_no_telling(void **state)
{
    const struct yk_flight flight = flight_of(0);
    (void)state;
    assert_int_equal(yk_flight_look_at(&by_its_thread, &flight, flight.issued_ns), 0);
}

/* A caller that drives GPUs itself has nothing else to do. */
static void a_caller_watches_longer_chunks(void **state)
{
    const struct yk_flight flight = flight_of(400 * US), longer = flight_of(4 * MS);
    (void)state;
    assert_true(yk_flight_look_at(&by_its_thread, &flight, flight.issued_ns) > flight.issued_ns);
    assert_int_equal(yk_flight_look_at(&by_the_caller, &flight, flight.issued_ns),
                     flight.issued_ns);
    assert_true(yk_flight_look_at(&by_the_caller, &longer, longer.issued_ns) > longer.issued_ns);
}

static void chunks_queue_up_behind_each_other(void **state)
{
    struct yk_job_device device = { 0 };
    struct yk_flight first = { .lasts_ns = 2 * MS }, second = { .lasts_ns = MS };
    (void)state;
    yk_flight_foretell(&device, &first, 10 * MS);
    yk_flight_foretell(&device, &second, 10 * MS + 5);
    assert_int_equal(first.expected_ns, 12 * MS);
    assert_int_equal(second.expected_ns, 13 * MS);
    yk_flight_foretell(&device, &first, 20 * MS); /* after a pause */
    assert_int_equal(first.expected_ns, 22 * MS);
}

/* Sleeps until each poll; near the end it polls continuously. */
static void few_looks_and_then_all_the_time(void **state)
{
    const int64_t lasts[] = { 50 * US, 450 * US, 12 * MS, 38 * MS, 3000 * (int64_t)MS };
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct yk_flight flight = flight_of(lasts[i]);
        int64_t now = flight.issued_ns, at;
        int looks = 0;
        while ((at = yk_flight_look_at(&by_its_thread, &flight, now)) > now) {
            int64_t gone = now - flight.issued_ns;
            assert_true(at < flight.expected_ns);
            assert_true(at - now <= (gone > 100 * US ? gone : 100 * US));
            now = at;
            looks++;
        }
        assert_true(looks < 60);
        assert_int_equal(at, now); /* from here on it polls continuously, */
        assert_true(flight.expected_ns - now <= 150 * US + lasts[i] / 100);
        assert_true(flight.expected_ns - now <= 500 * US);
        if (lasts[i] > 30 * MS) /* forecasts of long chunks have larger errors */
            assert_true(flight.expected_ns - now > 400 * US);
        assert_true(now == flight.issued_ns || flight.expected_ns - now >= 25 * US);
        assert_int_equal(yk_flight_look_at(&by_its_thread, &flight, flight.expected_ns),
                         flight.expected_ns);
        /* but not for ever */
        assert_int_equal(yk_flight_look_at(&by_its_thread, &flight, flight.expected_ns + MS), 0);
    }
}

/* Polled continuously from the expected end of the chunk before, so that the next can follow at
 * once. */
static void chunks_too_short_for_a_sleep(void **state)
{
    struct yk_job_device device = { 0 };
    struct yk_flight first = { .issued_ns = MS, .lasts_ns = 79 * US }, second = first, longer;
    (void)state;
    yk_flight_foretell(&device, &first, MS);
    yk_flight_foretell(&device, &second, MS);
    assert_int_equal(yk_flight_look_at(&device, &first, MS), MS);
    assert_int_equal(yk_flight_look_at(&device, &first, first.expected_ns), first.expected_ns);
    /* a late end is watched as long as two wakes take, by the driver and of the thread */
    assert_int_equal(yk_flight_look_at(&device, &first, first.expected_ns + 80 * US),
                     first.expected_ns + 80 * US);
    assert_int_equal(yk_flight_look_at(&device, &first, first.expected_ns + 81 * US), 0);
    assert_int_equal(yk_flight_look_at(&device, &second, MS), first.expected_ns);
    assert_int_equal(device.waits.brief, 2);
    longer = flight_of(81 * US);
    assert_true(yk_flight_look_at(&device, &longer, longer.issued_ns) > longer.issued_ns);
}

/* A device with a chain of chunks of this duration, issued at 1 ms. */
static struct yk_flight chain[4];
static struct yk_runtime_device place = { .lanes = 4 };

static struct yk_job_device chain_of(int64_t lasts_ns)
{
    struct yk_job_device device = { .device = &place, .flights = chain };
    for (int i = 0; i < 4; i++) {
        chain[i] = (struct yk_flight){ .busy = 1, .issued_ns = MS, .lasts_ns = lasts_ns };
        yk_flight_foretell(&device, &chain[i], MS);
    }
    return device;
}

/* While others are queued behind it, a chunk's end is polled once, after the expected end; only the
 * last chunk is polled continuously. */
static void nobody_watches_while_there_is_more(void **state)
{
    struct yk_job_device device = chain_of(400 * US);
    int64_t end = chain[0].expected_ns;
    (void)state;
    assert_int_equal(yk_device_look_at(&device, end - 30 * US), end + 25 * US);
    assert_int_equal(yk_device_look_at(&device, end + 10 * US), end + 35 * US);
    assert_int_equal(yk_device_look_at(&device, end + 81 * US), 0); /* far off: sleep */
    for (int i = 0; i < 3; i++)
        chain[i].busy = 0;
    end = chain[3].expected_ns;
    assert_int_equal(yk_device_look_at(&device, end - 30 * US), end - 30 * US);
    chain[3].busy = 0;
    assert_int_equal(yk_device_look_at(&device, end), 0);
    device = chain_of(400 * US);
    device.driven =
        1; /* the caller would sleep past the end of all if the forecasts are too long */
    assert_int_equal(yk_device_look_at(&device, MS), MS);
    device = chain_of(900 * US);
    device.driven = 1;
    assert_true(yk_device_look_at(&device, MS) > MS);
    device = chain_of(20 * US); /* all queued chunks end before a sleeping thread would wake */
    assert_int_equal(yk_device_look_at(&device, MS), MS);
}

/* If a chunk ends late or early, the forecasts of the chunks behind it shift accordingly. */
static void forecasts_follow_what_happened(void **state)
{
    struct yk_job_device device = chain_of(400 * US);
    (void)state;
    yk_flight_ended(&device, &chain[0], chain[0].expected_ns + 50 * US);
    chain[0].busy = 0;
    assert_int_equal(chain[1].expected_ns, MS + 850 * US);
    assert_int_equal(chain[3].expected_ns, MS + 1650 * US);
    yk_flight_ended(&device, &chain[1], chain[1].expected_ns - 100 * US);
    chain[1].busy = 0;
    assert_int_equal(chain[3].expected_ns, MS + 1550 * US);
    assert_int_equal(device.expected_ns, MS + 1550 * US);
}

/* No wake-up call is requested for an end that can be forecast; the ends of a kernel's first jobs
 * cannot. */
static void ends_that_cannot_be_foretold_call(void **state)
{
    const struct yk_job_device known = { .steady = 1 }, unknown = { .steady = 0 };
    const struct yk_flight foretold = flight_of(MS), new = flight_of(0);
    (void)state;
    assert_false(yk_flight_is_called(YOKE_WAIT_AUTO, &known, &foretold));
    assert_true(yk_flight_is_called(YOKE_WAIT_AUTO, &unknown, &foretold));
    assert_true(yk_flight_is_called(YOKE_WAIT_AUTO, &known, &new));
    assert_true(yk_flight_is_called(YOKE_WAIT_BLOCK, &known, &foretold));
}

/* The thread that called the job is awake when it ends, if the end can be forecast; otherwise it
 * polls seldom. */
static void callers_wake_before_the_end(void **state)
{
    struct yk_job job = { .outcome.submitted_ns = 5 * MS };
    struct yk_flight flight = flight_of(37 * MS), later = flight_of(38 * MS);
    int64_t since = 5 * MS, now = since, at;
    int looks = 0;
    (void)state;
    assert_int_equal(yk_job_look_at(&job, since, now), now + 100 * US);
    assert_int_equal(yk_job_look_at(&job, since, now + MS), 0); /* the end is unknown */
    yk_job_foretell(&job, &later);
    yk_job_foretell(&job, &flight);
    for (; now < 30 * MS; now = at, looks++) {
        at = yk_job_look_at(&job, since, now);
        assert_true(at > now &&
                    at - now <= (now - since > 200 * US ? (now - since) / 2 : 100 * US));
    }
    assert_true(looks < 20); /* more is to come; */
    atomic_store(&job.lanes.all_out, 1);
    at = yk_job_look_at(&job, since, now);
    assert_int_equal(at, later.expected_ns - 500 * US);
    assert_int_equal(yk_job_look_at(&job, since, at), at);
    assert_int_equal(yk_job_look_at(&job, since, later.expected_ns), later.expected_ns);
    assert_int_equal(yk_job_look_at(&job, since, later.expected_ns + MS), 0);
}

static void waits_are_counted(void **state)
{
    struct yk_job_device device = { 0 };
    struct yk_flight flights[] = { { .lasts_ns = 0 }, { .lasts_ns = MS }, { .lasts_ns = 10 * US } };
    (void)state;
    for (int i = 0; i < 3; i++)
        yk_flight_foretell(&device, &flights[i], MS);
    assert_int_equal(device.waits.flights, 3);
    assert_int_equal(device.waits.foretold, 2);
    assert_int_equal(device.waits.brief, 1);
    assert_int_equal(device.waits.lasts_ns, MS + 10 * US);
}

/* The last flight of a job is polled if it is brief, whatever the speed of the job before: the way
 * of waiting changes the speed, so that would go on for ever. */
static void brief_flights_are_polled(void **state)
{
    struct yk_device device = { .desc.host_memory = 0 };
    struct yk_runtime_device driven = { .device = &device, .lanes = 1 };
    struct yk_flight flight = { .lasts_ns = 30 * US, .chunk.closes = 1 };
    struct yk_job_device mine = { .device = &driven, .flights = &flight };
    yoke_runtime *runtime = calloc(1, sizeof *runtime);
    struct yk_job job = { .runtime = runtime, .devices = &mine, .device_count = 1 };
    (void)state;
    runtime->waiting = YOKE_WAIT_AUTO;
    for (mine.steady = 0; mine.steady < 2; mine.steady++)
        assert_int_equal(yk_flight_is_polled(&job, 0, 0), 1);
    flight.lasts_ns = 30 * MS;
    assert_int_equal(yk_flight_is_polled(&job, 0, 0), 0);
    flight.lasts_ns = 0; /* unknown */
    assert_int_equal(yk_flight_is_polled(&job, 0, 0), 0);
    free(runtime);
}

/* Sums leave with the last flight, so no lane may still add to them: neither one whose flight is
 * under way, nor one that holds a chunk until a job before is over. */
static void a_chunk_that_is_held_is_still_to_come(void **state)
{
    struct yk_runtime_device runtime_device = { .lanes = 2 };
    struct yk_flight flights[2] = { { .chunk = { .closes = 1 } } };
    const struct yk_job_device device = { .device = &runtime_device, .flights = flights };
    (void)state;
    assert_int_equal(yk_flight_is_last(&device, 0), 1);
    flights[1].turn = YK_TURN_LATER;
    assert_int_equal(yk_flight_is_last(&device, 0), 0);
    flights[1] = (struct yk_flight){ .turn = YK_TURN_BEHIND, .busy = 1 };
    assert_int_equal(yk_flight_is_last(&device, 0), 0);
    flights[1].busy = 0;
    assert_int_equal(yk_flight_is_last(&device, 0), 1);
    flights[0].chunk.closes = 0;
    assert_int_equal(yk_flight_is_last(&device, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_forecast_there_is_no_telling),
        cmocka_unit_test(a_caller_watches_longer_chunks),
        cmocka_unit_test(chunks_queue_up_behind_each_other),
        cmocka_unit_test(few_looks_and_then_all_the_time),
        cmocka_unit_test(chunks_too_short_for_a_sleep),
        cmocka_unit_test(nobody_watches_while_there_is_more),
        cmocka_unit_test(forecasts_follow_what_happened),
        cmocka_unit_test(ends_that_cannot_be_foretold_call),
        cmocka_unit_test(callers_wake_before_the_end),
        cmocka_unit_test(waits_are_counted),
        cmocka_unit_test(brief_flights_are_polled),
        cmocka_unit_test(a_chunk_that_is_held_is_still_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
