/* test_copies.c - mode add on devices with several private copies (copies=): sums of every type
 * equal those of one copy, whatever fails.
 *
 * On PoCL, which has few groups but as many as needed; arguments name a device to use instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/kernel.h"
#include "job_kernels.h"
#include "ok.h"
#include "runtime/device.h"
#include "walk.h"

enum { BINS = 37, N = 30000, TYPES = 6 };
static const char *device = "opencl:0";

struct sums {
    int32_t a[BINS];
    uint32_t b[BINS];
    int64_t c[BINS];
    uint64_t d[BINS];
    float e[BINS];
    double f[BINS];
};

/* Checks the sums after `jobs` jobs; all of them are exact in a float. */
static void check(const struct sums *sums, int jobs)
{
    int64_t expected[BINS] = { 0 };
    for (int i = 0; i < N; i++)
        expected[i % BINS] += jobs * (i % 7 - 2);
    for (int k = 0; k < BINS; k++) {
        const int64_t want = expected[k] + k;
        assert_int_equal(sums->a[k], want);
        assert_int_equal(sums->b[k], (uint32_t)want);
        assert_int_equal(sums->c[k], want);
        assert_int_equal(sums->d[k], (uint64_t)want);
        assert_true(sums->e[k] == (float)want);
        assert_true(sums->f[k] == (double)want);
    }
}

/* From open to close: jobs that add to the present contents. */
static yoke_status run_jobs(const char *devices, int jobs)
{
    static struct sums sums;
    void *const memory[TYPES] = { sums.a, sums.b, sums.c, sums.d, sums.e, sums.f };
    const size_t sizes[TYPES] = { 4, 4, 8, 8, 4, 8 };
    yoke_array *arrays[TYPES] = { NULL };
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt), closed;
    const int32_t bins = BINS;
    for (int k = 0; k < BINS; k++) {
        sums.a[k] = k, sums.b[k] = (uint32_t)k, sums.c[k] = k;
        sums.d[k] = (uint64_t)k, sums.e[k] = (float)k, sums.f[k] = k;
    }
    for (int t = 0; t < TYPES && status == YOKE_OK; t++)
        status = yoke_array_wrap(rt, memory[t], BINS, sizes[t], &arrays[t]);
    yoke_job job = { .kernel = &k_sums,
                     .range = { 0, N },
                     .partitioner = "even",
                     .args = { yoke_value(bins), yoke_add_to(arrays[0]), yoke_add_to(arrays[1]),
                               yoke_add_to(arrays[2]), yoke_add_to(arrays[3]),
                               yoke_add_to(arrays[4]), yoke_add_to(arrays[5]) } };
    for (int k = 0; k < jobs && status == YOKE_OK; k++)
        status = yoke_run(rt, &job, NULL);
    for (int t = 0; t < TYPES && status == YOKE_OK; t++)
        status = yoke_array_acquire(arrays[t], YOKE_READ);
    if (status == YOKE_OK)
        check(&sums, jobs);
    for (int t = 0; t < TYPES; t++) {
        closed = arrays[t] ? yoke_array_close(arrays[t]) : YOKE_OK;
        status = status == YOKE_OK ? closed : status;
    }
    closed = rt ? yoke_close(rt) : YOKE_OK;
    return status == YOKE_OK ? closed : status;
}

static void however_many(void **state)
{
    static const int numbers[] = { 1, 2, 8, 256 };
    char devices[96];
    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        snprintf(devices, sizeof devices, "%s:copies=%d", device, numbers[k]);
        OK(run_jobs(devices, 2));
        snprintf(devices, sizeof devices, "cpu:1,%s:copies=%d", device, numbers[k]);
        OK(run_jobs(devices, 2));
    }
}

/* With very little memory there are fewer copies. */
static void in_little_memory(void **state)
{
    char devices[96];
    (void)state;
    snprintf(devices, sizeof devices, "%s:copies=256:mem=64K", device);
    OK(run_jobs(devices, 2));
}

