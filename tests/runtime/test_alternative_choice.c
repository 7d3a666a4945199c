/* test_alternative_choice.c - which of two kernels a device continues with: on simulated devices,
 * whose times are exact, the faster one, with every partitioner; later jobs have no cost of the
 * search.
 *
 * YOKE_TEST_SIZES: number of sizes (of three) for each machine and partitioner; default 3. If it is
 * smaller, the sizes take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alternative_work.h"
#include "job/job.h"
#include "job/runtime.h"
#include "ok.h"

struct machine {
    const char *devices;
    int best[DEVICES_MOST], count; /* index of each device's faster kernel */
    int64_t many;                  /* items for a long job; 0: 200,000 */
    double together; /* items per second of several devices, each with its faster kernel */
};

/* The slower kernel has a tenth of the speed. */
static const struct machine machines[] = {
    { "sim:gpu:rate=1e5:slow=k_by_steps", { 0 }, 1 },
    { "sim:gpu:rate=1e5:slow=k_at_once", { 1 }, 1 },
    { "sim:gpu:rate=1e5:lanes=4:slow=k_at_once:slowed=1.3", { 1 }, 1 },
    { "sim:gpu:rate=1e5:lanes=1:slow=k_by_steps:slowed=1.3", { 0 }, 1 },
    { "sim:gpu:rate=1e5:lanes=4:slow=k_at_once:slowed=1.2", { 1 }, 1 }, /* decided by whole jobs */
    { "sim:gpu:rate=4e6:fill=5000:slow=k_at_once", { 1 }, 1, 3000000 }, /* 1 or 2 chunks per job */
    { "sim:cpu:cores=4:rate=1e4:slow=k_at_once", { 1 }, 1 },
    { "sim:cpu:cores=4:rate=1e4:slow=k_by_steps", { 0 }, 1 },
    { "sim:cpu:cores=4:rate=1e4:slow=k_by_steps,sim:gpu:rate=1e5:slow=k_at_once",
      { 0, 1 },
      2,
      0,
      1.4e5 },
    { "sim:cpu:cores=4:rate=1e4:slow=k_at_once,sim:gpu:rate=1e5:slow=k_by_steps,"
      "sim:gpu:rate=1e5:slow=k_at_once",
      { 1, 0, 1 },
      3,
      0,
      2.4e5 },
};

enum { JOBS_MOST = 14, MANY_ITEMS = 24000 };

/* Runs jobs until it has settled; checks that no later chunk uses the other kernel. */
static struct did settled(struct work *work, const yoke_job *job, const struct machine *machine)
{
    struct did did;
    int d, jobs, calm = 0;
    for (jobs = 0; calm < 3; jobs++) {
        OK(run_work(work, job, &did));
        for (d = 0; d < machine->count; d++)
            if (did.items[d][1 - machine->best[d]] > 0)
                break;
        calm = d == machine->count ? calm + 1 : 0;
        if (jobs > JOBS_MOST)
            fail_msg("%s, %s: %s after %d jobs", machine->devices,
                     job->partitioner ? job->partitioner : "auto", did.reasons[d], jobs);
    }
    return did;
}

/* Time with the best kernel alone, if it is the same for all devices. */
static double best_alone(const struct machine *machine, const char *partitioner, int64_t n)
{
    struct work work;
    struct did did;
    OK(open_work(open_runtime(machine->devices), n, &work));
    yoke_job job = job_of(&work);
    job.kernel = machine->best[0] ? &k_by_steps : &k_at_once;
    job.alternative = NULL;
    job.partitioner = partitioner;
    for (int jobs = 0; jobs < JOBS_MOST + 2; jobs++) {
        yoke_result *result;
        OK(yoke_run(work.rt, &job, &result));
        did.seconds = result->seconds;
        assert_string_equal(result->kernels[0].reason, "");
        yoke_result_close(result);
    }
    OK(close_work(&work));
    OK(yoke_close(work.rt));
    return did.seconds;
}

