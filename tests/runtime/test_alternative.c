/* test_alternative.c - jobs with an alternative kernel: right whichever does what; on simulated
 * devices, where times are exact, each device goes on with the one that is faster there, with every
 * partitioner, and nothing of the search is left in later jobs; and whatever fails.
 *
 * Words on the command line are machines, which must be there. Nothing may hang: an alarm ends the
 * program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alternative_kernels.h"
#include "ok.h"
#include "runtime/job.h"
#include "walk.h"

enum { HANGS_SECONDS = 200, DEVICES_MOST = 4 };
static const char *where = "";

/* --- a job, its arrays, and what came of it --- */

struct work {
    yoke_runtime *rt;
    int64_t n;
    uint32_t *x, *y;
    int64_t sum;
    yoke_array *ax, *ay, *asum;
};

struct did { /* by device */
    double seconds;
    int64_t items[DEVICES_MOST][2];
    char reasons[DEVICES_MOST][192], names[DEVICES_MOST][32];
};

static yoke_status open_work(yoke_runtime *rt, int64_t n, struct work *out)
{
    yoke_status status;
    *out = (struct work){ .rt = rt, .n = n };
    out->x = malloc((size_t)n * sizeof *out->x);
    out->y = malloc((size_t)n * sizeof *out->y);
    for (int64_t i = 0; i < n; i++)
        out->x[i] = (uint32_t)i * 2654435761u;
    status = yoke_array_wrap(rt, out->x, n, sizeof *out->x, &out->ax);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, out->y, n, sizeof *out->y, &out->ay);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, &out->sum, 1, sizeof out->sum, &out->asum);
    return status;
}

static yoke_status close_work(struct work *work)
{
    yoke_array *const arrays[] = { work->ax, work->ay, work->asum };
    yoke_status status = YOKE_OK;
    for (int a = 0; a < 3; a++) {
        yoke_status closed = yoke_array_close(arrays[a]);
        status = status == YOKE_OK ? closed : status;
    }
    free(work->x);
    free(work->y);
    return status;
}

static const int32_t most_rounds = ALTERNATIVE_MOST;

static yoke_job job_of(const struct work *work)
{
    return (yoke_job){ .kernel = &k_at_once,
                       .alternative = &k_by_steps,
                       .range = { 0, work->n },
                       .args = { yoke_value(most_rounds), yoke_in(work->ax), yoke_out(work->ay),
                                 yoke_add_to(work->asum) } };
}

