/* test_store_crowd.c - one file, many processes and threads; processes killed at any moment. No row
 * is lost or incomplete, and the file stays valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "lessons.h"
#include "platform/clock.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { KILLS = 100 }; /* a process takes long to start there */
#else
enum { KILLS = 1000 };
#endif
enum { PROCESSES = 16, ROUNDS = 25, AT_ONCE = 4 };

static struct place place;

static int open_all(void **state)
{
    (void)state;
    open_place(&place);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    close_place(&place);
    return 0;
}

/* Retries while others write. */
static int put_until_kept(struct yk_store *store, const struct yk_lesson *lessons, int count)
{
    yoke_status status = YOKE_EBUSY;
    for (int tries = 0; tries < 200 && status == YOKE_EBUSY; tries++) {
        status = yk_store_put(store, &saxpy, lessons, count);
        if (status == YOKE_EBUSY)
            yk_clock_sleep_ns(20000000);
    }
    return status == YOKE_OK;
}

/* One lesson that all confirm, and a new one in each round. */
static int take_part(unsigned process)
{
    struct yk_store_spec spec = { .path = place.path };
    struct yk_store *store = NULL;
    int good = yk_store_open(&spec, &store) == YOKE_OK;
    for (unsigned round = 0; good && round < ROUNDS; round++) {
        unsigned number = 1000 * (1 + process) + round;
        struct yk_lesson lessons[2] = { lesson_of(0, 0), lesson_of(number, number) }, found;
        good = put_until_kept(store, lessons, 2);
        if (yk_store_find(store, &saxpy, &lessons[1].sizes, &found))
            good &= found.ns == lessons[1].ns;
    }
    yk_store_close(store);
    return good;
}

static void assert_all_there(void)
{
    struct yk_store *store = open_store(&place);
    struct yk_lesson lesson = lesson_of(0, 0), found;
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_int_equal(found.confirmed, PROCESSES * ROUNDS);
    for (unsigned process = 0; process < PROCESSES; process++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned number = 1000 * (1 + process) + round;
            lesson = lesson_of(number, number);
            assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
            assert_same_lesson(&found, &lesson);
        }
    yk_store_close(store);
    assert_whole(&place);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt", 0), 0);
}

static void test_processes(void **state)
{
    (void)state;
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(take_part(i) ? 0 : 1);
    }
    int failed = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        waitpid(children[i], &status, 0);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    assert_all_there();
}

struct part {
    pthread_t thread;
    struct yk_store *store;
    unsigned number;
    int good;
};

static void *share_store(void *context)
{
    struct part *part = context;
    part->good = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned number = 1000 * (1 + part->number) + round;
        struct yk_lesson lessons[2] = { lesson_of(0, 0), lesson_of(number, number) }, found;
        part->good &= put_until_kept(part->store, lessons, 2);
        part->good &= yk_store_find(part->store, &saxpy, &lessons[1].sizes, &found);
        part->good &= found.ns == lessons[1].ns;
    }
    return NULL;
}

/* Some threads with their own store, some with a shared one. */
static void test_threads(void **state)
{
    (void)state;
    struct part parts[PROCESSES];
    struct yk_store *stores[2] = { open_store(&place), open_store(&place) };
    for (unsigned i = 0; i < PROCESSES; i++) {
        parts[i] = (struct part){ .store = stores[i % 2], .number = i };
        assert_int_equal(pthread_create(&parts[i].thread, NULL, share_store, &parts[i]), 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        pthread_join(parts[i].thread, NULL);
        assert_int_equal(parts[i].good, 1);
    }
    yk_store_close(stores[0]);
    yk_store_close(stores[1]);
    assert_all_there();
}

/* Until it is killed: opens, puts pairs, forgets some, and begins again. */
static void live_dangerously(unsigned number)
{
    struct yk_store_spec spec = { .path = place.path };
    for (unsigned i = 2 * number;; i += 2 * KILLS) {
        struct yk_store *store = NULL;
        yk_store_open(&spec, &store);
        for (unsigned round = 0; round < 8; round++) {
            unsigned pair = (i + 2 * KILLS * round) % (1 << 20);
            struct yk_lesson lessons[2] = { lesson_of(pair, pair), lesson_of(pair + 1, pair + 1) };
            lessons[1].seen = lessons[0].seen = 5000 + pair;
            yk_store_put(store, &saxpy, lessons, 2);
        }
        int64_t forgotten;
        yk_store_put_run(store, "{}");
        yk_store_forget(store, &(struct yk_store_filter){ .seen_before = 5000 + i % 4096 },
                        &forgotten);
        yk_store_close(store);
    }
}

static int in_pairs(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    unsigned number = (unsigned)lesson->sizes.at[0];
    struct yk_lesson same = lesson_of(number, number);
    same.seen = 5000 + number / 2 * 2;
    same.confirmed = lesson->confirmed;
    assert_same_lesson(lesson, &same);
    assert_string_equal(key->machine_text, saxpy.machine_text);
    int *sums = context; /* of evens, of odds */
    sums[number % 2]++;
    return 1;
}

/* Called also right after a process was killed, while others run. */
static void assert_nothing_half(void)
{
    struct yk_store *store = open_store(&place);
    int sums[2] = { 0, 0 };
    assert_works(store);
    assert_int_equal(yk_store_each(store, &(struct yk_store_filter){ 0 }, in_pairs, sums), YOKE_OK);
    assert_int_equal(sums[0], sums[1]);
    yk_store_close(store);
    assert_int_equal(files_of(&place, "knowledge.db.corrupt", 0), 0);
}

static void kill_one(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) /* cmocka must not be left with running children */
        fail_msg("it ended by itself: %d", status);
}

/* A few processes run at any time; the oldest is killed after a moment. From time to time all are
 * killed, and a new file is begun. */
static void test_killed(void **state)
{
    (void)state;
    pid_t children[AT_ONCE] = { 0 };
    unsigned random = 1;
    for (unsigned i = 0; i < KILLS; i++) {
        pid_t *child = &children[i % AT_ONCE];
        if (*child)
            kill_one(*child);
        if (i % 100 == 0) {
            for (int c = 0; c < AT_ONCE; c++)
                if (children[c] && &children[c] != child) {
                    kill_one(children[c]);
                    children[c] = 0;
                }
            assert_nothing_half();
            assert_whole(&place);
            files_of(&place, "", 1);
        }
        *child = fork();
        if (*child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* so that a failing test leaves none running */
            live_dangerously(i);
        }
        random = random * 1664525 + 1013904223;
        yk_clock_sleep_ns((int64_t)(random >> 12) * 5); /* up to 5 ms */
        if (i % 10 == 9)
            assert_nothing_half();
    }
    for (int c = 0; c < AT_ONCE; c++)
        kill_one(children[c]);
    assert_nothing_half();
    assert_whole(&place);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(test_processes),
        TEST(test_threads),
        TEST(test_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
