/* test_grids.c - ranges that exceed one grid of a GPU: more than 65535 blocks along the second or
 * third dimension. Each index is done once, over all launches. */
#include <stdlib.h>

#include "job_kernels.h"
#include "ok.h"

static const char *const all_devices[] = { "opencl:0", "sim:gpu" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;

/* v = 3 * u + z - x once; a second time would change the result. */
static void check_volume(yoke_runtime *rt, int64_t depth, int64_t height, int64_t width)
{
    const int64_t count = depth * height * width;
    int32_t *u = malloc((size_t)count * sizeof *u), *v = calloc((size_t)count, sizeof *v);
    yoke_array *from, *to;
    assert_non_null(u);
    assert_non_null(v);
    for (int64_t at = 0; at < count; at++)
        u[at] = (int32_t)(at % 1000);
    OK(yoke_array_open(rt,
                       &(yoke_array_spec){ .host = u,
                                           .rows = depth,
                                           .row_elements = height * width,
                                           .element_size = sizeof *u,
                                           .name = "u" },
                       &from));
    OK(yoke_array_open(rt,
                       &(yoke_array_spec){ .host = v,
                                           .rows = depth,
                                           .row_elements = height * width,
                                           .element_size = sizeof *v,
                                           .name = "v" },
                       &to));
    OK(yoke_run(rt,
                &(yoke_job){ .kernel = &k_volume,
                             .range = { 0, depth, { height, width } },
                             .args = { yoke_in(from), yoke_inout(to) } },
                NULL));
    OK(yoke_array_close(from));
    OK(yoke_array_close(to));
    for (int64_t at = 0; at < count; at++)
        if (v[at] != 3 * u[at] + at / (height * width) - at % width)
            fail_msg("%lld x %lld x %lld: element %lld is %d", (long long)depth, (long long)height,
                     (long long)width, (long long)at, v[at]);
    free(u);
    free(v);
}

static void beyond_one_grid(void **state)
{
    (void)state;
    for (int d = 0; d < device_count; d++) {
        yoke_runtime *rt;
        const yoke_config config = { .devices = devices[d] };
        if (yoke_open(&config, &rt) != YOKE_OK) {
            assert_true(devices == all_devices);
            print_message("%s: not on this machine: %s\n", devices[d], yoke_error_text());
            continue;
        }
        check_volume(rt, 65536 + 3, 2, 3);
        check_volume(rt, 1, 4 * 65535 + 5, 33);
        check_volume(rt, 1, 1, 1);
        OK(yoke_close(rt));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(beyond_one_grid) };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
    }
    return cmocka_run_group_tests_name("grids", tests, NULL, NULL);
}
