/* test_plan.c - bounds for all kernels of a decomposition: all end together, kernels of different
 * ratios on the same rows settle on what is best for both, or have each its own where the jobs are
 * long enough; rows move only for what they bring, and never for noise.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partition/plan.h"

#define ITEMS 1e6

static void know(struct yk_plan_kernel *kernel, int d, double item_ns, double fixed_ns)
{
    yk_cost_recall(&kernel->cost[d], &(struct yk_kept_cost){ item_ns, fixed_ns, 0.06, 0.06 });
    kernel->cost[d].item_var = 1e-4 * item_ns * item_ns;
}

/* So many devices, rows of 4 bytes, links of 10 bytes a nanosecond. */
static struct yk_plan plan_of(int devices, int kernels)
{
    struct yk_plan plan = { .devices = devices,
                            .kernels = kernels,
                            .allowed = ((uint32_t)1 << devices) - 1,
                            .jobs = 100,
                            .bytes = 4 * ITEMS,
                            .lacks = { 1, 1, 1, 1 } };
    int from, to, k;
    for (from = 0; from < devices; from++)
        for (to = 0; to < devices; to++)
            plan.peer_ns[from][to] = from == to ? 0 : 0.1;
    for (k = 0; k < kernels; k++) {
        plan.kernel[k].items = ITEMS;
        plan.kernel[k].high = 1;
        plan.kernel[k].weight = 1.0 / kernels;
        plan.kernel[(k + 1) % kernels].rows_from[k] = 4 * ITEMS;
    }
    return plan;
}

/* Results that the program reads cost a GPU their way home, and cores nothing. Rows that the host
 * still has need not move there. */
static void what_is_read_and_what_is_there(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts all = { .share = { { 0, 1 } } }, none = { .share = { { 1, 0 } } };
    (void)state;
    plan.link_ns[1] = 0.1;
    plan.peer_ns[0][1] = plan.peer_ns[1][0] = 0;
    plan.start_ns = 1000;
    know(&plan.kernel[0], 0, 0.2, 0);
    know(&plan.kernel[0], 1, 0.1, 0);
    assert_float_equal(yk_plan_ns(&plan, &all), 1e5, 1);
    assert_float_equal(yk_plan_move_ns(&plan, &all, &none), 1000 + 4e5, 1);
    plan.lacks[0] = 0.25;
    assert_float_equal(yk_plan_move_ns(&plan, &all, &none), 1000 + 1e5, 1);
    assert_float_equal(yk_plan_move_ns(&plan, &none, &all), 1000 + 4e5, 1);
    plan.kernel[0].home_bytes = 2 * ITEMS; /* half of them, after half of the jobs */
    plan.kernel[0].home_part = 0.5;
    assert_float_equal(yk_plan_ns(&plan, &all), 1e5 + 500 + 2e5, 1);
    assert_float_equal(yk_plan_ns(&plan, &none), 2e5, 1);
}

/* A part that does not fill a device takes as long as one that does. */
static void small_parts_do_not_help(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 1, 0);
    know(&plan.kernel[0], 1, 0.01, 0);
    plan.kernel[0].fill[1].items = 20 * ITEMS; /* 200 us, however small */
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] <= 0.2 && cuts.share[0][1] >= 0.8);
    assert_float_equal(yk_plan_ns(&plan, &cuts), 2e5, 1);
    assert_float_equal(yk_plan_counted(10, 1, (struct yk_plan_fill){ 100, 0 }), 100, 0);
    assert_float_equal(yk_plan_counted(10, 2, (struct yk_plan_fill){ 100, 0 }), 200,
                       0); /* two small chunks */
    assert_float_equal(yk_plan_counted(250, 2, (struct yk_plan_fill){ 100, 0 }), 250, 0);
    assert_float_equal(yk_plan_counted(16, 1, (struct yk_plan_fill){ 16, 1 }), 16, 0);
    assert_float_equal(yk_plan_counted(17, 1, (struct yk_plan_fill){ 16, 1 }), 32, 0);
    assert_float_equal(yk_plan_counted(0, 1, (struct yk_plan_fill){ 100, 0 }), 0, 0);
}

/* Beside cores a GPU begins later, and the caller notices the end later. Figures of a sum of a
 * million products on an H100 and 16 cores. The plan must find the GPU alone, although the cores do
 * more in the best plan for both. */