static void goes_on_with_the_faster_one(const struct machine *machine, const char *partitioner,
                                        int64_t items)
{
    struct work work;
    struct did did;
    where = machine->devices;
    alarm(HANGS_SECONDS);
    OK(open_work(open_runtime(machine->devices), items, &work));
    yoke_job job = job_of(&work);
    job.partitioner = partitioner;
    did = settled(&work, &job, machine);
    if (machine->count == 1) {
        const double best = best_alone(machine, partitioner, items);
        if (did.seconds > 1.02 * best)
            fail_msg("%s, %s, %d items: %g s, and %g with the better kernel", where,
                     partitioner ? partitioner : "auto", (int)items, did.seconds, best);
    }
    if (machine->together > 0 && !partitioner && items >= MANY_ITEMS)
        assert_true(did.seconds < 1.1 * (double)items / machine->together);
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* Under auto with every size, even if YOKE_TEST_SIZES is smaller. */
static void each_device_keeps_its_faster_one(void **state)
{
    static const int64_t sizes[] = { 2000, 5000, MANY_ITEMS };
    const char *given = getenv("YOKE_TEST_SIZES");
    const int all = (int)(sizeof sizes / sizeof *sizes), some = given ? atoi(given) : all;
    (void)state;
    assert_in_range(some, 1, all);
    for (int m = 0; m < (int)(sizeof machines / sizeof *machines); m++)
        for (int p = 0; p < PARTITIONERS; p++)
            for (int s = 0; s < (partitioners[p] ? some : all); s++)
                goes_on_with_the_faster_one(&machines[m], partitioners[p],
                                            sizes[(m + p + s) % all]);
}

/* One long job takes little longer than with the better kernel from the start. */
static void one_job_is_enough(void **state)
{
    (void)state;
    for (int m = 0; m < (int)(sizeof machines / sizeof *machines); m++) {
        const struct machine *machine = &machines[m];
        struct work work;
        struct did did;
        alarm(HANGS_SECONDS);
        where = machine->devices;
        OK(open_work(open_runtime(where), machine->many ? machine->many : 200000, &work));
        yoke_job job = job_of(&work);
        OK(run_work(&work, &job, &did));
        for (int d = 0; d < machine->count; d++) {
            const int64_t *items = did.items[d], other = items[1 - machine->best[d]];
            print_message("%s, device %d: %d and %d items\n", where, d, (int)items[0],
                          (int)items[1]);
            assert_true(other > 0);
            assert_true((double)other < 0.03 * (double)work.n);
            if (!strstr(did.reasons[d], "measured at"))
                fail_msg("%s, device %d: %s", where, d, did.reasons[d]);
        }
        if (machine->together > 0)
            assert_true(did.seconds < 1.15 * (double)work.n / machine->together);
        OK(close_work(&work));
        OK(yoke_close(work.rt));
    }
}

/* Another pair, another range: what is known of one pair does not apply to others; the same pair
 * with another range begins with what is known. */
static void what_is_remembered(void **state)
{
    const struct machine *machine = &machines[1];
    yoke_kernel other_steps = k_by_steps;
    struct work work, shorter;
    struct did did;
    (void)state;
    alarm(HANGS_SECONDS);
    other_steps.step.turns = 100;
    where = machine->devices;
    OK(open_work(open_runtime(machine->devices), 60000, &work));
    OK(open_work(work.rt, 50000, &shorter));
    yoke_job job = job_of(&work);
    settled(&work, &job, machine);
    settled(&work, &job, machine); /* it has tried the other one again, too */
    yoke_job other = job_of(&shorter);
    OK(run_work(&shorter, &other, &did));
    assert_int_equal(did.items[0][0], 0);
    other.alternative = &other_steps;
    OK(run_work(&shorter, &other, &did));
    assert_true(did.items[0][0] > 0);
    job.kernel = &k_by_steps; /* and exchanged */
    job.alternative = &k_at_once;
    yoke_result *result;
    OK(yoke_run(work.rt, &job, &result));
    assert_true(result->kernels[0].items[1] > 0);
    yoke_result_close(result);
    OK(close_work(&shorter));
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* Cores 1,250 times slower than the GPU finish their chunks while less is left than the GPU's
 * smallest chunk: they must not get all of it, and no job takes longer because of them. */
static void very_slow_cores_hold_up_no_job(void **state)
{
    struct work work;
    struct did did;
    (void)state;
    where = "sim:cpu:cores=4:rate=200,sim:gpu:rate=1e6:slow=k_at_once";
    OK(open_work(open_runtime(where), 200000, &work));
    const yoke_job job = job_of(&work);
    for (int jobs = 0; jobs < 4; jobs++) {
        OK(run_work(&work, &job, &did));
        assert_true(did.seconds < (jobs == 0 ? 0.26 : 0.21));
    }
    yoke_runtime *rt = work.rt;
    OK(close_work(&work));
    OK(yoke_close(rt));
}

struct seen {
    yoke_runtime *rt;
    int with, without; /* number of looks with queues, and without */
};

static int look(void *context, int64_t done, int64_t all)
{
    struct seen *seen = context;
    (void)done;
    (void)all;
    *(seen->rt->running->devices[0].queues ? &seen->with : &seen->without) += 1;
    return 0;
}

/* Queues are allocated only while the step kernel may be used. */
static void queues_go_when_they_are_not_needed(void **state)
{
    struct work work;
    (void)state;
    for (int steps_win = 0; steps_win < 2; steps_win++) {
        struct did did;
        where = steps_win ? "sim:gpu:rate=1e6:slow=k_at_once" : "sim:gpu:rate=1e6:slow=k_by_steps";
        OK(open_work(open_runtime(where), 600000, &work));
        struct seen seen = { .rt = work.rt };
        yoke_job job = job_of(&work);
        job.progress = look;
        job.progress_context = &seen;
        OK(run_work(&work, &job, &did));
        assert_true(seen.with > 0 && (seen.without > 1) == !steps_win);
        seen.with = seen.without = 0;
        OK(run_work(&work, &job, &did));
        assert_true((seen.with > 0) == steps_win);
        OK(close_work(&work));
        OK(yoke_close(work.rt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_keeps_its_faster_one),
        cmocka_unit_test(one_job_is_enough),
        cmocka_unit_test(what_is_remembered),
        cmocka_unit_test(very_slow_cores_hold_up_no_job),
        cmocka_unit_test(queues_go_when_they_are_not_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
