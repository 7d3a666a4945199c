/* test_checking_host.c - checking mode: a program accesses an array's memory without acquiring it,
 * or has two arrays in the same memory. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checking_kernels.h"
#include "ok.h"

enum { N = 3000, LARGE = 100000 };

struct pair { /* y = 2 x + y */
    yoke_runtime *rt;
    float *memory[2];
    yoke_array *x, *y;
    int64_t n;
};

enum source { WRAPPED, ALLOCATED };

static struct pair open_pair(int64_t n, enum source source)
{
    struct pair pair = { .n = n };
    int a;
    OK(yoke_open(&(yoke_config){ .check = 1 }, &pair.rt));
    for (a = 0; a < 2; a++) {
        const size_t bytes = (size_t)n * sizeof(float);
        int64_t k;
        pair.memory[a] = source == WRAPPED ? malloc(bytes) : yoke_alloc(pair.rt, bytes);
        assert_non_null(pair.memory[a]);
        for (k = 0; k < n; k++)
            pair.memory[a][k] = (float)(k % 31 + a);
        OK(yoke_array_open(pair.rt,
                           &(yoke_array_spec){ .host = pair.memory[a],
                                               .rows = n,
                                               .element_size = sizeof(float),
                                               .name = a ? "y" : "x" },
                           a ? &pair.y : &pair.x));
    }
    return pair;
}

static yoke_job job_of(const struct pair *pair)
{
    return (yoke_job){ .kernel = &c_right,
                       .range = { 0, pair->n },
                       .args = { yoke_in(pair->x), yoke_inout(pair->y) } };
}

static void close_pair(struct pair *pair, enum source source)
{
    int a;
    const yoke_status x = yoke_array_close(pair->x), y = yoke_array_close(pair->y);
    assert_true(x == YOKE_OK || x == YOKE_ELOST);
    assert_true(y == YOKE_OK || y == YOKE_ELOST); /* rows of a job that failed */
    for (a = 0; a < 2; a++)
        if (source == WRAPPED)
            free(pair->memory[a]);
        else
            yoke_free(pair->rt, pair->memory[a]);
    OK(yoke_close(pair->rt));
}

static void says(yoke_status status, const char *const *words)
{
    assert_int_equal(status, YOKE_EINVAL);
    for (; *words; words++)
        if (!strstr(yoke_error_text(), *words))
            fail_msg("'%s' is not in: %s", *words, yoke_error_text());
}
#define SAYS(call, ...) says(call, (const char *const[]){ __VA_ARGS__, NULL })

static void test_not_acquired(void **state)
{
    struct pair pair = open_pair(N, WRAPPED);
    const yoke_job job = job_of(&pair);
    int64_t k;
    (void)state;
    OK(yoke_run(pair.rt, &job, NULL));
    for (k = 0; k < N; k++)
        assert_true(isnan(pair.memory[1][k]));
    OK(yoke_array_acquire_rows(pair.y, YOKE_READ, 10, 20));
    for (k = 0; k < N; k++)
        assert_true(k < 10 || k >= 20 ? isnan(pair.memory[1][k])
                                      : pair.memory[1][k] == (float)(3 * (k % 31) + 1));
    OK(yoke_array_acquire(pair.y, YOKE_READ));
    for (k = 0; k < N; k++)
        assert_true(pair.memory[1][k] == (float)(3 * (k % 31) + 1));
    close_pair(&pair, WRAPPED);
}

/* Gets the message of a child that ends by a fault. */
static void dies(const float *memory, int64_t row, int writes, char line[400])
{
    int ends[2], how, got = 0;
    ssize_t more;
    pid_t child;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        volatile float *at = (volatile float *)memory + row;
        dup2(ends[1], STDERR_FILENO);
        signal(SIGALRM, SIG_DFL);
        alarm(20);
        if (writes)
            *at = 1;
        _exit(*at > 1);
    }
    close(ends[1]);
    while (got < 399 && (more = read(ends[0], line + got, (size_t)(399 - got))) > 0)
        got += (int)more;
    line[got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGSEGV);
}

static void test_not_acquired_allocated(void **state)
{
    struct pair pair;
    yoke_job job;
    char line[400];
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizer's own handler ends the child */
#endif
    signal(SIGSEGV, SIG_DFL); /* otherwise the child would continue with cmocka's next test */
    pair = open_pair(LARGE, ALLOCATED);
    job = job_of(&pair);
    OK(yoke_run(pair.rt, &job, NULL));
    dies(pair.memory[1], 54321, 0, line);
    if (!strstr(line, "array y: row 54321 is used at the host, and a job wrote it last; call "
                      "yoke_array_acquire"))
        fail_msg("%s", line);
    dies(pair.memory[1], 777, 1, line);
#if defined(__x86_64__)
    if (!strstr(line, "array y: row 777 is written at the host"))
        fail_msg("%s", line);
#endif
    OK(yoke_array_acquire(pair.y, YOKE_READ));
    assert_true(pair.memory[1][54321] == (float)(3 * (54321 % 31) + 1));
    close_pair(&pair, ALLOCATED);
}

