/* test_status.c - every thread has its own error text, of any length; the log prints only if
 * requested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "rerun.h"

static void every_status_has_words(void **state)
{
    (void)state;
    for (int status = YOKE_OK; status <= YOKE_ETIMEDOUT; status++) {
        const char *text = yoke_status_text((yoke_status)status);
        assert_true(strlen(text) > 0);
        assert_string_not_equal(text, "unknown status");
        for (int other = YOKE_OK; other < status; other++) {
            assert_string_not_equal(text, yoke_status_text((yoke_status)other));
        }
    }
    assert_string_equal(yoke_status_text((yoke_status)(YOKE_ETIMEDOUT + 1)), "unknown status");
    assert_string_equal(yoke_status_text((yoke_status)-1), "unknown status");
}

static void failing_keeps_the_text(void **state)
{
    (void)state;
    assert_int_equal(yk_fail(YOKE_EIO, "%s is short; give %d", "file", 7), YOKE_EIO);
    assert_string_equal(yoke_error_text(), "file is short; give 7");
    assert_int_equal(yk_fail(YOKE_EINVAL, "b"), YOKE_EINVAL);
    assert_string_equal(yoke_error_text(), "b");
}

static char *long_word(size_t length)
{
    char *word = malloc(length + 1);
    memset(word, 'w', length);
    word[length] = '\0';
    return word;
}

/* Around the size of the fixed buffer, and far beyond. */
static void a_compiler_log_is_kept_whole(void **state)
{
    (void)state;
    static const size_t lengths[] = { 500, 507, 508, 509, 510, 511, 512, 513, 100000, 600, 3 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *word = long_word(lengths[i]);
        yk_fail(YOKE_EBUILD, "%s\n.", word);
        assert_int_equal(strlen(yoke_error_text()), lengths[i] + 2);
        assert_memory_equal(yoke_error_text(), word, lengths[i]);
        assert_string_equal(yoke_error_text() + lengths[i], "\n.");
        free(word);
    }
}

static void a_text_can_be_wrapped_into_the_next(void **state)
{
    (void)state;
    yk_fail(YOKE_EBUILD, "inner");
    yk_fail(YOKE_EDEVICE, "device 1: %s", yoke_error_text());
    assert_string_equal(yoke_error_text(), "device 1: inner");
    char *word = long_word(2000);
    yk_fail(YOKE_EBUILD, "%s", word);
    yk_fail(YOKE_EDEVICE, "device 2: %s", yoke_error_text());
    assert_int_equal(strlen(yoke_error_text()), 2010);
    assert_memory_equal(yoke_error_text(), "device 2: www", 13);
    free(word);
}

static void without_memory_the_beginning_is_kept(void **state)
{
    (void)state;
    char *word = long_word(2000);
    yk_fail(YOKE_EBUILD, "%s", word);
    word[0] = 'F';
    yk_alloc_fail_at(1);
    assert_int_equal(yk_fail(YOKE_EBUILD, "%s", word), YOKE_EBUILD);
    assert_int_equal(yk_alloc_failed(), 1);
    yk_alloc_fail_at(0);
    assert_int_equal(strlen(yoke_error_text()), 511);
    assert_memory_equal(yoke_error_text(), "Fwww", 4);
    free(word);
}

static void *fail_elsewhere(void *length)
{
    assert_string_equal(yoke_error_text(), "");
    char *word = long_word(*(size_t *)length);
    yk_fail(YOKE_EBUSY, "%s", word);
    int same = strcmp(yoke_error_text(), word) == 0;
    free(word);
    return same ? length : NULL;
}

/* LeakSanitizer and valgrind find a leak of a thread's long text. */
static void threads_do_not_share_texts(void **state)
{
    (void)state;
    yk_fail(YOKE_EIO, "mine");
    size_t lengths[] = { 10, 5000 };
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result = NULL;
        assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &lengths[i]), 0);
        pthread_join(thread, &result);
        assert_ptr_equal(result, &lengths[i]);
    }
    assert_string_equal(yoke_error_text(), "mine");
}

struct heard {
    int lines, inside, overlaps;
    yoke_log_level level;
    char line[2048];
};

static void listen(void *context, yoke_log_level level, const char *line)
{
    struct heard *heard = context;
    heard->overlaps += heard->inside++;
    heard->lines++;
    heard->level = level;
    snprintf(heard->line, sizeof heard->line, "%s", line);
    heard->inside--;
}

static void the_sink_gets_lines_up_to_its_level(void **state)
{
    (void)state;
    struct heard heard = { 0 };
    yoke_set_log(listen, &heard, YOKE_LOG_WARN);
    yk_log(YOKE_LOG_INFO, "not this");
    yk_fail(YOKE_EIO, "nor this");
    assert_int_equal(heard.lines, 0);
    yk_log(YOKE_LOG_WARN, "this %d", 1);
    assert_int_equal(heard.lines, 1);
    assert_int_equal(heard.level, YOKE_LOG_WARN);
    assert_string_equal(heard.line, "this 1");
    yk_log(YOKE_LOG_ERROR, "that");
    assert_string_equal(heard.line, "that");
    yoke_set_log(NULL, &heard, YOKE_LOG_DEBUG);
    yk_log(YOKE_LOG_ERROR, "unheard");
    assert_int_equal(heard.lines, 2);
}

