/* test_team_cold.c - jobs of 50 us, in which a GPU's first parts are mostly a cold start, or which
 * are over before it begins: if it would be the faster device, it soon does them alone, and
 * otherwise its thread is not woken for nothing. Times are those of a loop of 20,000 items on an
 * H200 with 16 cores; where GPU and cores work together, the GPU's thread takes a core. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/cost.h"
#include "partition/team.h"

enum { CPU = 1, GPU = 2, BOTH = 3, JOBS = 400 };
static const double items = 20000, cores_ns = 50e3, woken_ns = 25e3, gpu_fixed_ns = 12e3;

struct machine {
    double gpu_item_ns, cold_ns; /* what the GPU's first job takes longer; half of it in the next */
    struct yk_split_device devices[2];
    struct yk_team team;
    int jobs;         /* of the GPU */
    double may_be_ns; /* what may have been a cold start in its latest job */
};

static struct machine opened(double gpu_item_ns, double cold_ns)
{
    return (struct machine){
        .gpu_item_ns = gpu_item_ns,
        .cold_ns = cold_ns,
        .devices = { { .host_memory = 1, .lanes = 16, .fill = 16, .peak = 1 },
                     { .lanes = 4, .fill = 262144, .make = 1, .fixed_ns = 15e3, .peak = 40 } }
    };
}

/* The GPU's items if both work: in its first job a quarter, then as many as its speed promises. */
static double part_of_gpu(const struct machine *machine, uint32_t asked)
{
    const double cores = machine->devices[0].rate, gpu = machine->devices[1].rate;
    if (asked != BOTH)
        return asked == GPU ? items : 0;
    return gpu > 0 ? items * gpu / (gpu + cores) : items / 4;
}

/* Returns the time of a part of the GPU, and notes what it shows. */
static double run_gpu(struct machine *machine, double part)
{
    struct yk_split_device *gpu = &machine->devices[1];
    const double ns =
        gpu_fixed_ns + part * machine->gpu_item_ns + machine->cold_ns * pow(0.5, machine->jobs);
    if (!(part > 0))
        return 0;
    gpu->rate = part / ns;
    gpu->part = part;
    machine->may_be_ns = yk_cold_ns(machine->may_be_ns, ns);
    gpu->cold = machine->may_be_ns / ns;
    machine->jobs++;
    return ns;
}

/* Returns the job's time. begins: 0: jobs of both are over before the GPU has begun. */
static double run_job(struct machine *machine, int begins)
{
    const struct yk_team_asks asks = { .devices = machine->devices, .count = 2, .items = items };
    const uint32_t asked = yk_team_choose(&machine->team, &asks);
    const double part = asked == BOTH && !begins ? 0 : part_of_gpu(machine, asked);
    const double cpu_ns = cores_ns * (1 - part / items), rate = machine->devices[1].rate;
    struct yk_team_job job = { .asked = asked, .tells = machine->devices[0].rate > 0 };
    job.ns = fmax(run_gpu(machine, part), cpu_ns) + (asked == BOTH ? woken_ns : 0);
    yk_team_did(&job, 0, machine->devices[0].rate, (int64_t)(items - part));
    yk_team_did(&job, 1, rate, (int64_t)part);
    if (part < items)
        machine->devices[0].rate = items / cores_ns;
    yk_team_note(&machine->team, &job);
    return job.ns;
}

static void a_cold_gpu_is_tried_alone(void **state)
{
    static const double item_ns[] = { 0.2, 0.5, 1, 10 }, cold_ns[] = { 0, 50e3, 200e3, 400e3 };
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 4; c++) {
            struct machine machine = opened(item_ns[i], cold_ns[c]);
            const double best_ns = fmin(cores_ns, gpu_fixed_ns + items * item_ns[i]);
            double ns = 0;
            for (int job = 0; job < JOBS; job++)
                ns += run_job(&machine, 1);
            printf("%4.1f ns an item, cold start of %3.0f us: %.3f of the faster device\n",
                   item_ns[i], cold_ns[c] / 1e3, ns / best_ns / JOBS);
            assert_int_equal(machine.team.explorer.best, best_ns < cores_ns ? GPU : CPU);
            assert_true(ns < 1.03 * JOBS * best_ns + 15 * cold_ns[c]);
        }
}

static void a_gpu_that_comes_too_late_is_tried_only_if_it_promises_a_gain(void **state)
{
    struct machine slow_link = opened(1, 0), machine = opened(1, 0);
    (void)state;
    slow_link.devices[1].copy_item_ns = 10;
    for (int job = 0; job < 8; job++) {
        run_job(&machine, 0);
        run_job(&slow_link, 0);
    }
    assert_int_equal(machine.team.explorer.best, GPU);
    assert_int_equal(slow_link.team.explorer.best, CPU);
    assert_int_equal(slow_link.jobs, 0);
}

/* Even if all of its times may have been a cold start, its copies alone take longer than the job.
 */
static void a_gpu_with_a_slow_link_is_not_tried_alone(void **state)
{
    struct machine machine = opened(10, 0);
    (void)state;
    machine.devices[1].copy_item_ns = 5;
    machine.devices[1].busier_part = 1;
    for (int job = 0; job < JOBS; job++) {
        run_job(&machine, 1);
        assert_int_not_equal(machine.team.explorer.trying, GPU);
    }
    assert_int_equal(machine.team.explorer.best, CPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_gpu_is_tried_alone),
        cmocka_unit_test(a_gpu_with_a_slow_link_is_not_tried_alone),
        cmocka_unit_test(a_gpu_that_comes_too_late_is_tried_only_if_it_promises_a_gain)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