static void a_short_job_needs_no_cores(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts, cores = { .share = { { 1, 0 } } };
    (void)state;
    plan.kernel[0].items = 1 << 20;
    plan.kernel[0].fill[1].items = 270336;
    plan.link_ns[1] = 0.022;
    plan.peer_ns[0][1] = plan.peer_ns[1][0] = 0;
    plan.late_ns[1] = 40000;
    plan.return_ns = 54610;
    know(&plan.kernel[0], 0, 0.0397, 20000);
    know(&plan.kernel[0], 1, 0.00128, 15000);
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(yk_plan_team(&plan, &cuts), 2);
    assert_float_equal(yk_plan_ns(&plan, &cuts), 15000 + 0.00128 * (1 << 20), 1);
    assert_float_equal(yk_plan_ns(&plan, &cores), 20000 + 0.0397 * (1 << 20) + 54610, 1);
    plan.kernel[0].items *= 1e4;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(yk_plan_team(&plan, &cuts), 3);
}

/* Figures of 4,096 options on 16 cores, and a GPU of 31 times their peak that has done nothing yet:
 * for the whole fill it would take twice as long as the cores for the options. */
static void an_unknown_gpu_is_hardly_filled(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_plan_kernel *kernel = &plan.kernel[0];
    struct yk_cuts cuts;
    (void)state;
    kernel->items = 4096;
    kernel->fill[1].items = 270336;
    plan.link_ns[1] = 0.022;
    plan.late_ns[1] = 40000;
    know(kernel, 0, 113, 20000);
    yk_cost_pool(
        kernel->cost,
        &(struct yk_cost_pool){
            .make = (const int[]){ 1, 2 },
            .peak = (const double[]){ yk_plan_peak(1, 4096, (struct yk_plan_fill){ 0, 0 }),
                                      yk_plan_peak(31, 4096, (struct yk_plan_fill){ 270336, 0 }) },
            .told = (const double[]){ 20000, 15000 },
            .count = 2 });
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(yk_plan_team(&plan, &cuts), 2);
    assert_float_equal(yk_plan_ns(&plan, &cuts), 15000 + 113 / 31.0 * sqrt(4096.0 * 270336), 1500);
}

static void all_end_together(void **state)
{
    struct yk_plan plan = plan_of(3, 1);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 1, 0);
    know(&plan.kernel[0], 1, 0.1, 5000);
    know(&plan.kernel[0], 2, 0.05, 5000);
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    /* (T) (1/1) + (T - 5000) (1/0.1 + 1/0.05) = 1e6 */
    assert_true(fabs(yk_plan_ns(&plan, &cuts) / ((1e6 + 150000) / 31) - 1) < 0.01);
    assert_true(fabs(cuts.share[0][0] + cuts.share[0][1] + cuts.share[0][2] - 1) < 1e-9);
    assert_int_equal(yk_plan_team(&plan, &cuts), 7);
}

/* Two devices are known to be equal, and one has more; a third is hardly known. By the means the
 * best cuts give it more, too, which is too uncertain; the others get their halves all the same. */
static void uncertain_devices_hold_up_nothing(void **state)
{
    struct yk_plan plan = plan_of(3, 1);
    const struct yk_cuts now = { .tied = 1, .share = { { 0.01, 0.24, 0.75 } } };
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 0.4, 0);
    know(&plan.kernel[0], 1, 0.05, 0);
    know(&plan.kernel[0], 2, 0.05, 0);
    plan.kernel[0].cost[0].item_var = 0.4 * 0.4;
    plan.jobs = 1e6;
    assert_int_equal(yk_plan_find(&plan, &now, &cuts), 1);
    assert_true(cuts.share[0][1] > 0.45 && cuts.share[0][2] < 0.5);
    assert_true(plan.weighed.gain_ns > plan.weighed.error_ns);
}

static void who_only_costs_gets_nothing(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 0.001, 100);
    know(&plan.kernel[0], 1, 0.001, 5000);
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(yk_plan_team(&plan, &cuts), 1);
    plan.kernel[0].cost[0].item_ns = 0; /* nothing is known of it */
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(yk_plan_team(&plan, &cuts), 2);
    plan.allowed = 1;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 0);
}

/* Alone, each kernel would have 10 to 1 or 1 to 10. */
static struct yk_plan opposite(double scale)
{
    struct yk_plan plan = plan_of(2, 2);
    know(&plan.kernel[0], 0, scale, 0);
    know(&plan.kernel[0], 1, 10 * scale, 0);
    know(&plan.kernel[1], 0, 10 * scale, 0);
    know(&plan.kernel[1], 1, scale, 0);
    return plan;
}

