/* test_misuse.c - calls that once hung, crashed or passed silently: closed arrays and runtimes,
 * calls from a progress callback, children of fork, meaningless numbers. Each now returns a named
 * error at once. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job_kernels.h"
#include "ok.h"
#include "under_sanitizer.h"

enum { N = 4096 };
static int32_t host[N];
static const int32_t offset = 5;

static void refused(yoke_status status, const char *words)
{
    assert_int_equal(status, YOKE_EINVAL);
    if (!strstr(yoke_error_text(), words))
        fail_msg("'%s' is not in: %s", words, yoke_error_text());
}

static yoke_job index_job(yoke_array *x)
{
    return (yoke_job){ .kernel = &k_index,
                       .range = { 0, N },
                       .args = { yoke_value(offset), yoke_out(x) } };
}

static yoke_array *open_array(yoke_runtime *rt)
{
    yoke_array *x;
    OK(yoke_array_wrap(rt, host, N, sizeof *host, &x));
    return x;
}

static void closed_arrays(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu:1");
    yoke_array *x = open_array(rt), *panel, *other;
    OK(yoke_array_panel(x, 0, 1, &panel));
    refused(yoke_array_close(x), "panel");
    OK(yoke_array_close(panel));
    refused(yoke_array_close(panel), "there is no such array");
    OK(yoke_array_close(x));
    other = open_array(rt); /* may be at the address of x */
    refused(yoke_array_close(x), "yoke_array_close: there is no such array");
    refused(yoke_array_acquire(x, YOKE_READ), "no such array");
    refused(yoke_array_acquire_rows(x, YOKE_READ, 0, 1), "no such array");
    refused(yoke_array_release(x), "no such array");
    refused(yoke_array_panel(x, 0, 1, &panel), "no such array");
    assert_null(yoke_array_host(x));
    assert_int_equal(yoke_array_traffic(x).to_devices, 0);
    const yoke_job job = index_job(x);
    refused(yoke_run(rt, &job, NULL), "argument 2");
    refused(yoke_array_close((yoke_array *)host), "no such array"); /* was never an array */
    OK(yoke_array_close(other));
    OK(yoke_close(rt));
}

static void *close_array(void *context)
{
    return (void *)(intptr_t)yoke_array_close(context);
}

/* Of several threads that close one array, exactly one succeeds. */
static void closed_by_many(void **state)
{
    (void)state;
    enum { THREADS = 4, ROUNDS = 200 };
    yoke_runtime *rt = open_runtime("cpu:1");
    for (int round = 0; round < ROUNDS; round++) {
        yoke_array *x = open_array(rt);
        pthread_t threads[THREADS];
        int fine = 0;
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, close_array, x), 0);
        for (int t = 0; t < THREADS; t++) {
            void *status;
            pthread_join(threads[t], &status);
            fine += (intptr_t)status == YOKE_OK;
        }
        assert_int_equal(fine, 1);
    }
    OK(yoke_close(rt));
}

/* Calls everything that is given a runtime, except yoke_close. Returns 0, or the number of the
 * first call that is not refused with these words. */
