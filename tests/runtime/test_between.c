/* test_between.c - rows that go directly between devices: the time with slow host links, the bytes
 * moved, and what remains if devices die or calls fail meanwhile.
 *
 * Simulated GPUs, so times are exact. They are behind the checking wrapper: a copy that was not
 * ordered after its source ends the test, and a copy that reads too early computes wrong results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/broadcast.h"
#include "job_kernels.h"
#include "ok.h"
#include "runtime/device.h"
#include "walk.h"

enum { LARGE = 1 << 20, SOME = LARGE / 4, SMALL = 3000 };
static const double host_link = 1e9, peer_link = 50e9;
static pair_t ps[LARGE], qs[LARGE];

static void fill(int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        ps[i] = (pair_t){ .key = (int32_t)(3 * i), .weight = (float)(i % 1000) };
        qs[i] = (pair_t){ .key = -1, .weight = -1 };
    }
}

/* Checks qs after one step, or ps after two. */
static void check(int64_t n, int steps)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        int64_t j = n - 1 - i;
        int32_t key = steps == 1 ? (int32_t)(3 * j + i) : (int32_t)(3 * i + j + i);
        float weight = steps == 1 ? 2 * (float)(j % 1000) : 4 * (float)(i % 1000);
        const pair_t *got = steps == 1 ? &qs[i] : &ps[i];
        if (got->key != key || got->weight != weight)
            fail_msg("row %d after %d steps: %d %g, not %d %g", (int)i, steps, got->key,
                     got->weight, key, weight);
    }
}

struct world {
    yoke_runtime *rt;
    yoke_array *p, *q;
    int64_t n;
    yoke_traffic moved; /* by the latest step */
    double seconds;
};

static yoke_status open_world(struct world *w, const char *devices, int64_t n)
{
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &w->rt);
    w->n = n;
    w->p = w->q = NULL;
    if (status != YOKE_OK)
        return status;
    fill(n);
    status = yoke_array_wrap(w->rt, ps, n, sizeof *ps, &w->p);
    if (status == YOKE_OK)
        status = yoke_array_wrap(w->rt, qs, n, sizeof *qs, &w->q);
    return status;
}

static void close_world(struct world *w)
{
    if (!w->rt)
        return;
    yoke_array_close(w->p);
    yoke_array_close(w->q);
    assert_int_equal(yoke_close(w->rt), YOKE_OK);
}

enum home { STAYS, COMES_HOME };

/* Reads all of `from` on every device, writes rows of `to`. */
static yoke_status step(struct world *w, int forth, const char *partitioner, enum home home)
{
    yoke_array *from = forth ? w->p : w->q, *to = forth ? w->q : w->p;
    yoke_job job = { .kernel = &k_gather,
                     .range = { 0, w->n },
                     .partitioner = partitioner,
                     .args = { yoke_value(w->n), yoke_in_whole(from), yoke_out(to) } };
    yoke_result *result = NULL;
    yoke_status status;
    job.args[2].home = home == COMES_HOME ? YOKE_HOME_NOW : YOKE_HOME_LATER;
    status = yoke_run(w->rt, &job, &result);
    if (status == YOKE_OK) {
        w->moved = result->traffic;
        w->seconds = result->seconds;
    }
    yoke_result_close(result);
    return status;
}

static void machine(char text[160], const char *gpus, double peer)
{
    snprintf(text, 160, "sim:%s:rate=1e15:fixed=0:latency=0:link=%g:peer=%g", gpus, host_link,
             peer);
}

static void assert_near(double got, double least, double most)
{
    if (!(got >= least && got <= most))
        fail_msg("%g is not between %g and %g", got, least, most);
}

/* Each of n devices gets 1 / n of the array over its host link, and the rest from the others at the
 * same time. Afterwards each has written a part, and all get it from each other. */