/* Changes between two jobs: of rows that the device also has, and of rows that only it has. */
static void test_edited(void **state)
{
    (void)state;
    struct pair pair = open_pair(N, WRAPPED);
    const yoke_job job = job_of(&pair);
    OK(yoke_run(pair.rt, &job, NULL));
    pair.memory[0][1234] = -5;
    SAYS(yoke_run(pair.rt, &job, NULL),
         "c_right: row 1234 of array x was changed at the host without yoke_array_acquire",
         "the old one", "acquire it with YOKE_WRITE or YOKE_READ_WRITE");
    close_pair(&pair, WRAPPED);

    pair = open_pair(N, WRAPPED);
    const yoke_job again = job_of(&pair);
    OK(yoke_run(pair.rt, &again, NULL));
    pair.memory[1][77] = -5;
    SAYS(yoke_run(pair.rt, &again, NULL), "c_right: row 77 of array y was changed",
         "a job wrote it last");
    close_pair(&pair, WRAPPED);
}

/* Changes before acquire, and before close, which still brings the correct rows home. */
static void test_edited_at_last(void **state)
{
    struct pair pair = open_pair(N, WRAPPED);
    const yoke_job job = job_of(&pair);
    (void)state;
    OK(yoke_run(pair.rt, &job, NULL));
    pair.memory[1][77] = -5;
    SAYS(yoke_array_acquire(pair.y, YOKE_READ), "yoke_array_acquire: row 77 of array y");
    SAYS(yoke_array_close(pair.y), "yoke_array_close: row 77 of array y");
    assert_true(pair.memory[1][77] == (float)(3 * (77 % 31) + 1));
    OK(yoke_array_close(pair.x));
    free(pair.memory[0]);
    free(pair.memory[1]);
    OK(yoke_close(pair.rt));
}

/* A program that acquires what it changes is correct. */
static void test_acquired(void **state)
{
    static const enum source sources[] = { WRAPPED, ALLOCATED };
    size_t s;
    (void)state;
    for (s = 0; s < 2; s++) {
        struct pair pair = open_pair(LARGE, sources[s]);
        const yoke_job job = job_of(&pair);
        int64_t k, turn;
        for (turn = 0; turn < 3; turn++) {
            OK(yoke_run(pair.rt, &job, NULL));
            OK(yoke_array_acquire_rows(pair.x, YOKE_READ_WRITE, 500, 40000));
            for (k = 500; k < 40000; k++)
                pair.memory[0][k] += 1;
            OK(yoke_array_release(pair.x));
            OK(yoke_array_acquire_rows(pair.y, YOKE_WRITE, 100, 200));
            for (k = 100; k < 200; k++)
                pair.memory[1][k] = 0;
            OK(yoke_array_release(pair.y));
        }
        OK(yoke_array_acquire(pair.y, YOKE_READ));
        for (k = 0; k < LARGE; k++) {
            const float x = (float)(k % 31);
            const float sum = k >= 500 && k < 40000 ? 2 * (3 * x + 3) : 6 * x;
            assert_true(pair.memory[1][k] == (k >= 100 && k < 200 ? 0 : sum + x + 1));
        }
        close_pair(&pair, sources[s]);
    }
}

/* The same memory in two arrays. */
static void test_wrapped_twice(void **state)
{
    struct pair pair = open_pair(N, WRAPPED);
    yoke_array *again;
    yoke_job job = job_of(&pair), second = job, both = job;
    yoke_ticket *ticket;
    (void)state;
    OK(yoke_array_open(pair.rt,
                       &(yoke_array_spec){ .host = pair.memory[1] + 100,
                                           .rows = N - 100,
                                           .element_size = sizeof(float),
                                           .name = "again" },
                       &again));
    both.args[0] = (yoke_arg)yoke_in(again);
    both.range.last = second.range.last = N - 100;
    second.args[0] = (yoke_arg)yoke_in(again);
    SAYS(yoke_run(pair.rt, &both, NULL), "c_right: array again and array y lie in the same memory",
         "the job changes one of them");
    second.args[0] = (yoke_arg)yoke_in(pair.x);
    second.args[1] = (yoke_arg)yoke_inout(again);
    OK(yoke_submit(pair.rt, &job, &ticket));
    SAYS(yoke_run(pair.rt, &second, NULL), "array again and array y lie in the same memory");
    OK(yoke_wait(ticket, NULL));
    SAYS(yoke_run(pair.rt, &second, NULL), "array again and array y lie in the same memory",
         "was not acquired since");
    OK(yoke_array_acquire(pair.y, YOKE_READ));
    OK(yoke_array_close(pair.y));
    OK(yoke_run(pair.rt, &second, NULL));
    OK(yoke_array_close(again));
    OK(yoke_array_close(pair.x));
    free(pair.memory[0]);
    free(pair.memory[1]);
    OK(yoke_close(pair.rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_acquired), cmocka_unit_test(test_not_acquired_allocated),
        cmocka_unit_test(test_edited),       cmocka_unit_test(test_edited_at_last),
        cmocka_unit_test(test_acquired),     cmocka_unit_test(test_wrapped_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