static int not_refused(yoke_runtime *rt, const char *words)
{
    const yoke_kernel *const kernel = &k_index;
    const yoke_job job = index_job(NULL);
    yoke_array *x;
    yoke_ticket *ticket;
    yoke_device device;
    yoke_link link;
    yoke_times times;
    double weight;
    int call = 0;
#define REFUSES(status)                                                                            \
    do {                                                                                           \
        call++;                                                                                    \
        if ((status) != YOKE_EINVAL || !strstr(yoke_error_text(), words))                          \
            return call;                                                                           \
    } while (0)
    REFUSES(yoke_ready(rt)); /* 1 */
    REFUSES(yoke_device_count(rt) == 0 ? YOKE_EINVAL : YOKE_OK);
    REFUSES(yoke_device_get(rt, 0, &device));
    REFUSES(yoke_trace_start(rt));
    REFUSES(yoke_trace_write(rt, "/dev/null")); /* 5 */
    REFUSES(yoke_array_wrap(rt, host, N, sizeof *host, &x));
    REFUSES(yoke_array_open(rt, &(yoke_array_spec){ .rows = N, .element_size = 4 }, &x));
    REFUSES(yoke_alloc(rt, 1) ? YOKE_OK : YOKE_EINVAL);
    REFUSES(yoke_for(rt, &k_index, N, offset, host));
    REFUSES(yoke_run(rt, &job, NULL)); /* 10 */
    REFUSES(yoke_submit(rt, &job, &ticket));
    REFUSES(yoke_prepare(rt, &kernel, 1));
    REFUSES(yoke_wait_all(rt));
    REFUSES(yoke_cancel_all(rt));
    REFUSES(yoke_set_cpu_weight(rt, NULL, 0.5)); /* 15 */
    REFUSES(yoke_clear_cpu_weight(rt, NULL));
    REFUSES(yoke_get_cpu_weight(rt, NULL, &weight));
    REFUSES(yoke_set_weight_chunks(rt, NULL, 1, 1));
    REFUSES(yoke_set_weight_policy(rt, NULL, NULL, NULL));
    REFUSES(yoke_last_times(rt, NULL, &times)); /* 20 */
    REFUSES(yoke_keep_lines(rt, &job, NULL, 0));
    REFUSES(yoke_link_measure(rt, 0, &link));
#undef REFUSES
    return 0;
}

static void *take_what_another_has(void *x)
{
    OK(yoke_array_release(x)); /* its own acquire for reading, which it may owe */
    assert_int_equal(yoke_array_acquire(x, YOKE_READ), YOKE_EBUSY);
    refused(yoke_array_release(x), "acquired for writing by another thread");
    return NULL;
}

static void in_another_thread(void *(*function)(void *), void *context)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, context), 0);
    pthread_join(thread, NULL);
}

static void *read_it(void *x)
{
    OK(yoke_array_acquire(x, YOKE_READ));
    return NULL;
}

/* A thread that releases what it does not have must not end another thread's acquire. */
static void released_by_another(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu:1");
    yoke_array *x = open_array(rt);
    const yoke_job job = index_job(x);
    in_another_thread(read_it, x);
    OK(yoke_array_acquire_rows(x, YOKE_WRITE, 0, 1));
    OK(yoke_array_acquire(x, YOKE_READ_WRITE));
    in_another_thread(take_what_another_has, x);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_EBUSY);
    OK(yoke_array_release(x)); /* all of this thread's acquires */
    OK(yoke_array_release(x)); /* there is nothing to end */
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_close(x));
    OK(yoke_close(rt));
}

static void closed_runtimes(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu:1");
    yoke_array *x = open_array(rt);
    assert_int_equal(yoke_close(rt), YOKE_EBUSY);
    OK(yoke_array_close(x));
    OK(yoke_close(rt));
    refused(yoke_close(rt), "there is no such runtime");
    assert_int_equal(not_refused(rt, "there is no such runtime; it was closed"), 0);
    assert_int_equal(not_refused((yoke_runtime *)host, "there is no such runtime"), 0);
    assert_true(yoke_seconds(rt) == 0);
    yoke_free(rt, NULL);
}

struct callback {
    yoke_runtime *rt;
    yoke_array *x;
    int calls;
};

static int call_back(void *context, int64_t done, int64_t all)
{
    struct callback *callback = context;
    yoke_array *panel;
    (void)done;
    (void)all;
    callback->calls++;
    assert_int_equal(not_refused(callback->rt, "progress callback"), 0);
    refused(yoke_array_panel(callback->x, 0, 1, &panel), "progress callback");
    refused(yoke_array_acquire(callback->x, YOKE_READ), "progress callback");
    refused(yoke_array_release(callback->x), "progress callback");
    refused(yoke_array_close(callback->x), "progress callback");
    refused(yoke_close(callback->rt), "progress callback");
    assert_true(yoke_seconds(callback->rt) > 0);
    assert_non_null(yoke_array_host(callback->x));
    return 0;
}

static void calls_from_progress(void **state)
{
    (void)state;
    struct callback callback = { .rt = open_runtime("cpu:1") };
    callback.x = open_array(callback.rt);
    yoke_job job = index_job(callback.x);
    job.progress = call_back;
    job.progress_context = &callback;
    OK(yoke_run(callback.rt, &job, NULL));
    assert_true(callback.calls > 0);
    OK(yoke_array_close(callback.x));
    OK(yoke_close(callback.rt));
}