static int folds_built(const yoke_runtime *rt, const char *name)
{
    for (const struct yk_kernel *k = rt->kernels.first; k; k = k->next)
        if (strcmp(k->kernel.name, name) == 0)
            return atomic_load(&k->builds[0].state) == YK_BUILD_READY;
    return -1;
}

static void largest(void *into, const void *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (((const uint32_t *)from)[i] > ((uint32_t *)into)[i])
            ((uint32_t *)into)[i] = ((const uint32_t *)from)[i];
}

/* The library folds several copies, so they are only used for sums that it knows: here `w`. */
static void not_of_what_has_its_own_merge(void **state)
{
    static int32_t x[N];
    static uint32_t h[BINS];
    static float w[BINS];
    const int32_t bins = BINS;
    char devices[96];
    yoke_array *ax, *ah, *aw;
    yoke_runtime *rt;
    (void)state;
    snprintf(devices, sizeof devices, "%s:copies=8", device);
    rt = open_runtime(devices);
    for (int i = 0; i < N; i++)
        x[i] = i;
    memset(h, 0, sizeof h);
    memset(w, 0, sizeof w);
    OK(yoke_array_wrap(rt, x, N, 4, &ax));
    OK(yoke_array_wrap(rt, h, BINS, 4, &ah));
    OK(yoke_array_wrap(rt, w, BINS, 4, &aw));
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, N },
                     .args = { yoke_value(bins), yoke_in(ax), yoke_add_to(ah), yoke_add_to(aw) } };
    job.args[2].merge = largest;
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(ah, YOKE_READ));
    OK(yoke_array_acquire(aw, YOKE_READ));
    for (int k = 0; k < BINS; k++) { /* the only copy has everything that falls into the bin */
        const uint32_t count = N / BINS + (k < N % BINS);
        assert_int_equal(h[k], count);
        assert_true(w[k] == 0.5f * (float)count);
    }
    assert_int_equal(folds_built(rt, "yk_fold_float"), 1);
    assert_int_equal(folds_built(rt, "yk_fold_32"), -1);
    OK(yoke_array_close(ax));
    OK(yoke_array_close(ah));
    OK(yoke_array_close(aw));
    OK(yoke_close(rt));
}

/* An array without rows is allowed if no index adds to it: there is nothing to fold. */
static void of_nothing(void **state)
{
    static int32_t none[1];
    const int32_t rows = 0;
    char devices[96];
    yoke_runtime *rt;
    yoke_array *a;
    (void)state;
    yk_check_devices = 1;
    snprintf(devices, sizeof devices, "%s:copies=8", device);
    rt = open_runtime(devices);
    OK(yoke_array_wrap(rt, none, 0, sizeof *none, &a));
    OK(yoke_run(rt,
                &(yoke_job){ .kernel = &k_add_some,
                             .range = { 0, N },
                             .args = { yoke_value(rows), yoke_add_to(a) } },
                NULL));
    OK(yoke_array_close(a));
    OK(yoke_close(rt));
    yk_check_devices = 0;
}

static void bad_numbers(void **state)
{
    static const char *const wrong[] = { "3", "512", "0", "-4" };
    char devices[96];
    yoke_runtime *rt;
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        snprintf(devices, sizeof devices, "%s:copies=%s", device, wrong[k]);
        assert_int_equal(yoke_open(&(yoke_config){ .devices = devices }, &rt), YOKE_EINVAL);
        assert_non_null(strstr(yoke_error_text(), wrong[k]));
        assert_non_null(strstr(yoke_error_text(), k < 2 ? "a power of two up to 256"
                                                        : "is too small; give 1 or more"));
    }
}

static yoke_status one_job(const char *devices)
{
    return run_jobs(devices, 1);
}

static void whatever_fails(void **state)
{
    char devices[96];
    (void)state;
    snprintf(devices, sizeof devices, "cpu:1,%s:copies=4", device);
    walk_everything(one_job, devices);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(however_many),
        cmocka_unit_test(in_little_memory),
        cmocka_unit_test(not_of_what_has_its_own_merge),
        cmocka_unit_test(of_nothing),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(whatever_fails),
    };
    if (argc > 1)
        device = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