/* A device with time to spare gets rows meanwhile, unless copies begin too late for that. */
static void short_kernels_share_bounds(void **state)
{
    struct yk_plan plan = opposite(0.01);
    const double together_ns = 0.01 * ITEMS * 10 / 2;
    struct yk_cuts cuts;
    (void)state;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] > cuts.share[1][0] + 0.05);
    assert_true(yk_plan_ns(&plan, &cuts) < 0.95 * together_ns);
    plan.start_ns = 2 * together_ns;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_memory_equal(cuts.share[0], cuts.share[1], sizeof cuts.share[0]);
    assert_true(yk_plan_ns(&plan, &cuts) < 1.01 * together_ns * 1.1);
}

/* Each part waits for its neighbours' rows: that pays for long kernels only. */
static void halos_cost_their_way(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 1, 0);
    know(&plan.kernel[0], 1, 1, 0);
    plan.kernel[0].halo_copies = 2;
    plan.start_ns = 0.4 * ITEMS;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(fabs(cuts.share[0][0] - 0.5) < 0.001);
    plan.start_ns = 0.6 * ITEMS;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] == 0 || cuts.share[0][0] == 1);
    plan.peer_ns[0][1] = plan.peer_ns[1][0] = 0; /* two copies, through the host */
    plan.link_ns[0] = plan.link_ns[1] = 0.1;
    plan.start_ns = 0.4 * ITEMS;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] == 0 || cuts.share[0][0] == 1);
}

/* What the program writes reaches the cores at once, and a GPU over its link while they work. */
static void what_the_program_writes_is_sent(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts;
    (void)state;
    plan.link_ns[0] = 0;
    plan.link_ns[1] = 1;
    know(&plan.kernel[0], 0, 4, 0);
    know(&plan.kernel[0], 1, 1, 0);
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(fabs(cuts.share[0][0] - 0.2) < 0.001);
    plan.kernel[0].sent_bytes = 3 * ITEMS; /* 3 ns more for each item of the GPU */
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(fabs(cuts.share[0][0] - 0.5) < 0.001);
}

static void long_kernels_have_their_own(void **state)
{
    struct yk_plan plan = opposite(10);
    struct yk_cuts cuts;
    (void)state;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] > 0.85 && cuts.share[1][1] > 0.85);
}

/* A copy before each job costs more than ends that are 1 % apart. */
static void copies_must_be_worth_their_start(void **state)
{
    struct yk_plan plan = plan_of(2, 2);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 1, 0);
    know(&plan.kernel[0], 1, 1, 0);
    know(&plan.kernel[1], 0, 1.1, 0);
    know(&plan.kernel[1], 1, 0.9, 0);
    plan.kernel[0].cost[1].item_var = plan.kernel[1].cost[1].item_var = 0;
    plan.kernel[0].cost[0].item_var = plan.kernel[1].cost[0].item_var = 0;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(cuts.tied, 0);
    plan.start_ns = 0.05 * ITEMS;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_int_equal(cuts.tied, 1);
}

static void rows_move_only_if_it_pays(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts now = { .tied = 1 }, next;
    (void)state;
    know(&plan.kernel[0], 0, 0.1, 0);
    know(&plan.kernel[0], 1, 0.1, 0);
    now.share[0][0] = 0.6;
    now.share[0][1] = 0.4;
    /* 10 us a job for 40 us once */
    plan.jobs = 3;
    assert_int_equal(yk_plan_find(&plan, &now, &next), 0);
    plan.jobs = 5;
    assert_int_equal(yk_plan_find(&plan, &now, &next), 1);
    assert_true(fabs(next.share[0][0] - 0.5) < 0.001);
    /* where nothing is sure of the two, not for 10 of 60 us */
    plan.kernel[0].cost[0].item_var = plan.kernel[0].cost[1].item_var = 0.08 * 0.08;
    assert_int_equal(yk_plan_find(&plan, &now, &next), 0);
}

/* Each part needs the vector whole, which the others have: that is no reason for one to do all. */
static void whole_arrays_cost_their_way(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts cuts;
    (void)state;
    know(&plan.kernel[0], 0, 1, 0);
    know(&plan.kernel[0], 1, 1, 0);
    plan.kernel[0].whole_from[0] = 4e5;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(fabs(cuts.share[0][0] - 0.5) < 0.001);
    plan.kernel[0].whole_from[0] = 4e7; /* but now it is */
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] == 0 || cuts.share[0][0] == 1);
}

/* The second kernel reads whole what the first one wrote, on one device: whatever another device
 * writes would have to come there, so that one does all, too. */