/* The arrays as a right job leaves them, from a sum that was 0. */
static yoke_status check(struct work *work, int times)
{
    int64_t sum = 0;
    yoke_status status = yoke_array_acquire(work->ay, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(work->asum, YOKE_READ);
    for (int64_t i = 0; i < work->n && status == YOKE_OK; i++) {
        uint32_t z = work->x[i];
        const int rounds = alternative_rounds(z, most_rounds);
        for (int r = 0; r < rounds; r++)
            z = alternative_round(z);
        sum += rounds;
        if (work->y[i] != z)
            fail_msg("%s: y[%d] is %u, not %u", where, (int)i, work->y[i], z);
    }
    if (status == YOKE_OK && work->sum != times * sum)
        fail_msg("%s: %d rounds, not %d", where, (int)work->sum, (int)(times * sum));
    return status;
}

static yoke_status run(struct work *work, const yoke_job *job, struct did *out)
{
    yoke_result *result = NULL;
    yoke_status status;
    memset(work->y, 0xee, (size_t)work->n * sizeof *work->y);
    status = yoke_array_acquire(work->asum, YOKE_WRITE);
    work->sum = 0;
    if (status == YOKE_OK)
        status = yoke_array_release(work->asum);
    if (status == YOKE_OK)
        status = yoke_run(work->rt, job, &result);
    if (status != YOKE_OK)
        return status;
    *out = (struct did){ .seconds = result->seconds };
    for (int d = 0; d < result->device_count && d < DEVICES_MOST; d++) {
        const yoke_kernel_result *kernel = &result->kernels[d];
        assert_int_equal(kernel->items[0] + kernel->items[1], result->devices[d].items);
        assert_string_equal(kernel->name,
                            kernel->items[1] > kernel->items[0] ? "k_by_steps" : "k_at_once");
        memcpy(out->items[d], kernel->items, sizeof kernel->items);
        snprintf(out->reasons[d], sizeof out->reasons[d], "%s", kernel->reason);
        snprintf(out->names[d], sizeof out->names[d], "%s", kernel->name);
    }
    yoke_result_close(result);
    return check(work, 1);
}

/* --- which is the faster one --- */

struct machine {
    const char *devices;
    int best[DEVICES_MOST], count; /* form of each device */
    int64_t many;                  /* items that take it long; 0: 200,000 */
    double together;               /* what several do in a second, each with its best one */
};

/* The slow one has a tenth of the speed. */
static const struct machine machines[] = {
    { "sim:gpu:rate=1e5:slow=k_by_steps", { 0 }, 1 },
    { "sim:gpu:rate=1e5:slow=k_at_once", { 1 }, 1 },
    { "sim:gpu:rate=1e5:lanes=4:slow=k_at_once:slowed=1.3", { 1 }, 1 },
    { "sim:gpu:rate=1e5:lanes=1:slow=k_by_steps:slowed=1.3", { 0 }, 1 },
    { "sim:gpu:rate=1e5:lanes=4:slow=k_at_once:slowed=1.2", { 1 }, 1 }, /* whole jobs tell */
    { "sim:gpu:rate=4e6:fill=5000:slow=k_at_once", { 1 }, 1, 3000000 }, /* one chunk or two a job */
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
static const char *const partitioners[] = {
    NULL, "even", "static", "dynamic", "guided", "nc-ht", "c-ht", "demand",
};

enum { JOBS_MOST = 14 };

/* What it does after enough jobs, without a chunk of the other kernel. */
static struct did settled(struct work *work, const yoke_job *job, const struct machine *machine)
{
    struct did did;
    int d, jobs, calm = 0;
    for (jobs = 0; calm < 3; jobs++) {
        OK(run(work, job, &did));
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

/* With the best kernel of the devices alone, where that is one and the same. */
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

static void each_device_keeps_its_faster_one(void **state)
{
    static const int64_t sizes[] = { 2000, 5000, 24000 };
    (void)state;
    for (int m = 0; m < (int)(sizeof machines / sizeof *machines); m++)
        for (int p = 0; p < (int)(sizeof partitioners / sizeof *partitioners); p++)
            for (int s = 0; s < 3; s++) {
                const struct machine *machine = &machines[m];
                struct work work;
                struct did did;
                where = machine->devices;
                alarm(HANGS_SECONDS);
                OK(open_work(open_runtime(machine->devices), sizes[s], &work));
                yoke_job job = job_of(&work);
                job.partitioner = partitioners[p];
                did = settled(&work, &job, machine);
                if (machine->count == 1) {
                    const double best = best_alone(machine, partitioners[p], sizes[s]);
                    if (did.seconds > 1.02 * best)
                        fail_msg("%s, %s, %d items: %g s, and %g with the better kernel", where,
                                 partitioners[p] ? partitioners[p] : "auto", (int)sizes[s],
                                 did.seconds, best);
                }
                if (machine->together > 0 && !partitioners[p] && s == 2)
                    assert_true(did.seconds < 1.1 * (double)sizes[s] / machine->together);
                OK(close_work(&work));
                OK(yoke_close(work.rt));
            }
}

/* In one long job, which is little longer than with the better one from the start. */
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
        OK(run(&work, &job, &did));
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

/* A second pair, another range: what is known of one pair says nothing of others; the same pair
 * with another range begins with what it knows. */
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
    yoke_job other = job_of(&shorter);
    OK(run(&shorter, &other, &did));
    assert_int_equal(did.items[0][0], 0);
    other.alternative = &other_steps;
    OK(run(&shorter, &other, &did));
    assert_true(did.items[0][0] > 0);
    job.kernel = &k_by_steps; /* and the other way round */
    job.alternative = &k_at_once;
    yoke_result *result;
    OK(yoke_run(work.rt, &job, &result));
    assert_true(result->kernels[0].items[1] > 0);
    yoke_result_close(result);
    OK(close_work(&shorter));
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* --- one of them does not work there --- */

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
                OK(run(&work, &job, &did));
                for (int d = 0; d < DEVICES_MOST; d++)
                    assert_int_equal(did.items[d][form], 0);
            }
            memset(kernels[1 - form].cpu.variant, 0, sizeof kernels[form].cpu.variant);
            assert_int_equal(yoke_run(work.rt, &job, NULL), YOKE_ENOIMPL);
            OK(close_work(&work));
            OK(yoke_close(work.rt));
        }
}

/* The device goes on without what it has no memory for. */
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
        OK(run(&work, &job, &did));
        assert_int_equal(did.items[0][0], 5000);
    }
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

struct seen {
    yoke_runtime *rt;
    int with, without; /* looks at which there were queues, or none */
};

static int look(void *context, int64_t done, int64_t all)
{
    struct seen *seen = context;
    (void)done;
    (void)all;
    *(seen->rt->running->devices[0].queues ? &seen->with : &seen->without) += 1;
    return 0;
}

/* Queues have memory only as long as steps may be taken. */
static void queues_go_when_they_are_not_needed(void **state)
{
    struct work work;
    (void)state;
    for (int steps_win = 0; steps_win < 2; steps_win++) {
        struct did did;
        where = steps_win ? "sim:gpu:rate=1e6:slow=k_at_once" : "sim:gpu:rate=1e6:slow=k_by_steps";
        OK(open_work(open_runtime(where), 200000, &work));
        struct seen seen = { .rt = work.rt };
        yoke_job job = job_of(&work);
        job.progress = look;
        job.progress_context = &seen;
        OK(run(&work, &job, &did));
        assert_true(seen.with > 0 && (seen.without > 1) == !steps_win);
        seen.with = seen.without = 0;
        OK(run(&work, &job, &did));
        assert_true((seen.with > 0) == steps_win);
        OK(close_work(&work));
        OK(yoke_close(work.rt));
    }
}

/* Chunks suit both. */
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
    OK(run(&work, &job, &did));
    OK(close_work(&work));
    OK(yoke_close(work.rt));
}

/* --- mistakes --- */

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

/* --- what fails --- */

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
        status = run(&work, &job, &did);
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

/* The GPU is lost after so many operations: while it tries one, the other, or neither. */
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
            job.partitioner = partitioners[jobs % 8];
            OK(run(&work, &job, &did));
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

/* Jobs beside each other share what they find, and each is right. */
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
                OK(check(&works[j], times));
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
        cmocka_unit_test(each_device_keeps_its_faster_one),
        cmocka_unit_test(one_job_is_enough),
        cmocka_unit_test(what_is_remembered),
        cmocka_unit_test(one_that_cannot),
        cmocka_unit_test(no_memory_for_queues),
        cmocka_unit_test(queues_go_when_they_are_not_needed),
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
