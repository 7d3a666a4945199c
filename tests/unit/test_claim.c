/* test_claim.c - of threads that want the same value one makes it, and the others get copies, with
 * or without the disk.
 *
 * A thread that is not woken would sleep for ever: the alarm ends the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/claim.h"
#include "base/alloc.h"
#include "platform/clock.h"

enum { CROWD = 8 };

static char folder[64];
static const struct yk_blob key = { "a key", 5 }, other_key = { "a key with more", 15 };
static const struct yk_blob value = { "the machine code of a kernel", 28 }, nothing = { NULL, 0 };

static int open_folder(void **state)
{
    (void)state;
    alarm(60);
    strcpy(folder, "/tmp/yoke-claim-XXXXXX");
    return mkdtemp(folder) ? setenv("YOKE_CACHE", folder, 1) : -1;
}

static int close_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(yk_claim_count(), 0);
    assert_int_equal(yk_alloc_outstanding(), 0);
    return system(command);
}

static void await_count(int count)
{
    while (yk_claim_count() != count)
        yk_clock_sleep_ns(100000);
}

/* A thread that wants the value of `key`. */
struct wanting {
    struct yk_thread thread;
    int all;    /* it makes the value when that many want it */
    int gives;  /* 0: it fails to make it */
    int makes;  /* 1: it had to make the value */
    int served; /* 1: it was given the value */
};

static void want(void *context)
{
    struct wanting *wanting = context;
    struct yk_claim claim = { .key = key };
    struct yk_blob found;
    wanting->served = yk_claim_begin(&claim, &found);
    wanting->makes = !wanting->served;
    if (wanting->served) {
        wanting->served = found.bytes != value.bytes && found.size == value.size &&
                          memcmp(found.bytes, value.bytes, value.size) == 0;
        yk_free((void *)found.bytes);
        return;
    }
    if (wanting->all)
        await_count(wanting->all);
    yk_claim_end(&claim, wanting->gives ? value : nothing);
}

static void begin(struct wanting *wanting)
{
    const struct yk_thread_spec spec = {
        .name = "wanting", .cpu = -1, .run = want, .context = wanting
    };
    assert_int_equal(yk_thread_open(&spec, &wanting->thread), YOKE_OK);
}

static void one_makes_it(void)
{
    struct wanting crowd[CROWD];
    int makers = 0;
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = (struct wanting){ .all = CROWD, .gives = 1 };
        begin(&crowd[i]);
    }
    for (int i = 0; i < CROWD; i++)
        yk_thread_join(&crowd[i].thread);
    for (int i = 0; i < CROWD; i++) {
        makers += crowd[i].makes;
        assert_int_equal(crowd[i].makes + crowd[i].served, 1);
    }
    assert_int_equal(makers, 1);
    assert_int_equal(yk_claim_count(), 0);
}

static void one_of_many_makes_it(void **state)
{
    static const char *const places[] = { NULL, "off", "/proc/self/nowhere" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        if (places[i])
            setenv("YOKE_CACHE", places[i], 1);
        one_makes_it();
    }
}

static void the_next_makes_what_one_could_not(void **state)
{
    struct wanting failing = { .all = 3 }, makers[2] = { { .gives = 1 }, { .gives = 1 } };
    (void)state;
    setenv("YOKE_CACHE", "off", 1);
    begin(&failing);
    await_count(1);
    for (int i = 0; i < 2; i++)
        begin(&makers[i]);
    yk_thread_join(&failing.thread);
    for (int i = 0; i < 2; i++)
        yk_thread_join(&makers[i].thread);
    assert_true(failing.makes);
    assert_int_equal(makers[0].makes + makers[1].makes, 1);
    assert_int_equal(makers[0].served + makers[1].served, 1);
}

/* No one is left asleep when all fail, one after the other. */
static void all_fail(void **state)
{
    struct wanting crowd[CROWD] = { 0 };
    (void)state;
    crowd[0].all = CROWD;
    for (int i = 0; i < CROWD; i++) {
        begin(&crowd[i]);
        if (i < CROWD - 1) /* when the last one waits, the first fails */
            await_count(i + 1);
    }
    for (int i = 0; i < CROWD; i++) {
        yk_thread_join(&crowd[i].thread);
        assert_true(crowd[i].makes);
    }
}

static void other_keys_do_not_wait(void **state)
{
    struct yk_claim claim = { .key = key }, other = { .key = other_key };
    struct wanting wanting = { 0 };
    struct yk_blob found;
    (void)state;
    assert_false(yk_claim_begin(&claim, &found));
    assert_false(yk_claim_begin(&other, &found));
    begin(&wanting);
    await_count(3);
    yk_claim_end(&other, value);
    assert_int_equal(yk_claim_count(), 2); /* the thread that wants the first key waits on */
    yk_claim_end(&claim, value);
    yk_thread_join(&wanting.thread);
    assert_true(wanting.served);
}

static void what_is_on_disk_is_not_made(void **state)
{
    struct yk_claim claim = { .key = key }, later = { .key = key };
    struct yk_blob found;
    (void)state;
    assert_false(yk_claim_begin(&claim, &found));
    yk_claim_end(&claim, value);
    assert_true(yk_claim_begin(&later, &found));
    assert_int_equal(yk_claim_count(), 0);
    assert_int_equal(found.size, value.size);
    assert_memory_equal(found.bytes, value.bytes, value.size);
    yk_free((void *)found.bytes);
}

/* An entry that its reader cannot remove from the disk. */
static void useless_values_come_once(void **state)
{
    struct yk_claim claim = { .key = key };
    struct yk_blob found;
    (void)state;
    yk_cache_store(key, (struct yk_blob){ "useless", 7 });
    assert_true(yk_claim_begin(&claim, &found));
    yk_free((void *)found.bytes);
    assert_false(yk_claim_begin(&claim, &found));
    yk_claim_end(&claim, value);
    claim = (struct yk_claim){ .key = key };
    assert_true(yk_claim_begin(&claim, &found));
    assert_int_equal(found.size, value.size);
    yk_free((void *)found.bytes);
}

/* A thread that gets no copy makes the value, and those behind it wait for that. */
static void without_memory(void **state)
{
    struct yk_claim claim = { .key = key };
    struct wanting second = { .gives = 1 }, third = { .gives = 1 };
    struct yk_blob found;
    (void)state;
    setenv("YOKE_CACHE", "off", 1);
    assert_false(yk_claim_begin(&claim, &found));
    begin(&second);
    await_count(2);
    begin(&third);
    await_count(3);
    yk_alloc_fail_at(1);
    yk_claim_end(&claim, value);
    yk_thread_join(&second.thread);
    yk_thread_join(&third.thread);
    assert_true(yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_true(second.makes && third.served);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
    const struct CMUnitTest tests[] = {
        CASE(one_of_many_makes_it),
        CASE(the_next_makes_what_one_could_not),
        CASE(all_fail),
        CASE(other_keys_do_not_wait),
        CASE(what_is_on_disk_is_not_made),
        CASE(useless_values_come_once),
        CASE(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
