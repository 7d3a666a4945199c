/* test_auto_short.c - jobs far smaller than what fills a GPU: a product of 512 rows in pieces of
 * 32, which takes a GPU 0.4 ms with its copies, and cores 3 ms. The cores leave it to the GPU,
 * although it joins later. Figures are those of an H200 and 15 cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"

enum { CPU, GPU, DEVICES, ITEMS = 512, PIECE = 32 };

static const struct yk_split_device cores = { .host_memory = 1,
                                              .lanes = 15,
                                              .fill = 15,
                                              .cores = 15,
                                              .lane_fill = PIECE,
                                              .share = 0,
                                              .rate = 1.57e-4 };
static const struct yk_split_device gpu = { .lanes = 2,
                                            .fill = 65536,
                                            .fixed_ns = 15000,
                                            .copy_item_ns = 170,
                                            .busier_part = 0.5,
                                            .share = 1,
                                            .rate = 1.8e-3,
                                            .part = ITEMS };

/* What the first core gets while the GPU's thread is being woken. */
static int cores_take_beside(const struct yk_split_device *devices, int crowded)
{
    const struct yk_split_spec spec = { .last = ITEMS,
                                        .unit = PIECE,
                                        .devices = devices,
                                        .device_count = DEVICES,
                                        .crowded = crowded };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk = { 0 };
    enum yk_verdict verdict;
    int64_t wake_ns;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, CPU, 0);
    verdict = yk_dispatch_next(dispatch, &(struct yk_request){ CPU, 0, 1000 }, &chunk, &wake_ns);
    yk_dispatch_close(dispatch);
    return verdict == YK_TAKE;
}

static int cores_take(const struct yk_split_device *known_gpu)
{
    const struct yk_split_device devices[] = { cores, *known_gpu };
    return cores_take_beside(devices, 0);
}

/* A last chunk has no more copies than the job. */
static void copies_of_a_short_job_are_short(void **state)
{
    struct yk_split_device slow_link = gpu;
    (void)state;
    assert_false(cores_take(&gpu));
    slow_link.copy_item_ns = 17000; /* 9 ms for the copies */
    slow_link.rate = 1 / 17000.0;
    assert_true(cores_take(&slow_link));
}

/* It was slow in a chunk of 32 rows, and had no part in the latest job. */
static void a_part_too_small_to_fill_it_does_not_condemn_it(void **state)
{
    struct yk_split_device probed = gpu;
    (void)state;
    probed.rate = 1.14e-4;
    probed.share = 0;
    probed.part = PIECE;
    assert_false(cores_take(&probed));
    probed.part = probed.fill; /* so slow when it was full */
    assert_true(cores_take(&probed));
}

/* Half of such a job took a GPU 0.35 ms. About as much takes about that long again, although it is
 * far from filling the GPU, so there is time until the other GPU's thread is awake. */
static void what_is_out_takes_as_long_as_it_did(void **state)
{
    struct yk_split_device gpus[] = { gpu, gpu };
    const struct yk_split_spec spec = {
        .last = ITEMS, .unit = PIECE, .devices = gpus, .device_count = DEVICES
    };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk = { 0 };
    int64_t wake_ns;
    (void)state;
    gpus[0].copy_item_ns = gpus[1].copy_item_ns = 0;
    gpus[0].share = gpus[1].share = 0.5;
    gpus[0].part = gpus[1].part = ITEMS / 2.0;
    gpus[0].rate = gpus[1].rate = gpus[0].part / 350e3;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 0 }, &chunk, &wake_ns),
                     YK_TAKE);
    assert_in_range(yk_dispatch_free(dispatch), PIECE, ITEMS / 2);
    assert_int_equal(
        yk_dispatch_next(dispatch, &(struct yk_request){ 0, 1, 40000 }, &chunk, &wake_ns), YK_WAIT);
    yk_dispatch_close(dispatch);
}

/* While the GPU did the job beside it, cores did all of the latest such job. */
static void what_one_did_alone_is_not_left_to_it(void **state)
{
    struct yk_split_device devices[] = { cores, gpu };
    (void)state;
    devices[CPU].share = 1;
    devices[GPU].share = 0;
    assert_false(cores_take_beside(devices, 1));
    devices[GPU].rate = cores.rate / 100; /* the GPU is no help */
    assert_true(cores_take_beside(devices, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_a_short_job_are_short),
        cmocka_unit_test(a_part_too_small_to_fill_it_does_not_condemn_it),
        cmocka_unit_test(what_is_out_takes_as_long_as_it_did),
        cmocka_unit_test(what_one_did_alone_is_not_left_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
