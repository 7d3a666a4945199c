/* test_store_none.c - yoke built without SQLite: nothing is kept, explicit requests get an error
 * that says so, and nothing else changes. This program links store_none.c instead of the knowledge
 * base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "knowledge/store.h"

static const char path[] = "/tmp/yoke-no-such-knowledge.db";

struct heard {
    int lines;
    char last[512];
};

static void hear(void *context, yoke_log_level level, const char *line)
{
    struct heard *heard = context;
    (void)level;
    heard->lines++;
    snprintf(heard->last, sizeof heard->last, "%s", line);
}

static void assert_says_cure(const char *text)
{
    assert_non_null(strstr(text, "built without SQLite"));
    assert_non_null(strstr(text, "-DYOKE_SQLITE=ON"));
}

static void a_base_cannot_be_opened(void **state)
{
    yoke_knowledge *knowledge = NULL;
    char *story = NULL;
    (void)state;
    assert_int_equal(yoke_knowledge_open(path, &knowledge), YOKE_EIO);
    assert_says_cure(yoke_error_text());
    assert_int_equal(yoke_knowledge_open(NULL, &knowledge), YOKE_EIO);
    assert_says_cure(yoke_error_text());
    assert_null(knowledge);
    assert_int_equal(yoke_story_open(NULL, 0, &story), YOKE_EIO);
    assert_says_cure(yoke_error_text());
    assert_null(story);
}

static void open_and_close(const char *knowledge)
{
    const yoke_config config = { .devices = "sim:cpu,sim:gpu", .knowledge = knowledge };
    yoke_runtime *runtime;
    assert_int_equal(yoke_open(&config, &runtime), YOKE_OK);
    assert_int_equal(yoke_ready(runtime), YOKE_OK);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
}

static void runtimes_open_and_tell_who_named_a_file(void **state)
{
    struct heard heard = { 0 };
    (void)state;
    yoke_set_log(hear, &heard, YOKE_LOG_WARN);
    open_and_close("off");
    open_and_close(NULL);
    assert_int_equal(heard.lines, 0);
    open_and_close(path);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    assert_int_equal(heard.lines, 1);
    assert_non_null(strstr(heard.last, path));
    assert_says_cure(heard.last);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void wrong_settings_are_mistakes_here_too(void **state)
{
    const struct yk_store_spec small = { .limit_bytes = 1 };
    struct yk_store *store = NULL;
    (void)state;
    assert_int_equal(yk_store_open(&small, &store), YOKE_EINVAL);
    setenv("YOKE_KB_DERIVE", "guess", 1);
    assert_int_equal(yk_store_open(NULL, &store), YOKE_EINVAL);
    assert_int_equal(yk_store_check(NULL), YOKE_EINVAL);
    unsetenv("YOKE_KB_DERIVE");
}

static int never(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    (void)context, (void)key, (void)lesson;
    fail();
    return 0;
}

static void nothing_is_known_or_kept(void **state)
{
    const struct yk_store_key key = { .machine = 1, .subject = 2, .name = "k" };
    const struct yk_sizes sizes = { .count = 1, .at = { 100 } };
    struct yk_store *store;
    struct yk_lesson lesson = { .sizes = sizes };
    struct yk_lesson_list near = { .at = &lesson, .capacity = 1, .count = 7 };
    const struct yk_store_entry entry = { key, &lesson };
    int64_t count = 7;
    (void)state;
    assert_int_equal(yk_store_open(NULL, &store), YOKE_OK);
    yk_store_warm(store);
    assert_int_equal(yk_store_put(store, &key, &lesson, 1), YOKE_OK);
    assert_int_equal(yk_store_put_all(store, &entry, 1), YOKE_OK);
    assert_int_equal(yk_store_put_run(store, "text"), YOKE_OK);
    assert_int_equal(yk_store_find(store, &key, &sizes, &lesson), 0);
    assert_int_equal(yk_store_derive(store, &key, &sizes, &lesson), 0);
    yk_store_near(store, &key, &sizes, &near);
    assert_int_equal(near.count, 0);
    assert_int_equal(yk_store_each(store, NULL, never, NULL), YOKE_OK);
    assert_int_equal(yk_store_forget(store, NULL, &count), YOKE_OK);
    assert_int_equal(count, 0);
    assert_null(yk_store_run(store, 0));
    assert_string_equal(yk_store_path(store), "");
    assert_int_equal(yk_store_bytes(store), 0);
    yk_store_close(store);
}

int main(void)
{
    unsetenv("YOKE_KB"); /* removes the setting of the test environment */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_base_cannot_be_opened),
        cmocka_unit_test(runtimes_open_and_tell_who_named_a_file),
        cmocka_unit_test(wrong_settings_are_mistakes_here_too),
        cmocka_unit_test(nothing_is_known_or_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