static void each_row_leaves_the_host_once(void **state)
{
    const double bytes = LARGE * sizeof *ps;
    int n;
    (void)state;
    yk_broadcast_least_bytes = 1 << 15; /* four pieces each */
    for (n = 1; n <= 4; n++) {
        struct world w;
        char gpus[16], devices[160];
        double piece = n > 1 ? bytes / (4 * n) : 0;
        snprintf(gpus, sizeof gpus, "gpu*%d", n);
        machine(devices, gpus, peer_link);
        OK(open_world(&w, devices, LARGE));
        OK(step(&w, 1, "even", STAYS));
        assert_int_equal(w.moved.to_devices, LARGE * sizeof *ps);
        assert_int_equal(w.moved.between_devices, (n - 1) * LARGE * (int64_t)sizeof *ps);
        assert_int_equal(w.moved.from_devices, 0);
        /* after the last piece from the host only its copies to the others remain */
        assert_near(w.seconds, 0.9999 * bytes / n / host_link,
                    1.0001 * (bytes / n + piece) / host_link + n * piece / peer_link);
        OK(step(&w, 0, "even", STAYS));
        assert_int_equal(w.moved.to_devices, 0);
        assert_int_equal(w.moved.between_devices, (n - 1) * LARGE * (int64_t)sizeof *ps);
        assert_int_equal(w.moved.from_devices, 0);
        assert_near(w.seconds, 0.99 * bytes * (n - 1) / n / peer_link,
                    1.01 * bytes * (n - 1) / n / peer_link + 1e-6);
        assert_int_equal(yoke_array_traffic(w.p).between_devices,
                         (n - 1) * LARGE * (int64_t)sizeof *ps);
        OK(yoke_array_acquire(w.p, YOKE_READ));
        OK(yoke_array_acquire(w.q, YOKE_READ));
        check(LARGE, 1);
        check(LARGE, 2);
        close_world(&w);
    }
    yk_broadcast_least_bytes = 1 << 20;
}

/* Every chunk needs all rows. */
static yoke_rows all_rows(const void *context, yoke_rows items)
{
    (void)items;
    return (yoke_rows){ 0, *(const int64_t *)context };
}

/* Device 0 of four:   host link   | its part of b | rows of a and c |
 *                     from others                 | their parts     | kernel
 * Its own rows are requested before b; without priorities they would be copied first. */
static void what_others_wait_for_goes_first(void **state)
{
    enum { ROWS = 1 << 18, WHOLE = 2 * ROWS };
    static int32_t as[ROWS], bs[WHOLE], cs[ROWS];
    const double quarter = 4.0 * WHOLE / 4 / host_link; /* s; the same for a and c */
    const tile_t tile = { .last = 1, .inner = 1, .width = 1 };
    yoke_array *a, *b, *c;
    yoke_result *result;
    yoke_runtime *rt;
    char devices[160];
    int64_t i;
    (void)state;
    for (i = 0; i < ROWS; i++)
        as[i] = (int32_t)i, cs[i] = 5;
    for (i = 0; i < WHOLE; i++)
        bs[i] = 3;
    machine(devices, "gpu*4", 3 * host_link);
    OK(yoke_open(&(yoke_config){ .devices = devices }, &rt));
    OK(yoke_array_wrap(rt, as, ROWS, sizeof *as, &a));
    OK(yoke_array_wrap(rt, bs, WHOLE, sizeof *bs, &b));
    OK(yoke_array_wrap(rt, cs, ROWS, sizeof *cs, &c));
    {
        const yoke_job job = { .kernel = &k_tile,
                               .range = { 0, ROWS },
                               .partitioner = "even",
                               .args = { yoke_value(tile), yoke_in(a), yoke_in_whole(b),
                                         yoke_inout(c) } };
        OK(yoke_run(rt, &job, &result));
    }
    assert_near(result->seconds, 1.99 * quarter, 2.01 * quarter);
    yoke_result_close(result);
    OK(yoke_array_acquire(c, YOKE_READ));
    for (i = 0; i < ROWS; i++)
        assert_int_equal(cs[i], 5 + 3 * i);
    OK(yoke_array_close(a));
    OK(yoke_array_close(b));
    OK(yoke_array_close(c));
    OK(yoke_close(rt));
}

/* A callback may say that every chunk needs the same rows, as for walks of a tree. */
static void asked_for_by_all(void **state)
{
    struct world w;
    char devices[160];
    yoke_result *result;
    (void)state;
    yk_broadcast_least_bytes = 1 << 17;
    machine(devices, "gpu*2", peer_link);
    OK(open_world(&w, devices, LARGE));
    {
        const yoke_job job = { .kernel = &k_gather,
                               .range = { 0, w.n },
                               .partitioner = "even",
                               .args = { yoke_value(w.n), yoke_in_custom(w.p, all_rows, &w.n),
                                         yoke_out(w.q) } };
        OK(yoke_run(w.rt, &job, &result));
    }
    assert_int_equal(result->traffic.to_devices, LARGE * sizeof *ps);
    assert_int_equal(result->traffic.between_devices, LARGE * sizeof *ps);
    yoke_result_close(result);
    OK(yoke_array_acquire(w.q, YOKE_READ));
    check(LARGE, 1);
    OK(yoke_array_release(w.q));
    close_world(&w);
}