static void odd_levels_are_the_nearest(void **state)
{
    (void)state;
    struct heard heard = { 0 };
    yoke_set_log(listen, &heard, (yoke_log_level)99);
    yk_log(YOKE_LOG_DEBUG, "all");
    assert_int_equal(heard.lines, 1);
    yoke_set_log(listen, &heard, (yoke_log_level)-7);
    yk_log(YOKE_LOG_ERROR, "none");
    assert_int_equal(heard.lines, 1);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
}

static void failures_are_logged_as_one_line(void **state)
{
    (void)state;
    struct heard heard = { 0 };
    yoke_set_log(listen, &heard, YOKE_LOG_DEBUG);
    yk_fail(YOKE_EBUILD, "kernel k: line 3\nmore");
    assert_int_equal(heard.lines, 1);
    assert_string_equal(heard.line, "kernel does not compile: kernel k: line 3");
    char *word = long_word(5000);
    yk_log(YOKE_LOG_DEBUG, "%s", word);
    assert_int_equal(strlen(heard.line), 1023);
    assert_string_equal(heard.line + 1020, "...");
    free(word);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
}

static void *log_often(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        yk_log(YOKE_LOG_INFO, "line %d", i);
    }
    return unused;
}

static void one_call_at_a_time_and_none_after_the_change(void **state)
{
    (void)state;
    struct heard heard = { 0 };
    struct heard later = { 0 };
    pthread_t threads[3];
    yoke_set_log(listen, &heard, YOKE_LOG_INFO);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, log_often, NULL), 0);
    }
    log_often(NULL);
    yoke_set_log(listen, &later, YOKE_LOG_INFO);
    int lines = heard.lines; /* no race: no other thread uses `heard` any more */
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    assert_int_equal(heard.lines, lines);
    assert_int_equal(heard.lines + later.lines, 4 * 2000);
    assert_int_equal(heard.overlaps + later.overlaps, 0);
}

static void the_environment_opens_the_log(void **state)
{
    (void)state;
    const struct {
        const char *variable, *output;
    } cases[] = {
        { NULL, "yoke: error: e\nyoke: warn: w\n" },
        { "YOKE_LOG=", "yoke: error: e\nyoke: warn: w\n" },
        { "YOKE_LOG=off", "" },
        { "YOKE_LOG=error", "yoke: error: e\n" },
        { "YOKE_LOG=info", "yoke: error: e\nyoke: warn: w\nyoke: info: i\n" },
        { "YOKE_LOG=debug", "yoke: error: e\nyoke: warn: w\nyoke: info: i\nyoke: debug: input or "
                            "output failed: f\n" },
        { "YOKE_LOG=loud",
          "yoke: warn: YOKE_LOG=loud is no level; give off, error, warn, info or debug\n"
          "yoke: error: e\nyoke: warn: w\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char output[512];
        assert_int_equal(rerun("log", cases[i].variable, output, sizeof output), 0);
        assert_string_equal(output, cases[i].output);
    }
}

static void the_program_overrides_the_environment(void **state)
{
    (void)state;
    char output[512];
    assert_int_equal(rerun("silence", "YOKE_LOG=debug", output, sizeof output), 0);
    assert_string_equal(output, "");
}

static int in_a_fresh_process(const char *word)
{
    if (strcmp(word, "silence") == 0) {
        yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    }
    yk_log(YOKE_LOG_ERROR, "e");
    yk_log(YOKE_LOG_WARN, "w");
    yk_log(YOKE_LOG_INFO, "i");
    yk_fail(YOKE_EIO, "f");
    return 0;
}

int main(int count, char **words)
{
    if (count > 1) {
        return in_a_fresh_process(words[1]);
    }
    unsetenv("YOKE_LOG");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_words),
        cmocka_unit_test(failing_keeps_the_text),
        cmocka_unit_test(a_compiler_log_is_kept_whole),
        cmocka_unit_test(a_text_can_be_wrapped_into_the_next),
        cmocka_unit_test(without_memory_the_beginning_is_kept),
        cmocka_unit_test(threads_do_not_share_texts),
        cmocka_unit_test(the_sink_gets_lines_up_to_its_level),
        cmocka_unit_test(odd_levels_are_the_nearest),
        cmocka_unit_test(failures_are_logged_as_one_line),
        cmocka_unit_test(one_call_at_a_time_and_none_after_the_change),
        cmocka_unit_test(the_environment_opens_the_log),
        cmocka_unit_test(the_program_overrides_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
