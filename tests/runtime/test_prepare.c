/* test_prepare.c - yoke_prepare: afterwards no job builds a kernel; kernels that do not compile are
 * named; and the line that a terminal shows while a compiler runs. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "at_once.h"
#include "base/alloc.h"
#include "job/kernel.h"
#include "job/notice.h"
#include "job/runtime.h"
#include "platform/clock.h"

extern const yoke_kernel f_saxpy, f_dot;
static yoke_runtime *rt;
enum { N = 1000 };
static float xs[N], ys[N];

static int kernels_of(const yoke_runtime *runtime)
{
    int count = 0;
    for (struct yk_kernel *k = runtime->kernels.first; k; k = k->next)
        count++;
    return count;
}

/* Number of kernels, all built for all devices that compile. */
static int all_built(const yoke_runtime *runtime)
{
    int built = 0;
    for (struct yk_kernel *k = runtime->kernels.first; k; k = k->next)
        for (int d = 0; d < runtime->device_count; d++)
            if (!runtime->devices[d].device->desc.host_memory)
                built += yk_kernel_is_ready(k, d);
    return built;
}

static int open_on(const char *devices)
{
    return yoke_open(&(yoke_config){ .devices = devices, .knowledge = "off" }, &rt) == YOKE_OK;
}

static void nothing_is_left_to_build(void **state)
{
    static const char *const kinds[] = { "opencl:0", "cpu,opencl:0", "sim:cpu:cores=2,sim:gpu*2" };
    const yoke_kernel *const both[] = { &f_saxpy, &f_dot };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!open_on(kinds[k]))
            continue;
        double sum[1] = { 0 };
        int gpus = k == 2 ? 2 : 1;
        assert_int_equal(yoke_prepare(rt, both, 2), YOKE_OK);
        assert_int_equal(kernels_of(rt), 3); /* the sum also has a kernel that folds copies */
        assert_int_equal(all_built(rt), 3 * gpus);
        assert_int_equal(yoke_for(rt, &f_saxpy, N, 2.0f, xs, ys), YOKE_OK);
        assert_int_equal(yoke_for(rt, &f_dot, N, xs, ys, sum), YOKE_OK);
        assert_int_equal(kernels_of(rt), 3);
        assert_int_equal(yoke_prepare(rt, both, 2), YOKE_OK);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
}

static void wrong_kernels(void **state)
{
    yoke_kernel wrong = f_saxpy;
    const yoke_kernel *const kernels[] = { &f_saxpy, &wrong };
    (void)state;
    wrong.name = "no_kernel";
    wrong.opencl.source.text = "this is no OpenCL\n";
    if (open_on("cpu,opencl:0")) {
        assert_int_equal(yoke_prepare(rt, kernels, 2), YOKE_EBUILD);
        assert_non_null(strstr(yoke_error_text(), "opencl:0"));
        assert_non_null(strstr(yoke_error_text(), "no_kernel"));
        assert_int_equal(yoke_prepare(rt, kernels, 1), YOKE_OK);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
    /* The driver would read the numbers that follow as pointers. */
    wrong.name = "fewer";
    wrong.opencl.source =
        (yoke_source){ "kernel void fewer(long first, long last, float a, global float *x, long "
                       "xs, global float *y, long ys) {}\n",
                       "fewer" };
    if (open_on("opencl:0")) {
        assert_int_equal(yoke_prepare(rt, kernels, 2), YOKE_EBUILD);
        assert_non_null(strstr(yoke_error_text(), "kernel fewer takes 7 arguments and gets 9"));
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
    assert_true(open_on("cpu"));
    assert_int_equal(yoke_prepare(rt, kernels, 2), YOKE_OK); /* the cores have it */
    assert_int_equal(yoke_prepare(rt, kernels, 0), YOKE_OK);
    assert_int_equal(yoke_prepare(rt, NULL, 1), YOKE_EINVAL);
    assert_int_equal(yoke_prepare(rt, (const yoke_kernel *const[]){ NULL }, 1), YOKE_EINVAL);
    assert_int_equal(yoke_close(rt), YOKE_OK);
}

static void memory_runs_out(void **state)
{
    const yoke_kernel *const both[] = { &f_saxpy, &f_dot };
    yoke_status status = YOKE_ENOMEM;
    (void)state;
    for (int64_t n = 1; status != YOKE_OK && n < 200; n++) {
        assert_true(open_on("sim:gpu*2"));
        yk_alloc_fail_at(n);
        status = yoke_prepare(rt, both, 2);
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || status == YOKE_ENOMEM);
        assert_int_equal(yoke_close(rt), YOKE_OK);
    }
    assert_int_equal(status, YOKE_OK);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* The output of a compilation of `ms` on standard error, which is a terminal or a pipe. */
static void compile_for(int ms, int is_terminal, char *out, size_t size)
{
    int ends[2], kept = dup(STDERR_FILENO);
    struct yk_notice notice;
    ssize_t got = 0;
    if (is_terminal) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        assert_true(ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0);
        ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    } else {
        assert_int_equal(pipe(ends), 0);
    }
    dup2(ends[1], STDERR_FILENO);
    yk_notice_open(&notice, "k_slow", "gpu:7");
    yk_clock_sleep_ns((int64_t)ms * 1000000);
    yk_notice_close(&notice);
    dup2(kept, STDERR_FILENO);
    struct pollfd ready = { .fd = ends[0], .events = POLLIN };
    if (poll(&ready, 1, 100) > 0)
        got = read(ends[0], out, size - 1);
    out[got > 0 ? got : 0] = '\0';
    close(kept);
    close(ends[1]);
    close(ends[0]);
}

static void a_terminal_is_told(void **state)
{
    char said[256];
    (void)state;
    compile_for(1500, 1, said, sizeof said);
    assert_non_null(strstr(said, "yoke: compiling kernel k_slow for gpu:7"));
    compile_for(10, 1, said, sizeof said);
    assert_string_equal(said, "");
}

static void a_pipe_is_not_told(void **state)
{
    char said[256];
    (void)state;
    compile_for(1500, 0, said, sizeof said);
    assert_string_equal(said, "");
}

static char logged[256];
static void keep_line(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    if (level == YOKE_LOG_INFO)
        snprintf(logged, sizeof logged, "%s", line);
}

static void a_program_is_told(void **state)
{
    char said[256];
    (void)state;
    yoke_set_log(keep_line, NULL, YOKE_LOG_INFO);
    compile_for(1500, 1, said, sizeof said);
    assert_string_equal(said, "");
    assert_non_null(strstr(logged, "compiling kernel k_slow"));
}

static void a_program_that_wants_warnings_is_not_told(void **state)
{
    char said[256];
    (void)state;
    yoke_set_log(keep_line, NULL, YOKE_LOG_WARN);
    compile_for(1500, 1, said, sizeof said);
    assert_string_equal(said, "");
    assert_string_equal(logged, "");
}

/* The lines all at once, because each waits for more than a second. */
int main(void)
{
    const struct CMUnitTest lines[] = {
        cmocka_unit_test(a_terminal_is_told),
        cmocka_unit_test(a_pipe_is_not_told),
        cmocka_unit_test(a_program_is_told),
        cmocka_unit_test(a_program_that_wants_warnings_is_not_told),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_to_build),
        cmocka_unit_test(wrong_kernels),
        cmocka_unit_test(memory_runs_out),
    };
    enum { LINES = sizeof lines / sizeof *lines };
    pid_t children[LINES];
    int failed;
    unsetenv("YOKE_LOG");
    at_once_begin(lines, LINES, exit, children);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + at_once_failed(children, LINES);
}