static void without_links_all_goes_by_the_host(void **state)
{
    const int64_t bytes = LARGE * sizeof *ps;
    struct world w;
    char devices[160];
    (void)state;
    machine(devices, "gpu*4", 0);
    OK(open_world(&w, devices, LARGE));
    OK(step(&w, 1, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 4 * bytes);
    assert_int_equal(w.moved.between_devices, 0);
    assert_near(w.seconds, (double)bytes / host_link, 1.001 * (double)bytes / host_link);
    OK(step(&w, 0, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 3 * bytes);
    assert_int_equal(w.moved.between_devices, 0);
    OK(yoke_array_acquire(w.p, YOKE_READ));
    check(LARGE, 2);
    close_world(&w);
}

/* Links slower than the host's are used only for rows that the host does not have. */
static void slow_links_bring_what_the_host_lacks(void **state)
{
    const int64_t bytes = LARGE * sizeof *ps;
    struct world w;
    char devices[160];
    (void)state;
    machine(devices, "gpu*2", 0.8 * host_link);
    OK(open_world(&w, devices, LARGE));
    OK(step(&w, 1, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 2 * bytes);
    assert_int_equal(w.moved.between_devices, 0);
    OK(step(&w, 0, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 0);
    assert_int_equal(w.moved.from_devices, 0);
    assert_int_equal(w.moved.between_devices, bytes);
    OK(yoke_array_acquire(w.p, YOKE_READ));
    check(LARGE, 2);
    close_world(&w);
}

/* Devices without chunks lend their links, and hold half of the rows; a device that starts later
 * takes all rows from whichever has them. */
static void who_wants_nothing_lends_its_link(void **state)
{
    const int64_t bytes = LARGE * sizeof *ps;
    struct world w;
    char devices[160];
    (void)state;
    machine(devices, "gpu*2", peer_link);
    OK(open_world(&w, devices, LARGE));
    OK(step(&w, 1, "static:shares=1/0", STAYS));
    assert_int_equal(w.moved.to_devices, bytes);
    assert_int_equal(w.moved.between_devices, bytes / 2);
    assert_near(w.seconds, 0.5 * (double)bytes / host_link, 0.54 * (double)bytes / host_link);
    OK(step(&w, 1, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 0);
    assert_int_equal(w.moved.between_devices, bytes / 2);
    OK(yoke_array_acquire(w.q, YOKE_READ));
    check(LARGE, 1);
    close_world(&w);
}

/* One of three has no link to the others. */
static void some_have_no_link(void **state)
{
    struct world w;
    char devices[400], linked[160], alone[160];
    (void)state;
    machine(linked, "gpu*2", peer_link);
    machine(alone, "gpualone", 0);
    snprintf(devices, sizeof devices, "%s,%s", linked, alone);
    OK(open_world(&w, devices, LARGE));
    OK(step(&w, 1, "even", STAYS));
    assert_int_equal(w.moved.to_devices, 2 * LARGE * sizeof *ps);
    assert_int_equal(w.moved.between_devices, LARGE * sizeof *ps);
    OK(step(&w, 0, "even", STAYS));
    OK(yoke_array_acquire(w.p, YOKE_READ));
    check(LARGE, 2);
    close_world(&w);
}

/* One of them cannot build the kernel: the others do not wait for it. */
static void one_never_comes(void **state)
{
    struct world w;
    char devices[400], linked[160], broken[160];
    (void)state;
    machine(linked, "gpu*2", peer_link);
    machine(broken, "gpubroken", peer_link);
    snprintf(devices, sizeof devices, "%s:build=fails,%s", broken, linked);
    OK(open_world(&w, devices, LARGE));
    OK(step(&w, 1, "even", STAYS));
    OK(yoke_array_acquire(w.q, YOKE_READ));
    check(LARGE, 1);
    close_world(&w);
}

/* At ever later moments one of three dies, while rows go to it, from it and through it. Results of
 * the first step are on the host, so nothing is lost; of the second step some may be, and then it
 * is reported. */
static void one_dies(void **state)
{
    int moment, lost = 0, right = 0;
    (void)state;
    for (moment = 1; moment <= 40; moment++) {
        struct world w;
        char devices[400], linked[160], dying[160];
        yoke_status status;
        alarm(60);
        machine(linked, "gpu*2", peer_link);
        machine(dying, "gpudying", peer_link);
        snprintf(devices, sizeof devices, "%s:fail=%g,%s", dying, moment * 0.15e-3 * SOME / LARGE,
                 linked);
        OK(open_world(&w, devices, SOME));
        OK(step(&w, 1, "even", COMES_HOME));
        OK(yoke_array_acquire(w.q, YOKE_READ));
        check(SOME, 1);
        status = step(&w, 0, "even", STAYS);
        if (status == YOKE_OK)
            status = step(&w, 1, "even", STAYS);
        if (status == YOKE_OK)
            status = yoke_array_acquire(w.p, YOKE_READ);
        if (status != YOKE_OK && status != YOKE_ELOST)
            fail_msg("death at moment %d: %s", moment, yoke_error_text());
        if (status == YOKE_OK)
            check(SOME, 2);
        lost += status == YOKE_ELOST;
        right += status == YOKE_OK;
        close_world(&w);
    }
    print_message("40 deaths: %d times right, %d times rows lost\n", right, lost);
    assert_true(right > 20);
}

/* Its memory holds one of two arrays: they are evicted in turn, also while other devices read them.
 */
static void little_memory(void **state)
{
    struct world w;
    int round;
    (void)state;
    yk_broadcast_least_bytes = 1024;
    OK(open_world(&w, "sim:gpu*3:mem=50000:peer=1e12,sim:gpusmall:mem=30000:peer=1e12", SMALL));
    for (round = 0; round < 4; round++) {
        OK(step(&w, 1, "dynamic:chunk=200", STAYS));
        OK(yoke_array_acquire(w.q, YOKE_READ));
        check(SMALL, 1);
        OK(yoke_array_acquire(w.p, YOKE_READ_WRITE));
        OK(yoke_array_release(w.p));
    }
    close_world(&w);
    yk_broadcast_least_bytes = 1 << 20;
}

static yoke_status program(const char *devices)
{
    struct world w = { 0 };
    yoke_status status = open_world(&w, devices, SMALL);
    int round;
    for (round = 0; round < 2 && status == YOKE_OK; round++) {
        status = step(&w, 1, "dynamic:chunk=400", STAYS);
        if (status == YOKE_OK)
            status = step(&w, 0, "even", STAYS);
        if (status == YOKE_OK)
            status = yoke_array_acquire(w.p, YOKE_READ_WRITE);
        if (status == YOKE_OK)
            status = yoke_array_acquire(w.q, YOKE_READ);
        if (status != YOKE_OK)
            break;
        check(SMALL, 1);
        check(SMALL, 2);
        fill(SMALL);
        yoke_array_release(w.q);
        yoke_array_release(w.p);
    }
    close_world(&w);
    return status;
}

static const char *const machines[] = {
    "sim:gpu*3:peer=1e12",
    "sim:cpu:cores=2,sim:gpu*2:peer=1e12:pages=256",
    "sim:gpu*2:peer=1e12:staging=yes,sim:gpusmall:mem=30000:peer=1e12",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void whatever_fails(void **state)
{
    int m;
    (void)state;
    yk_broadcast_least_bytes = 1024;
    for (m = 0; m < MACHINES; m++) {
        int64_t calls, well;
        OK(program(machines[m]));
        assert_true(walk_allocations(program, machines[m],
                                     1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE |
                                         1u << YOKE_ELOST) > 50);
        calls = walk_calls(program, machines[m], YOKE_EDEVICE, &well);
        assert_true(well > calls / 12);
        calls = walk_calls(program, machines[m], YOKE_ENOMEM, &well);
        assert_true(well > calls / 12);
    }
    yk_broadcast_least_bytes = 1 << 20;
}

/* The devices of the command line, with real threads, in any order of arrival. */
static const char *named;
static void many_rounds(void **state)
{
    int round;
    (void)state;
    yk_broadcast_least_bytes = 1024;
    for (round = 0; round < 30; round++)
        OK(program(named));
}

int main(int count, char **words)
{
    const struct CMUnitTest on_named[] = { cmocka_unit_test(many_rounds) };

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_leaves_the_host_once),
        cmocka_unit_test(what_others_wait_for_goes_first),
        cmocka_unit_test(asked_for_by_all),
        cmocka_unit_test(without_links_all_goes_by_the_host),
        cmocka_unit_test(slow_links_bring_what_the_host_lacks),
        cmocka_unit_test(who_wants_nothing_lends_its_link),
        cmocka_unit_test(some_have_no_link),
        cmocka_unit_test(one_never_comes),
        cmocka_unit_test(one_dies),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(whatever_fails),
    };
    yk_check_devices = 1;
    if (count > 1) {
        named = words[1];
        return cmocka_run_group_tests(on_named, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
