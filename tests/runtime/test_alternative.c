/* test_alternative.c - jobs with an alternative kernel are correct whichever kernel does which
 * items, on any device and whatever fails; misuse is reported. For the choice of kernel see
 * test_alternative_choice.c.
 *
 * Arguments are machines, which must exist. An alarm ends the program if it hangs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alternative_work.h"
#include "ok.h"
#include "walk.h"

/* --- one of the two kernels does not work on a device --- */

static void one_that_cannot(void **state)
{
    static const char *const devices[] = { "sim:gpu", "sim:cpu:cores=2", "sim:cpu,sim:gpu*2" };
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int m = 0; m < 3; m++) {
            yoke_kernel kernels[] = { k_at_once, k_by_steps };
            struct work work;
            struct did did;
            memset(kernels[form].cpu.variant, 0, sizeof kernels[form].cpu.variant);
            where = devices[m];
            OK(open_work(open_runtime(where), 5000, &work));
            yoke_job job = job_of(&work);
            job.kernel = &kernels[0];
            job.alternative = &kernels[1];
            for (int jobs = 0; jobs < 3; jobs++) {
                OK(run_work(&work, &job, &did));
                for (int d = 0; d < DEVICES_MOST; d++)
                    assert_int_equal(did.items[d][form], 0);
            }
            memset(kernels[1 - form].cpu.variant, 0, sizeof kernels[form].cpu.variant);
            assert_int_equal(yoke_run(work.rt, &job, NULL), YOKE_ENOIMPL);
            assert_int_equal(close_work(&work), YOKE_ELOST); /* its results are not there */
            OK(yoke_close(work.rt));
        }
}

