/* test_range.c - a job's range filled in: the defaults of each dimension, the treatment of `out`
 * arguments, and the amount of work that plans and memory assume for a part of a range. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "job/kernel.h"
#include "job/range.h"
#include "job/unit.h"
#include "life/job_kind.h"
#include <cmocka.h>

enum { ARGS = 5 };
static struct yk_kernel kernel = { .kernel = { .name = "k", .dimensions = 3 } };

/* A job with only its range, and arguments of these modes and shapes. */
static struct yk_job take(const yoke_job *spec, yoke_arg *args)
{
    const yoke_arg all[ARGS] = { { .mode = YOKE_PARAM_IN },
                                 { .mode = YOKE_PARAM_OUT },
                                 { .mode = YOKE_PARAM_OUT, .shape = YOKE_PART },
                                 { .mode = YOKE_PARAM_INOUT },
                                 { .mode = YOKE_PARAM_OUT, .home = YOKE_HOME_NOW } };
    struct yk_job job = { .kernel = &kernel, .args = args, .arg_count = ARGS };
    for (int p = 0; p < ARGS; p++)
        args[p] = all[p];
    assert_int_equal(yk_range_check(spec), YOKE_OK);
    yk_range_take(&job, spec);
    return job;
}

static void expect(const struct yk_job *job, const int64_t ends[6])
{
    const int64_t got[6] = { job->first,         job->last,           job->along[0].first,
                             job->along[0].last, job->along[1].first, job->along[1].last };
    for (int e = 0; e < 6; e++)
        assert_int_equal(got[e], ends[e]);
}

static void expect_outs(const yoke_arg *args, yoke_param_mode mode)
{
    assert_int_equal(args[0].mode, YOKE_PARAM_IN);
    assert_int_equal(args[1].mode, mode);
    assert_int_equal(args[2].mode, YOKE_PARAM_OUT);
    assert_int_equal(args[3].mode, YOKE_PARAM_INOUT);
    assert_int_equal(args[4].mode, mode);
}

static void defaults(void **state)
{
    (void)state;
    static const struct {
        yoke_job spec;
        int64_t ends[6], extent[2];
        int is_part;
    } cases[] = {
        { { .range = { 2, 9 } }, { 2, 9, 0, 1, 0, 1 }, { 1, 1 }, 0 },
        { { .range = { 2, 9, { 4, 5 } } }, { 2, 9, 0, 4, 0, 5 }, { 4, 5 }, 0 },
        { { .range = { 2, 9, { 4, 5 }, { 0, 4 }, { 0, 5 } } }, { 2, 9, 0, 4, 0, 5 }, { 4, 5 }, 0 },
        { { .range = { 2, 9, { 4, 5 }, { 1, 4 } } }, { 2, 9, 1, 4, 0, 5 }, { 4, 5 }, 1 },
        { { .range = { 2, 9, { 4, 5 }, .third = { 0, 1 } } }, { 2, 9, 0, 4, 0, 1 }, { 4, 5 }, 1 },
        { { .range = { 2, 9, { 0, 0 }, { 3, 4 }, { 0, 6 } } }, { 2, 9, 3, 4, 0, 6 }, { 4, 6 }, 1 },
        /* empty ranges */
        { { .range = { 2, 9, { 4, 5 }, { 3, 3 } } }, { 2, 2, 0, 4, 0, 5 }, { 4, 5 }, 1 },
        { { .range = { 2, 9, { 4, 5 }, .third = { 5, 5 } } }, { 2, 2, 0, 4, 0, 5 }, { 4, 5 }, 1 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        yoke_job spec = cases[c].spec;
        yoke_arg args[ARGS];
        spec.kernel = &kernel.kernel;
        const struct yk_job job = take(&spec, args);
        expect(&job, cases[c].ends);
        assert_int_equal(job.extent[0], cases[c].extent[0]);
        assert_int_equal(job.extent[1], cases[c].extent[1]);
        expect_outs(args, cases[c].is_part ? YOKE_PARAM_INOUT : YOKE_PARAM_OUT);
    }
}

/* A face is less work than the box. */
static void work(void **state)
{
    (void)state;
    static const yoke_job box = { .kernel = &kernel.kernel, .range = { 0, 100, { 40, 50 } } };
    yoke_job face = box;
    yoke_arg args[ARGS];
    struct yk_sizes sizes;
    struct yk_job job = take(&box, args);
    assert_int_equal(yk_job_busy_items(&job, 10000), 5);
    face.range.second.last = 1;
    job = take(&face, args);
    assert_int_equal(yk_job_busy_items(&job, 10000), 200);
    yk_job_kind_sizes(&job, &sizes);
    assert_int_equal(sizes.count, 3);
    assert_true(sizes.at[0] == 100 && sizes.at[1] == 1 && sizes.at[2] == 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(defaults), cmocka_unit_test(work) };
    return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