static void wrong_numbers(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu:1");
    yoke_array *x = open_array(rt);
    yoke_job job = index_job(x);
    yoke_kernel kernel = k_index;
    job.deadline_seconds = NAN;
    refused(yoke_run(rt, &job, NULL), "deadline_seconds");
    job.deadline_seconds = -1;
    refused(yoke_run(rt, &job, NULL), "deadline_seconds is -1");
    job = index_job(x);
    job.args[1].shape = (yoke_shape)99;
    refused(yoke_run(rt, &job, NULL), "shape 99");
    job = index_job(x);
    job.args[1].home = (yoke_home)7;
    refused(yoke_run(rt, &job, NULL), "home 7");
    job = index_job(x);
    job.range.last = INT64_MAX;
    refused(yoke_run(rt, &job, NULL), "indexes beyond 2^62");
    job.range.first = INT64_MIN;
    job.range.last = 0;
    refused(yoke_run(rt, &job, NULL), "indexes beyond 2^62");
    job = index_job(x);
    job.kernel = &kernel;
    kernel.unit = -1;
    refused(yoke_run(rt, &job, NULL), "unit -1");
    kernel = k_index;
    kernel.dimensions = 9;
    refused(yoke_run(rt, &job, NULL), "9 dimensions");
    kernel = k_index;
    kernel.params = NULL;
    refused(yoke_run(rt, &job, NULL), "params are NULL");
    kernel = k_index;
    kernel.kind = (yoke_kernel_kind)12;
    refused(yoke_run(rt, &job, NULL), "kind 12");
    OK(yoke_array_close(x));
    OK(yoke_close(rt));
}

/* Cores would fault at such addresses, now and then. */
static void memory_at_odd_addresses(void **state)
{
    static char bytes[(N + 1) * sizeof *host];
    char *odd = bytes + (((uintptr_t)bytes & 3) == 2 ? 1 : 2);
    yoke_runtime *rt = open_runtime("cpu:1");
    yoke_array *x;
    (void)state;
    OK(yoke_array_wrap(rt, odd, N, sizeof *host, &x));
    const yoke_job job = index_job(x);
    refused(yoke_run(rt, &job, NULL), "addresses of int32_t are multiples of 4");
    OK(yoke_array_close(x));
    refused(yoke_for(rt, &k_index, N, offset, (int32_t *)(void *)odd), "multiples of 4");
    OK(yoke_close(rt));
}

struct inherited {
    yoke_array *array;
    yoke_ticket *ticket;
};

/* In the child: 0, or the number of the failed step. */
static int child(yoke_runtime *parents, const struct inherited *given, int drivers)
{
    yoke_runtime *rt;
    yoke_array *x;
    yoke_config config = { .devices = "opencl:0" };
    const yoke_job old = index_job(given->array);
    const int step = not_refused(parents, "forked");
    if (step)
        return 10 + step;
    if (yoke_array_acquire(given->array, YOKE_READ) != YOKE_EINVAL ||
        yoke_array_release(given->array) != YOKE_EINVAL || yoke_close(parents) != YOKE_EINVAL)
        return 1;
    if (yoke_cancel(given->ticket) != YOKE_EINVAL || !strstr(yoke_error_text(), "forked") ||
        yoke_wait(given->ticket, NULL) != YOKE_EINVAL)
        return 2;
    if (drivers && (yoke_open(&config, &rt) != YOKE_ENODEV || !strstr(yoke_error_text(), "forked")))
        return 3;
    config.devices = "cpu";
    if (yoke_open(&config, &rt) != YOKE_OK)
        return 4;
    if (yoke_run(rt, &old, NULL) != YOKE_EINVAL || !strstr(yoke_error_text(), "forked"))
        return 8;
    if (yoke_array_wrap(rt, host, N, sizeof *host, &x) != YOKE_OK)
        return 5;
    const yoke_job job = index_job(x);
    memset(host, 0, sizeof host);
    if (yoke_run(rt, &job, NULL) != YOKE_OK || yoke_array_close(x) != YOKE_OK ||
        yoke_close(rt) != YOKE_OK)
        return 6;
    return host[N - 1] != 0 || host[0] != 0 ? 0 : 7;
}