static void whole_arrays_come_from_their_writer(void **state)
{
    struct yk_plan plan = plan_of(2, 2);
    struct yk_cuts cuts;
    (void)state;
    for (int k = 0; k < 2; k++) {
        know(&plan.kernel[k], 0, 1, 0);
        know(&plan.kernel[k], 1, k ? 100 : 1, 0);
        memset(plan.kernel[k].rows_from, 0, sizeof plan.kernel[k].rows_from);
    }
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] < 0.6 && cuts.share[1][0] > 0.9);
    plan.kernel[1].whole_from[0] = 4e7;
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(cuts.share[0][0] == 1 && cuts.share[1][0] == 1);
}

static void parts_of_a_range_are_cut_out(void **state)
{
    const struct yk_plan_kernel kernel = { .items = 500, .low = 0.25, .high = 0.75 };
    const double share[3] = { 0.25, 0.25, 0.5 };
    (void)state;
    assert_true(yk_plan_items(&kernel, share, 0) == 0);
    assert_true(fabs(yk_plan_items(&kernel, share, 1) - 250) < 1e-6);
    assert_true(fabs(yk_plan_items(&kernel, share, 2) - 250) < 1e-6);
}

static void many_devices(void **state)
{
    static struct yk_plan plan;
    static struct yk_cuts cuts;
    int d;
    (void)state;
    plan = plan_of(31, 3);
    for (d = 0; d < 31; d++) {
        know(&plan.kernel[0], d, d < 15 ? 1 : 2, 0);
        know(&plan.kernel[1], d, d < 15 ? 1 : 2, 0);
        know(&plan.kernel[2], d, d < 15 ? 1 : 2, 0);
    }
    assert_int_equal(yk_plan_find(&plan, NULL, &cuts), 1);
    assert_true(yk_plan_ns(&plan, &cuts) < 1.02 * ITEMS / (15 + 16 / 2.0));
}

/* All rows of one GPU: to the host over its link, to another GPU over both links, of which those of
 * several senders are used at the same time. */
static void rows_travel_through_the_host(void **state)
{
    struct yk_plan plan = plan_of(4, 1);
    struct yk_cuts from = { .tied = 1 }, to = { .tied = 1 };
    int d, other;
    (void)state;
    for (d = 0; d < 4; d++) {
        plan.link_ns[d] = d > 0 ? 0.1 : 0; /* the first device is the host */
        for (other = 0; other < 4; other++)
            plan.peer_ns[d][other] = 0;
    }
    for (d = 0; d < 4; d++)
        know(&plan.kernel[0], d, 1, 0);
    from.share[0][1] = to.share[0][0] = 1;
    assert_true(fabs(yk_plan_move_ns(&plan, &from, &to) / (0.1 * 4 * ITEMS) - 1) < 1e-6);
    to = (struct yk_cuts){ .tied = 1, .share[0] = { 0, 0, 1, 0 } };
    assert_true(fabs(yk_plan_move_ns(&plan, &from, &to) / (0.2 * 4 * ITEMS) - 1) < 1e-6);
    from.share[0][1] = from.share[0][3] = 0.5;
    assert_true(fabs(yk_plan_move_ns(&plan, &from, &to) / (0.15 * 4 * ITEMS) - 1) < 1e-6);
    plan.peer_ns[1][2] = 0.01;
    assert_true(fabs(yk_plan_move_ns(&plan, &from, &to) / (0.105 * 4 * ITEMS) - 1) < 1e-6);
}

/* A device gets its new rows while others work: a GPU needs 100 us for half of the rows and 200 us
 * to get them, beside cores that work for 250 us. If a round has two jobs, it gets a half in each.
 */
static void others_work_while_rows_move(void **state)
{
    struct yk_plan plan = plan_of(2, 1);
    struct yk_cuts from = { .tied = 1, .share[0] = { 1, 0 } };
    struct yk_cuts to = { .tied = 1, .share[0] = { 0.5, 0.5 } };
    (void)state;
    plan.link_ns[1] = 0.1;
    plan.peer_ns[0][1] = plan.peer_ns[1][0] = 0;
    plan.start_ns = 1000;
    know(&plan.kernel[0], 0, 0.5, 0);
    know(&plan.kernel[0], 1, 0.2, 0);
    assert_float_equal(yk_plan_move_ns(&plan, &from, &to), 1e5 + 1000 + 2e5 - 2.5e5, 1);
    plan.lacks[1] = 0.5; /* it has others of the arrays already */
    assert_float_equal(yk_plan_move_ns(&plan, &from, &to), 0, 0);
    plan.lacks[1] = 1;
    plan.round_jobs = 2;
    assert_float_equal(yk_plan_move_ns(&plan, &from, &to), 0, 0);
}

