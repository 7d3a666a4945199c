/* test_step_waiting.c - step kernels of 4e9 generations of which at most one item waits: with that
 * bound declared, queues are small; and a kernel that emits in the other order is detected.
 *
 * Arguments are machines, which must exist. An alarm ends the program if it hangs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ok.h"
#include "step_kernels.h"

enum { HANGS_SECONDS = 250, LENGTH = 100, TOOTH = 5 };

static const char *const all_machines[] = {
    "opencl:0", "cpu:1", "cpu:1,opencl:0:lanes=2", "sim:gpu:mem=1M", "sim:cpu:cores=2,sim:gpu*2",
};
static const char *const *machines = all_machines;
static int machine_count = sizeof all_machines / sizeof *all_machines;
static const char *where = "";

/* Divisor of each job's number of combs and of their lengths: emulated devices are slow. */
static int32_t part = 1;

static yoke_runtime *open_machine(int m)
{
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = where = machines[m] }, &rt);
    if (status == YOKE_ENODEV && machines == all_machines)
        return NULL;
    if (status != YOKE_OK)
        fail_msg("%s: %s", where, yoke_error_text());
    alarm(HANGS_SECONDS);
    return rt;
}

/* Combs from indexes 0 .. last - 1; `step` has the queues' sizes. */
struct combs {
    comb_t comb;
    int64_t last;
    yoke_step step;
};

static struct combs part_of(const struct combs *all)
{
    struct combs some = *all;
    some.last = (all->last + part - 1) / part;
    some.comb.length = all->comb.length / part;
    return some;
}

static yoke_status run_combs(yoke_runtime *rt, const struct combs *combs, int64_t counts[2])
{
    yoke_kernel kernel = k_comb;
    yoke_array *array;
    yoke_status status;
    kernel.step.room = combs->step.room;
    kernel.step.turns = combs->step.turns;
    kernel.step.groups = combs->step.groups;
    kernel.step.waiting = combs->step.waiting;
    counts[0] = counts[1] = 0;
    OK(yoke_array_wrap(rt, counts, 2, sizeof *counts, &array));
    yoke_job job = { .kernel = &kernel,
                     .range = { 0, combs->last },
                     .args = { yoke_value(combs->comb), yoke_add_to(array) } };
    status = yoke_run(rt, &job, NULL);
    OK(yoke_array_close(array));
    return status;
}

static void one_waits(void **state)
{
    static const struct combs all[] = {
        { { LENGTH, TOOTH, 0 }, 400, { .waiting = 1 } },
        { { LENGTH, TOOTH, 0 }, 7, { .waiting = 1, .room = 2, .groups = 1 } },
        { { LENGTH, TOOTH, 0 }, 20, { .waiting = 1, .room = 3, .groups = 3, .turns = 50 } },
        { { LENGTH, TOOTH, 0 }, 70, { .waiting = 1, .room = 64, .groups = 2, .turns = 9 } },
        { { LENGTH, TOOTH, 0 }, 5, { .waiting = 5, .room = 2, .groups = 2, .turns = 200 } },
        /* the bound allows all of them to wait, in any order */
        { { LENGTH, TOOTH, 1 }, 3, { .waiting = LENGTH - 1, .room = 2, .groups = 1 } },
    };
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(m);
        int64_t counts[2];
        for (size_t k = 0; rt && k < sizeof all / sizeof *all; k++) {
            const struct combs combs = part_of(&all[k]);
            const int64_t spines = combs.last * combs.comb.length;
            if (run_combs(rt, &combs, counts) != YOKE_OK)
                fail_msg("%s, combs %d: %s", where, (int)k, yoke_error_text());
            assert_int_equal(counts[0], spines);
            assert_int_equal(counts[1], spines * combs.comb.tooth);
        }
        if (rt)
            OK(yoke_close(rt));
    }
}

static void more_wait_than_allowed(void **state)
{
    static const struct combs wrong = { { LENGTH, TOOTH, 1 },
                                        3,
                                        { .waiting = 1, .room = 2, .groups = 1 } },
                              right = { { LENGTH, TOOTH, 0 }, 3, { .waiting = 1 } };
    static const char words[] = "step kernel k_comb: more items wait than the 1 that step.waiting";
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(m);
        int64_t counts[2];
        if (!rt)
            continue;
        assert_int_equal(run_combs(rt, &wrong, counts), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), words))
            fail_msg("%s: %s", where, yoke_error_text());
        OK(run_combs(rt, &right, counts)); /* the devices still work */
        assert_int_equal(counts[0], 3 * LENGTH);
        OK(yoke_close(rt));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_waits),
        cmocka_unit_test(more_wait_than_allowed),
    };
    if (argc > 1) {
        machines = (const char *const *)argv + 1;
        machine_count = argc - 1;
        part = 10;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