static void children(void **state)
{
    (void)state;
    if (!CHILDREN_MAY_START_THREADS)
        skip();
    const char *const devices[] = { "cpu", "cpu:1,opencl:0" };
    for (int d = 0; d < 2; d++) {
        yoke_runtime *rt;
        const yoke_config config = { .devices = devices[d] };
        int status;
        if (yoke_open(&config, &rt) != YOKE_OK)
            continue;
        OK(yoke_ready(rt));
        yoke_array *x = open_array(rt);
        struct inherited given = { .array = x };
        const yoke_job job = index_job(x);
        OK(yoke_submit(rt, &job, &given.ticket));
        OK(yoke_wait_all(rt));
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60); /* turns a hang into a failure */
            /* ends by exec: otherwise valgrind reports memory as lost to which only the parent's
             * threads had pointers */
            const int step = child(rt, &given, d == 1);
            if (step == 0)
                execl("/bin/true", "child", (char *)NULL);
            _exit(step);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("%s: the child ended with status %x", devices[d], (unsigned)status);
        OK(yoke_wait(given.ticket, NULL));
        OK(yoke_run(rt, &job, NULL)); /* the parent still works */
        OK(yoke_array_close(x));
        OK(yoke_close(rt));
    }
}

/* --- children of a process whose other threads are inside yoke --- */

struct busy {
    yoke_runtime *rt;
    atomic_int ends;
};

/* Takes the locks of handles, tickets and arrays, as fast as it can. */
static void *keep_busy(void *context)
{
    struct busy *busy = context;
    int32_t *rows = calloc(N, sizeof *rows);
    while (rows && !atomic_load(&busy->ends)) {
        yoke_array *x;
        yoke_ticket *ticket;
        OK(yoke_array_wrap(busy->rt, rows, N, sizeof *rows, &x));
        const yoke_job job = index_job(x);
        OK(yoke_submit(busy->rt, &job, &ticket));
        OK(yoke_wait(ticket, NULL));
        OK(yoke_array_close(x));
        refused(yoke_wait(ticket, NULL), "no job has this ticket");
    }
    free(rows);
    return NULL;
}

static int busy_child(void)
{
    const yoke_config config = { .devices = "cpu:1" };
    yoke_runtime *rt;
    yoke_array *x;
    yoke_ticket *ticket;
    if (yoke_open(&config, &rt) != YOKE_OK ||
        yoke_array_wrap(rt, host, N, sizeof *host, &x) != YOKE_OK)
        return 1;
    const yoke_job job = index_job(x);
    return yoke_submit(rt, &job, &ticket) != YOKE_OK || yoke_wait(ticket, NULL) != YOKE_OK ||
           yoke_array_close(x) != YOKE_OK || yoke_close(rt) != YOKE_OK;
}

/* A lock that another thread holds while the process forks would stay locked in the child. */
static void children_of_a_busy_process(void **state)
{
    enum { THREADS = 3, CHILDREN = 100 };
    struct busy busy = { .rt = open_runtime("cpu:1") };
    pthread_t threads[THREADS];
    int status = 0;
    (void)state;
    if (!CHILDREN_MAY_START_THREADS)
        skip();
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, keep_busy, &busy), 0);
    for (int c = 0; c < CHILDREN && !status; c++) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(20); /* turns a hang into a failure */
            const int failed = busy_child();
            if (!failed)
                execl("/bin/true", "child", (char *)NULL);
            _exit(failed);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
    }
    atomic_store(&busy.ends, 1);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    OK(yoke_close(busy.rt));
    if (status)
        fail_msg("a child ended with status %x", (unsigned)status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_arrays),
        cmocka_unit_test(closed_by_many),
        cmocka_unit_test(released_by_another),
        cmocka_unit_test(closed_runtimes),
        cmocka_unit_test(calls_from_progress),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(memory_at_odd_addresses),
        cmocka_unit_test(children),
        cmocka_unit_test(children_of_a_busy_process),
    };
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
