/* test_alloc.c - allocations are counted, fail where a test requests it, and report the failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

/* Read by the sanitizers' allocators: return NULL for sizes that are too large, like the C library.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static int64_t held; /* outstanding blocks before the test */

static int note(void **state)
{
    (void)state;
    yk_alloc_fail_at(0);
    held = yk_alloc_outstanding();
    return 0;
}

static int nothing_left(void **state)
{
    (void)state;
    yk_alloc_fail_at(0);
    return yk_alloc_outstanding() != held;
}

static void memory_is_zeroed_and_counted(void **state)
{
    (void)state;
    unsigned char *block = yk_calloc(100, 3);
    assert_non_null(block);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(block[i], 0);
    }
    assert_int_equal(yk_alloc_outstanding(), held + 1);
    yk_free(block);
    yk_free(NULL);
    assert_int_equal(yk_alloc_outstanding(), held);
}

static void nothing_is_a_block_too(void **state)
{
    (void)state;
    void *a = yk_calloc(0, 8);
    void *b = yk_calloc(8, 0);
    void *c = yk_alloc_aligned(0, 0);
    void *d = yk_realloc(NULL, 0, 4);
    assert_true(a && b && c && d);
    d = yk_realloc(d, 0, 0);
    assert_non_null(d);
    assert_int_equal(yk_alloc_outstanding(), held + 4);
    yk_free(a);
    yk_free(b);
    yk_free(c);
    yk_free(d);
}

static void growing_keeps_contents(void **state)
{
    (void)state;
    int *numbers = yk_realloc(NULL, 4, sizeof *numbers);
    for (int i = 0; i < 4; i++) {
        numbers[i] = i * 7;
    }
    numbers = yk_realloc(numbers, 4000, sizeof *numbers);
    assert_int_equal(yk_alloc_outstanding(), held + 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(numbers[i], i * 7);
    }
    yk_free(numbers);
}

static void failing_to_grow_leaves_the_block(void **state)
{
    (void)state;
    int *numbers = yk_calloc(4, sizeof *numbers);
    numbers[3] = 9;
    yk_alloc_fail_at(1);
    assert_null(yk_realloc(numbers, 8, sizeof *numbers));
    assert_int_equal(numbers[3], 9);
    assert_null(yk_realloc(numbers, SIZE_MAX / 2, 4));
    assert_non_null(strstr(yoke_error_text(), "more than an address can count"));
    assert_int_equal(yk_alloc_outstanding(), held + 1);
    yk_free(numbers);
}

static void alignment_is_as_asked(void **state)
{
    (void)state;
    const struct {
        size_t asked, least;
    } cases[] = { { 0, 4096 }, { 1, 64 },      { 16, 64 },
                  { 64, 64 },  { 4096, 4096 }, { 1 << 21, 1 << 21 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *block = yk_alloc_aligned(1000, cases[i].asked);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % cases[i].least, 0);
        memset(block, 1, 1000);
        yk_free(block);
    }
}

static void texts_are_copied_and_formatted(void **state)
{
    (void)state;
    char *copy = yk_strdup("three words here");
    char *text = yk_format("%s|%05d|%s", copy, 42, "");
    assert_string_equal(text, "three words here|00042|");
    yk_free(copy);
    yk_free(text);
}

static void what_cannot_be_had_says_so(void **state)
{
    (void)state;
    assert_null(yk_calloc(SIZE_MAX, 16));
    assert_non_null(strstr(yoke_error_text(), "elements of 16 bytes"));
    /* volatile, so that the compiler does not warn */
    volatile size_t too_much = SIZE_MAX / 4;
    assert_null(yk_calloc(1, too_much));
    assert_non_null(strstr(yoke_error_text(), "no host memory for"));
    assert_null(yk_alloc_aligned(too_much, 64));
    assert_null(yk_alloc_kept(too_much));
    assert_null(yk_realloc(NULL, 1, too_much));
}

static void the_nth_allocation_fails_once(void **state)
{
    (void)state;
    yk_alloc_fail_at(3);
    void *first = yk_calloc(1, 1);
    char *second = yk_strdup("x");
    assert_true(first && second);
    assert_int_equal(yk_alloc_failed(), 0);
    assert_null(yk_format("%d", 1));
    assert_int_equal(yk_alloc_failed(), 1);
    assert_non_null(strstr(yoke_error_text(), "no host memory for 2 bytes"));
    void *fourth = yk_alloc_aligned(1, 0);
    assert_non_null(fourth);
    assert_int_equal(yk_alloc_failed(), 1);
    yk_alloc_fail_at(0);
    assert_int_equal(yk_alloc_failed(), 0);
    yk_free(first);
    yk_free(second);
    yk_free(fourth);
}

static void kept_memory_fails_but_does_not_count(void **state)
{
    (void)state;
    yk_fail(YOKE_EIO, "before");
    yk_alloc_fail_at(2);
    void *kept = yk_alloc_kept(10);
    assert_non_null(kept);
    assert_null(yk_alloc_kept(10));
    assert_int_equal(yk_alloc_failed(), 1);
    assert_string_equal(yoke_error_text(), "before");
    assert_int_equal(yk_alloc_outstanding(), held);
    yk_free_kept(kept);
    yk_free_kept(NULL);
}

enum { threads = 4, rounds = 5000 };

static void *allocate_often(void *failures)
{
    for (int i = 0; i < rounds; i++) {
        void *block = yk_calloc(1, 32);
        block = block ? block : (++*(int *)failures, yk_calloc(1, 32));
        void *grown = yk_realloc(block, 2, 32);
        grown = grown ? grown : (++*(int *)failures, block);
        yk_free(grown);
    }
    return NULL;
}

static void threads_share_one_count(void **state)
{
    (void)state;
    pthread_t handles[threads];
    int failures[threads] = { 0 };
    yk_alloc_fail_at(rounds);
    for (int i = 0; i < threads; i++) {
        assert_int_equal(pthread_create(&handles[i], NULL, allocate_often, &failures[i]), 0);
    }
    int total = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
        total += failures[i];
    }
    assert_int_equal(total, 1); /* exactly one thread met the failure */
    assert_int_equal(yk_alloc_outstanding(), held);
}

int main(void)
{
#define counted(test) cmocka_unit_test_setup_teardown(test, note, nothing_left)
    const struct CMUnitTest tests[] = {
        counted(memory_is_zeroed_and_counted),
        counted(nothing_is_a_block_too),
        counted(growing_keeps_contents),
        counted(failing_to_grow_leaves_the_block),
        counted(alignment_is_as_asked),
        counted(texts_are_copied_and_formatted),
        counted(what_cannot_be_had_says_so),
        counted(the_nth_allocation_fails_once),
        counted(kept_memory_fails_but_does_not_count),
        counted(threads_share_one_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
