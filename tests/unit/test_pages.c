/* test_pages.c - host memory shared by arrays of several threads: pinned once, unpinned with the
 * last of them, and never during a copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "array/pages.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"
#include "platform/thread.h"

enum { PAGE = 4096, PAGES = 64, THREADS = 3, ROUNDS = 400 };

static _Alignas(PAGE) unsigned char memory[PAGES * PAGE];

static struct yk_device *open_device(const char *text)
{
    struct yk_device_list list = { 0 };
    struct yk_device *device;
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    assert_int_equal(yk_backend_sim.open(&list.items[0], &device), YOKE_OK);
    assert_int_equal(yk_backend_check(device, &device), YOKE_OK);
    yk_device_list_close(&list);
    return device;
}

struct user {
    struct yk_pinner *pinner;
    uint64_t seed;
};

static int draw(uint64_t *seed, int below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((*seed >> 33) % (uint64_t)below);
}

/* Walks the range as a copy of a part of the array does. */
static void walk(const struct user *user, struct yk_pin_range *range, char *host, int64_t bytes)
{
    while (bytes > 0) {
        struct yk_pages_question question = {
            .pinner = user->pinner, .range = range, .name = "x", .host = host, .bytes = bytes
        };
        struct yk_piece piece;
        assert_int_equal(yk_pages_ready(&question, &piece), YOKE_OK);
        assert_in_range(piece.bytes, 1, bytes);
        if (piece.fast)
            assert_int_equal(yk_sim_pinned(host, piece.bytes), SIM_PINNED);
        host += piece.bytes;
        bytes -= piece.bytes;
    }
}

/* Opens an array over some of the pages, does some copies, closes it. */
static void use(void *context)
{
    struct user *user = context;
    int round, copies;
    for (round = 0; round < ROUNDS; round++) {
        int first = draw(&user->seed, PAGES - 1);
        int count = 1 + draw(&user->seed, PAGES - first - 1);
        char *host = (char *)memory + first * PAGE;
        struct yk_pin_range range = { .pages = yk_pin_pages(host, count * PAGE), .is_array = 1 };
        for (copies = draw(&user->seed, 5); copies > 0; copies--) {
            int at = draw(&user->seed, count * PAGE);
            walk(user, &range, host + at, 1 + draw(&user->seed, count * PAGE - at));
        }
        yk_pages_leave(&range);
    }
}

static void many_arrays(void **state)
{
    struct yk_thread threads[THREADS];
    struct user users[THREADS];
    struct yk_device *devices[THREADS];
    int64_t outstanding;
    int t;
    (void)state;
    outstanding = yk_alloc_outstanding();
    for (t = 0; t < THREADS; t++) {
        devices[t] = open_device("sim:gpu:pin=yes");
        users[t].seed = (uint64_t)t;
        assert_int_equal(yk_pinner_open(devices[t], &users[t].pinner), YOKE_OK);
    }
    for (t = 0; t < THREADS; t++)
        assert_int_equal(yk_thread_open(
                             &(struct yk_thread_spec){
                                 .name = "user", .cpu = -1, .run = use, .context = &users[t] },
                             &threads[t]),
                         YOKE_OK);
    for (t = 0; t < THREADS; t++)
        yk_thread_join(&threads[t]);
    assert_int_equal(yk_sim.pinned_bytes, 0);
    for (t = 0; t < THREADS; t++)
        yk_pinner_close(users[t].pinner, devices[t]);
    assert_int_equal(yk_alloc_outstanding(), outstanding);
}

/* Devices open and close while arrays of others use the memory that they pinned. */
static void live_and_pin(void *context)
{
    struct user *user = context, own = { .seed = user->seed };
    int life;
    for (life = 0; life < 20; life++) {
        struct yk_device *device = open_device("sim:gpu:pin=yes");
        struct yk_pin_range range = { .pages = yk_pin_pages(memory, sizeof memory), .is_array = 1 };
        assert_int_equal(yk_pinner_open(device, &own.pinner), YOKE_OK);
        walk(&own, &range, (char *)memory, sizeof memory);
        yk_pages_leave(&range);
        yk_pinner_close(own.pinner, device);
    }
}

static void many_devices(void **state)
{
    struct yk_thread threads[THREADS];
    struct user users[THREADS];
    int64_t outstanding = yk_alloc_outstanding();
    int t;
    (void)state;
    for (t = 0; t < THREADS; t++) {
        users[t].seed = (uint64_t)t + 100;
        assert_int_equal(yk_thread_open(&(struct yk_thread_spec){ .name = "life",
                                                                  .cpu = -1,
                                                                  .run = live_and_pin,
                                                                  .context = &users[t] },
                                        &threads[t]),
                         YOKE_OK);
    }
    for (t = 0; t < THREADS; t++)
        yk_thread_join(&threads[t]);
    assert_int_equal(yk_sim.pinned_bytes, 0);
    assert_null(yk_sim.devices);
    assert_int_equal(yk_alloc_outstanding(), outstanding);
}

/* A forked child has the memory but not the driver's state. */
static void after_a_fork(void **state)
{
    struct yk_device *device = open_device("sim:gpu:pin=yes");
    struct user user;
    char *host = yk_pages_alloc(PAGES * PAGE);
    struct yk_pin_range range = { .pages = yk_pin_pages(host, PAGES * PAGE), .is_array = 1 };
    int64_t pinned;
    int how;
    (void)state;
    assert_int_equal(yk_pinner_open(device, &user.pinner), YOKE_OK);
    memset(host, 1, PAGES * PAGE);
    for (int pass = 0; pass < 64 && !yk_sim.pinned_bytes; pass++)
        walk(&user, &range, host, PAGES * PAGE);
    yk_pages_leave(&range);
    pinned = yk_sim.pinned_bytes;
    assert_true(pinned > 0);
    pid_t child = fork();
    if (child == 0) {
        yk_pages_free(host);
        _exit(yk_sim.pinned_bytes == pinned ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    yk_pages_free(host);
    assert_int_equal(yk_sim.pinned_bytes, 0);
    yk_pinner_close(user.pinner, device);
}

static void no_memory(void **state)
{
    (void)state;
    yk_alloc_fail_at(1);
    assert_null(yk_pages_alloc(1 << 20));
    yk_alloc_fail_at(2);
    assert_null(yk_pages_alloc(1 << 20));
    yk_alloc_fail_at(1);
    assert_null(yk_pages_alloc(100));
    yk_alloc_fail_at(0);
    assert_null(yk_pages_alloc(SIZE_MAX));
    assert_null(yk_pages_alloc(SIZE_MAX / 2 + 1));
    yk_pages_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_arrays),
        cmocka_unit_test(many_devices),
        cmocka_unit_test(after_a_fork),
        cmocka_unit_test(no_memory),
    };
    memset(memory, 1, sizeof memory);
    yk_pin_terms.unit = 2 * PAGE;
    yk_pin_terms.most = 8 * PAGE;
    yk_pin_terms.pin_ns = 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
