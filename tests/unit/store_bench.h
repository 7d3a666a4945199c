/* store_bench.h - a knowledge base in a separate folder for each test, with the log lines about it;
 * for the tests of unusable files. Each test runs with open_all and close_all. */
#ifndef STORE_BENCH_H
#define STORE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/alloc.h"
#include "lessons.h"

static struct place place;
static int lines;       /* number of log lines about the knowledge base, */
static char line[1024]; /* and the last one */

static inline void note(void *context, yoke_log_level level, const char *text)
{
    (void)context;
    (void)level;
    if (!strstr(text, "knowledge base: "))
        return;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

static inline int open_all(void **state)
{
    (void)state;
    open_place(&place);
    lines = 0;
    yoke_set_log(note, NULL, YOKE_LOG_INFO);
    return 0;
}

static inline int close_all(void **state)
{
    (void)state;
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    chmod(place.folder, 0700);
    close_place(&place);
    return yk_alloc_outstanding() != 0;
}

static inline long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

/* Writes `count` lessons and closes the file. */
static inline void fill(unsigned count)
{
    struct yk_store *store = open_store(&place);
    for (unsigned i = 0; i < count; i++) {
        struct yk_lesson lesson = lesson_of(i, i);
        assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    }
    yk_store_close(store);
}

static inline int is_lesson(void *context, const struct yk_store_key *key,
                            const struct yk_lesson *lesson)
{
    (void)key;
    assert_made_up(lesson);
    return ++*(int *)context;
}

/* Returns the number of lessons read, checks that each is as written, and that the store works
 * afterwards. */
static inline int use(struct yk_store *store)
{
    struct yk_lesson lesson = lesson_of(7777, 7777), found;
    int count = 0;
    yk_store_each(store, &(struct yk_store_filter){ 0 }, is_lesson, &count);
    for (unsigned i = 0; i < 100; i++) {
        struct yk_sizes sizes = lesson_of(i, i).sizes;
        if (yk_store_find(store, &saxpy, &sizes, &found))
            assert_made_up(&found);
    }
    assert_int_equal(yk_store_put(store, &saxpy, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_find(store, &saxpy, &lesson.sizes, &found), 1);
    assert_works(store);
    return count;
}

#endif