/* The bounds of a first job are a guess: its chunks lay elsewhere. A device that lacks all rows of
 * its part gets them even if bounds stay, so bounds that it needs as many rows for cost no more. */
static void rows_that_come_anyway(void **state)
{
    struct yk_plan plan = plan_of(3, 1);
    struct yk_cuts now = { .tied = 1, .share[0] = { 0.6, 0.2, 0.2 } }, best;
    int d;
    (void)state;
    for (d = 0; d < 3; d++)
        know(&plan.kernel[0], d, 0.1, 0);
    plan.jobs = 3.8;
    assert_false(yk_plan_find(&plan, &now, &best));
    assert_float_equal(yk_plan_move_ns(&plan, &now, &now), 0, 0);
    plan.lacks_own[1] = plan.lacks_own[2] = 1;
    assert_true(yk_plan_move_ns(&plan, &now, &now) > 0);
    assert_true(yk_plan_find(&plan, &now, &best));
    assert_float_equal(best.share[0][0], 1.0 / 3, 0.01);
}

/* Bounds are multiples of the grain. A part that is less than half of it is left out. A coarse
 * grain is ignored, because jobs would take longer than the copies of the rows between. */
static void bounds_that_all_kernels_can_have(void **state)
{
    struct yk_plan plan = plan_of(3, 1);
    const struct yk_cuts cuts = { .tied = 1, .share = { { 0.0002, 0.4999, 0.4999 } } };
    struct yk_cuts aligned = cuts;
    (void)state;
    for (int d = 0; d < 3; d++)
        know(&plan.kernel[0], d, 0.1, 0);
    plan.start_ns = 1000;
    plan.grain = 0.001024;
    yk_plan_align(&plan, &aligned);
    assert_true(aligned.share[0][0] == 0);
    assert_float_equal(aligned.share[0][1] / plan.grain, 488, 1e-9);
    assert_true(aligned.share[0][1] + aligned.share[0][2] == 1);
    plan.grain = 0.2;
    aligned = cuts;
    yk_plan_align(&plan, &aligned);
    assert_memory_equal(aligned.share[0], cuts.share[0], sizeof cuts.share[0]);
    plan.grain = 0;
    yk_plan_align(&plan, &aligned);
    assert_memory_equal(aligned.share[0], cuts.share[0], sizeof cuts.share[0]);
}

/* After so many jobs a move has paid for itself; one whose gain may be an error never pays. */
static void when_a_move_pays(void **state)
{
    const struct yk_plan_move sure = { .gain_ns = 30, .error_ns = 10, .move_ns = 100 };
    const struct yk_plan_move unsure = { .gain_ns = 30, .error_ns = 30, .move_ns = 100 };
    const struct yk_plan_move nothing = { 0 };
    (void)state;
    assert_float_equal(yk_plan_pays_at(&sure), 5, 1e-9);
    assert_true(isinf(yk_plan_pays_at(&unsure)) && isinf(yk_plan_pays_at(&nothing)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_end_together),
        cmocka_unit_test(what_is_read_and_what_is_there),
        cmocka_unit_test(small_parts_do_not_help),
        cmocka_unit_test(a_short_job_needs_no_cores),
        cmocka_unit_test(an_unknown_gpu_is_hardly_filled),
        cmocka_unit_test(uncertain_devices_hold_up_nothing),
        cmocka_unit_test(who_only_costs_gets_nothing),
        cmocka_unit_test(short_kernels_share_bounds),
        cmocka_unit_test(what_the_program_writes_is_sent),
        cmocka_unit_test(halos_cost_their_way),
        cmocka_unit_test(long_kernels_have_their_own),
        cmocka_unit_test(copies_must_be_worth_their_start),
        cmocka_unit_test(rows_move_only_if_it_pays),
        cmocka_unit_test(whole_arrays_cost_their_way),
        cmocka_unit_test(whole_arrays_come_from_their_writer),
        cmocka_unit_test(parts_of_a_range_are_cut_out),
        cmocka_unit_test(rows_travel_through_the_host),
        cmocka_unit_test(others_work_while_rows_move),
        cmocka_unit_test(many_devices),
        cmocka_unit_test(rows_that_come_anyway),
        cmocka_unit_test(bounds_that_all_kernels_can_have),
        cmocka_unit_test(when_a_move_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
