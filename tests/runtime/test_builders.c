/* test_builders.c - while a device builds a kernel, jobs that will be over before that do not ask
 * it; jobs that take longer do, and so do all jobs once it is built. Here the test decides when the
 * build ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/kernel.h"
#include "job/runtime.h"
#include "ok.h"
#include "platform/clock.h"

extern const yoke_kernel f_saxpy; /* for_kernels.c */

enum { N = 1 << 22, DEVICE = 1 };
static const int64_t second_ns = 1000000000;
static yoke_runtime *rt;
static struct yk_build *build;
static float xs[N], ys[N];

/* Returns the result of a job over the first n items. */
static yoke_result *saxpy(int64_t n)
{
    yoke_array *x, *y;
    yoke_result *result;
    OK(yoke_array_wrap(rt, xs, n, sizeof *xs, &x));
    OK(yoke_array_wrap(rt, ys, n, sizeof *ys, &y));
    OK(yoke_run(rt,
                &(yoke_job){ .kernel = &f_saxpy,
                             .range = { 0, n },
                             .args = { yoke_value((float){ 2 }), yoke_in(x), yoke_inout_home(y) } },
                &result));
    OK(yoke_array_close(x));
    OK(yoke_array_close(y));
    return result;
}

static int asks_device(int64_t n)
{
    yoke_result *result = saxpy(n);
    const char *reason = result->devices[DEVICE].reason;
    const int asked = !reason || !strstr(reason, "still being built");
    assert_true(asked || result->devices[DEVICE].items == 0);
    yoke_result_close(result);
    return asked;
}

/* Returns 0 if there is no such device. */
static int open_with_a_build_under_way(void)
{
    struct yk_kernel *kernel;
    if (yoke_open(&(yoke_config){ .devices = "cpu,opencl:0", .knowledge = "off" }, &rt) != YOKE_OK)
        return 0;
    yk_lock(&rt->lock);
    OK(yk_kernel_intern(&rt->kernels, &f_saxpy, &kernel));
    yk_unlock(&rt->lock);
    build = &kernel->builds[DEVICE];
    yk_lock(&build->lock);
    return 1;
}

static void short_jobs_do_not_ask_a_device_that_builds(void **state)
{
    (void)state;
    if (!open_with_a_build_under_way())
        skip();
    assert_true(asks_device(N)); /* nothing is known of the job yet */
    assert_true(asks_device(N)); /* no build has begun, as far as is known */
    atomic_store(&build->begun_ns, yk_clock_ns() - 10 * second_ns);
    assert_false(asks_device(N));
    assert_false(asks_device(N));
    atomic_store(&build->begun_ns, yk_clock_ns());
    assert_true(asks_device(N));
    atomic_store(&build->begun_ns, yk_clock_ns() - 10 * second_ns);
    assert_false(asks_device(N));
    yk_unlock(&build->lock);
    while (atomic_load(&build->state) != YK_BUILD_READY)
        yk_clock_sleep_ns(1000000);
    assert_true(asks_device(N));
    OK(yoke_close(rt));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        short_jobs_do_not_ask_a_device_that_builds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