/* If there is no memory for one kernel's queues, the device continues with the other kernel. */
static void no_memory_for_queues(void **state)
{
    yoke_kernel steps = k_by_steps;
    struct work work;
    struct did did;
    (void)state;
    where = "sim:gpu:mem=1M:slow=k_at_once";
    steps.step.most = 2;
    steps.step.generations = 1000000;
    OK(open_work(open_runtime(where), 5000, &work));
    yoke_job job = job_of(&work);
    job.alternative = &steps;
    for (int jobs = 0; jobs < 3; jobs++) {
        OK(run_work(&work, &job, &did));
        assert_int_equal(did.items[0][0], 5000);
    }
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* Chunk sizes fit both kernels. */
static void units(void **state)
{
    yoke_kernel by_four = k_at_once, by_six = k_at_once;
    struct work work;
    struct did did;
    (void)state;
    where = "units";
    by_four.unit = 4;
    by_six.unit = 6;
    OK(open_work(open_runtime("sim:cpu:cores=3,sim:gpu"), 1000, &work));
    yoke_job job = job_of(&work);
    job.kernel = &by_four;
    job.alternative = &by_six;
    job.partitioner = "dynamic:chunk=5";
    for (int jobs = 0; jobs < 3; jobs++) {
        yoke_result *result;
        OK(yoke_run(work.rt, &job, &result));
        for (int64_t c = 0; c < result->decision_count; c++)
            assert_int_equal(result->decisions[c].first % 12, 0);
        yoke_result_close(result);
    }
    job.alternative = &k_by_steps;
    OK(run_work(&work, &job, &did));
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* --- misuse --- */

static void wrong(struct work *work, const yoke_kernel *kernel, const yoke_kernel *alternative,
                  const char *words)
{
    yoke_job job = job_of(work);
    job.kernel = kernel;
    job.alternative = alternative;
    assert_int_equal(yoke_run(work->rt, &job, NULL), YOKE_EINVAL);
    if (!strstr(yoke_error_text(), words))
        fail_msg("'%s' and not '%s'", yoke_error_text(), words);
}

static void by_hand(void *const *args, const yoke_chunk *chunk)
{
    (void)args, (void)chunk;
}

static void mistakes(void **state)
{
    yoke_param params[4];
    yoke_kernel kernel = k_by_steps;
    struct work work;
    (void)state;
    OK(open_work(open_runtime("sim:cpu"), 10, &work));
    kernel.param_count = 3;
    wrong(&work, &k_at_once, &kernel,
          "kernel k_at_once has 4 parameters, its alternative k_by_steps 3");
    kernel = k_by_steps;
    kernel.params = params;
    for (int field = 0; field < 4; field++) {
        memcpy(params, k_by_steps.params, sizeof params);
        params[1].mode = field == 0 ? YOKE_PARAM_INOUT : params[1].mode;
        params[1].type = field == 1 ? "int32_t" : params[1].type;
        params[1].size = field == 2 ? 8 : params[1].size;
        params[1].alignment = field == 3 ? 16 : params[1].alignment;
        wrong(&work, &k_at_once, &kernel, "parameter 2 is in uint32_t in kernel k_at_once and");
    }
    kernel = k_by_steps;
    kernel.struct_size = 0;
    wrong(&work, &k_at_once, &kernel, "struct_size 0");
    kernel = k_at_once;
    kernel.dimensions = 2;
    wrong(&work, &kernel, &k_by_steps, "k_at_once has 2 dimension(s), its alternative k_by_steps");
    kernel = k_at_once;
    kernel.cpu.team = by_hand;
    wrong(&work, &kernel, &k_by_steps, "one has a team function");
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* --- failures --- */

static yoke_status small_program(const char *devices)
{
    yoke_runtime *rt = NULL;
    struct work work = { 0 };
    struct did did;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt), closed;
    if (status != YOKE_OK)
        return status;
    status = open_work(rt, 60, &work);
    yoke_job job = job_of(&work);
    job.partitioner = "dynamic:chunk=10";
    job.args[2].home = YOKE_HOME_NOW;
    for (int jobs = 0; jobs < 2 && status == YOKE_OK; jobs++)
        status = run_work(&work, &job, &did);
    closed = close_work(&work);
    status = status == YOKE_OK ? closed : status;
    closed = yoke_close(rt);
    return status == YOKE_OK ? closed : status;
}

static void whatever_fails(void **state)
{
    (void)state;
    where = "sim";
    alarm(HANGS_SECONDS);
    walk_everything(small_program, "sim:cpu:cores=2,sim:gpu:lanes=2:fill=4");
}

/* The GPU is lost after a given number of operations: while it tries one kernel, the other, or
 * neither. */
static void devices_that_fail(void **state)
{
    char devices[80];
    (void)state;
    for (int after = 1; after < 90; after++) {
        alarm(HANGS_SECONDS);
        snprintf(devices, sizeof devices, "sim:cpu:cores=2:rate=1e5,sim:gpu:fail_after=%d", after);
        where = devices;
        OK(small_program(devices));
    }
}

/* --- on any device --- */

static const char *const real[] = { "opencl:0", "cpu:1,opencl:0:lanes=2", "cpu", "cpu:1" };
static const char *const *asked = real;
static int asked_count = sizeof real / sizeof *real;

static void right_everywhere(void **state)
{
    (void)state;
    for (int m = 0; m < asked_count; m++) {
        yoke_runtime *rt = NULL;
        struct work work;
        struct did did;
        int64_t made[2] = { 0 };
        yoke_status status = yoke_open(&(yoke_config){ .devices = where = asked[m] }, &rt);
        if (status == YOKE_ENODEV && asked == real)
            continue;
        OK(status);
        alarm(HANGS_SECONDS);
        OK(open_work(rt, 20000, &work));
        yoke_job job = job_of(&work);
        for (int jobs = 0; jobs < 12 || !made[1]; jobs++) { /* until it is compiled */
            job.partitioner = partitioners[jobs % PARTITIONERS];
            OK(run_work(&work, &job, &did));
            for (int d = 0; d < DEVICES_MOST; d++)
                for (int form = 0; form < 2; form++)
                    made[form] += did.items[d][form];
        }
        print_message("%s: %d and %d items; %s\n", where, (int)made[0], (int)made[1],
                      did.reasons[0]);
        assert_true(made[0] > 0);
        OK(close_work(&work));
        OK(yoke_close(rt));
    }
}

/* Concurrent jobs share what they measure, and each is correct. */
static void jobs_beside_each_other(void **state)
{
    enum { JOBS = 24 };
    static const char *const devices[] = { "cpu", "sim:cpu:cores=2,sim:gpu*2", "opencl:0" };
    (void)state;
    for (int m = 0; m < 3; m++) {
        yoke_runtime *rt = NULL;
        struct work works[JOBS];
        yoke_ticket *tickets[JOBS];
        yoke_status status = yoke_open(&(yoke_config){ .devices = where = devices[m] }, &rt);
        if (status == YOKE_ENODEV)
            continue;
        OK(status);
        alarm(HANGS_SECONDS);
        for (int j = 0; j < JOBS; j++)
            OK(open_work(rt, 500 + 100 * (j % 3), &works[j]));
        for (int times = 1; times < 4; times++) {
            for (int j = 0; j < JOBS; j++) {
                const yoke_job job = job_of(&works[j]);
                OK(yoke_submit(rt, &job, &tickets[j]));
            }
            for (int j = 0; j < JOBS; j++)
                OK(yoke_wait(tickets[j], NULL));
            for (int j = 0; j < JOBS; j++)
                OK(check_work(&works[j], times));
        }
        for (int j = 0; j < JOBS; j++)
            OK(close_work(&works[j]));
        OK(yoke_close(rt));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_everywhere),
        cmocka_unit_test(one_that_cannot),
        cmocka_unit_test(no_memory_for_queues),
        cmocka_unit_test(units),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(whatever_fails),
        cmocka_unit_test(devices_that_fail),
        cmocka_unit_test(jobs_beside_each_other),
    };
    const struct CMUnitTest on_devices[] = { cmocka_unit_test(right_everywhere) };
    if (argc == 1)
        return cmocka_run_group_tests(tests, NULL, NULL);
    asked = (const char *const *)argv + 1;
    asked_count = argc - 1;
    return cmocka_run_group_tests(on_devices, NULL, NULL);
}
