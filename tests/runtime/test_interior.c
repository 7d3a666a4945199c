/* test_interior.c - ranges with a start and an end in every dimension: each index in the range is
 * done once and no other; `out` rows keep elements that are not written, wherever the rows were
 * before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ok.h"

extern const yoke_kernel i_stencil, i_sides, i_number, i_count, i_early, k_row_sum;

static const char *const all_devices[] = { "cpu", "opencl:0", "sim:gpu",
                                           "sim:cpu:cores=2,sim:gpu*2",
                                           "sim:gpu:mem=4K" /* windows */ };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;
static const char *const partitioners[] = { NULL, "even", "dynamic:chunk=2" };

enum { NZ = 11, NY = 9, NX = 13, ALL = NZ * NY * NX };

struct cube {
    yoke_runtime *rt;
    int32_t from[ALL], to[ALL], expected[ALL];
    yoke_array *read, *write;
};

static yoke_array *open_array(yoke_runtime *rt, int32_t *host, const char *name)
{
    yoke_array *array;
    OK(yoke_array_open(rt,
                       &(yoke_array_spec){ .host = host,
                                           .rows = NZ,
                                           .row_elements = NY * NX,
                                           .element_size = sizeof *host,
                                           .name = name },
                       &array));
    return array;
}

static struct cube *open_cube(yoke_runtime *rt)
{
    struct cube *cube = calloc(1, sizeof *cube);
    assert_non_null(cube);
    cube->rt = rt;
    for (int at = 0; at < ALL; at++) {
        cube->from[at] = at * 7919 % 1009;
        cube->to[at] = cube->expected[at] = -1 - at;
    }
    cube->read = open_array(rt, cube->from, "from");
    cube->write = open_array(rt, cube->to, "to");
    return cube;
}

static void close_cube(struct cube *cube)
{
    OK(yoke_array_close(cube->read));
    OK(yoke_array_close(cube->write));
    free(cube);
}

static void compare(struct cube *cube)
{
    OK(yoke_array_acquire(cube->write, YOKE_READ));
    for (int at = 0; at < ALL; at++)
        if (cube->to[at] != cube->expected[at])
            fail_msg("element %d, %d, %d is %d, expected %d", at / (NY * NX), at / NX % NY, at % NX,
                     cube->to[at], cube->expected[at]);
    OK(yoke_array_release(cube->write));
}

static yoke_job job_of(const yoke_kernel *kernel, const int64_t ends[6])
{
    return (yoke_job){
        .kernel = kernel,
        .range = { ends[0], ends[1], { NY, NX }, { ends[2], ends[3] }, { ends[4], ends[5] } }
    };
}

/* Applies i_number to the expected result. */
static void number(struct cube *cube, const int64_t ends[6], int32_t plus)
{
    for (int64_t i = ends[0]; i < ends[1]; i++)
        for (int64_t j = ends[2]; j < ends[3]; j++)
            for (int64_t k = ends[4]; k < ends[5]; k++)
                cube->expected[(i * NY + j) * NX + k] = (int32_t)(i * 10000 + j * 100 + k) + plus;
}

static const int64_t inside[6] = { 1, NZ - 1, 1, NY - 1, 1, NX - 1 };

/* The interior; the faces stay unchanged. */
static void check_interior(yoke_runtime *rt, const char *partitioner, yoke_home home)
{
    struct cube *cube = open_cube(rt);
    yoke_job job = job_of(&i_stencil, inside);
    const int32_t *from = cube->from;
    job.args[0] = (yoke_arg)yoke_in_halo(cube->read, 1, 1);
    job.args[1] = (yoke_arg)yoke_out(cube->write);
    job.args[1].home = home;
    job.partitioner = partitioner;
    for (int at = 0; at < ALL; at++) {
        const int k = at % NX, j = at / NX % NY, i = at / NX / NY;
        if (i > 0 && i < NZ - 1 && j > 0 && j < NY - 1 && k > 0 && k < NX - 1)
            cube->expected[at] = from[at - NY * NX] + from[at + NY * NX] + from[at - NX] +
                                 from[at + NX] + from[at - 1] + from[at + 1] - 6 * from[at];
    }
    OK(yoke_run(rt, &job, NULL));
    compare(cube);
    close_cube(cube);
}

/* Values that an earlier job left on the devices stay too; parts of later jobs overlap. */
static void check_parts(yoke_runtime *rt, const char *partitioner)
{
    static const int64_t parts[][6] = { { 0, NZ, 0, NY, 0, NX },   { 2, 9, 1, 2, 0, NX },
                                        { 0, NZ, 3, NY, 5, 6 },    { 4, 5, NY - 1, NY, 2, NX },
                                        { 0, NZ, 0, 1, 0, NX },    { 0, NZ, 0, NY, NX - 1, NX },
                                        { 3, 8, 2, NY - 2, 4, NX } };
    struct cube *cube = open_cube(rt);
    for (int32_t p = 0; p < (int)(sizeof parts / sizeof *parts); p++) {
        const int32_t plus = 1000000 * (p + 1);
        yoke_job job = job_of(&i_number, parts[p]);
        job.args[0] = (yoke_arg)yoke_value(plus);
        job.args[1] = (yoke_arg)yoke_use(cube->write);
        if (p % 3 == 1)
            job.args[1] = (yoke_arg)yoke_out(cube->write);
        if (p % 3 == 2)
            job.args[1] = (yoke_arg)yoke_out_home(cube->write);
        job.partitioner = partitioner;
        OK(yoke_run(rt, &job, NULL));
        number(cube, parts[p], plus);
    }
    compare(cube);
    close_cube(cube);
}

/* Each index adds once; an empty range adds nothing. */
static void check_sums(yoke_runtime *rt, const char *partitioner)
{
    static const int64_t parts[][6] = { { 1, 10, 2, 7, 3, 12 },
                                        { 0, NZ, NY, NY, 0, NX },
                                        { 0, NZ, 3, 3, 0, NX },
                                        { 0, NZ, 0, NY, 5, 5 },
                                        { 0, NZ, 0, 0, 0, 0 } /* all */ };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const int64_t *e = parts[p];
        const int64_t last2 = e[3] ? e[3] : NY, last3 = e[5] ? e[5] : NX;
        int64_t count[2] = { 5, 7 }, expected[2] = { 5, 7 };
        yoke_array *array;
        yoke_job job = job_of(&i_count, e);
        OK(yoke_array_open(
            rt, &(yoke_array_spec){ .host = count, .rows = 2, .element_size = sizeof *count },
            &array));
        job.args[0] = (yoke_arg)yoke_add_to(array);
        job.partitioner = partitioner;
        for (int64_t i = e[0]; i < e[1]; i++)
            for (int64_t j = e[2]; j < last2; j++)
                for (int64_t k = e[4]; k < last3; k++) {
                    expected[0]++;
                    expected[1] += i * 10000 + j * 100 + k;
                }
        OK(yoke_run(rt, &job, NULL));
        OK(yoke_array_close(array));
        assert_true(count[0] == expected[0] && count[1] == expected[1]);
    }
}

/* i_number as the user's own source. */
#define TO(i, j, k) "[(" #i " * size2 + " #j ") * size3 + " #k "]"
#define LOOPS(x, y, z, of_x, of_y, of_z)                                                           \
    "for (i = first + " z "; i < last; i += " of_z ")\n"                                           \
    "for (j = first2 + " y "; j < last2; j += " of_y ")\n"                                         \
    "for (k = first3 + " x "; k < last3; k += " of_x ")\n"
static const char opencl_text[] =
    "__kernel void number(long first, long last, long size2, long size3, long first2, long last2,\n"
    "    long first3, long last3, int plus, __global int *to, long shift)\n"
    "{\n"
    "    __global int *all = (__global int *)((__global char *)to + shift);\n"
    "    long i, j, k;\n" LOOPS(
        "get_global_id(0)", "get_global_id(1)", "get_global_id(2)", "get_global_size(0)",
        "get_global_size(1)",
        "get_global_size(2)") "    all" TO(i, j, k) " = (int)(i * 10000 + j * 100 + k) + plus;\n"
                                                    "}\n";
static const char cuda_text[] =
    "extern \"C\" __global__ void number(long long first, long long last, long long size2,\n"
    "    long long size3, long long first2, long long last2, long long first3, long long last3,\n"
    "    int plus, int *to)\n"
    "{\n"
    "    long long i, j, k;\n" LOOPS(
        "blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y * blockDim.y + threadIdx.y",
        "blockIdx.z * blockDim.z + threadIdx.z", "gridDim.x * blockDim.x", "gridDim.y * blockDim.y",
        "gridDim.z * blockDim.z") "    to" TO(i, j, k) " = (int)(i * 10000 + j * 100 + k) + plus;\n"
                                                       "}\n";

static void check_by_hand(yoke_runtime *rt)
{
    const int32_t plus = 77;
    struct cube *cube = open_cube(rt);
    yoke_kernel kernel = i_number;
    yoke_job job = job_of(&kernel, inside);
    kernel.name = "number_by_hand";
    kernel.opencl.source.text = opencl_text;
    kernel.cuda.source.text = cuda_text;
    kernel.opencl.source.entry = kernel.cuda.source.entry = "number";
    job.args[0] = (yoke_arg)yoke_value(plus);
    job.args[1] = (yoke_arg)yoke_out(cube->write);
    OK(yoke_run(rt, &job, NULL));
    number(cube, inside, plus);
    compare(cube);
    close_cube(cube);
}

static void everywhere(void **state)
{
    (void)state;
    for (int d = 0; d < device_count; d++) {
        yoke_runtime *rt;
        if (yoke_open(&(yoke_config){ .devices = devices[d] }, &rt) != YOKE_OK) {
            assert_true(devices == all_devices);
            print_message("%s: not on this machine: %s\n", devices[d], yoke_error_text());
            continue;
        }
        for (size_t p = 0; p < sizeof partitioners / sizeof *partitioners; p++) {
            check_interior(rt, partitioners[p], YOKE_HOME_LATER);
            check_parts(rt, partitioners[p]);
            check_sums(rt, partitioners[p]);
        }
        check_by_hand(rt);
        OK(yoke_close(rt));
    }
}

/* Other devices do the rows of a failing device; the elements that they keep are still on the host.
 */
static void failing(void **state)
{
    (void)state;
    for (int after = 0; after < 8; after++) {
        char words[80];
        snprintf(words, sizeof words, "sim:cpu:cores=2:rate=1e6,sim:gpu:fail_after=%d", after);
        yoke_runtime *rt = open_runtime(words);
        check_interior(rt, "dynamic:chunk=1", YOKE_HOME_NOW);
        OK(yoke_close(rt));
    }
}

/* Rows that keep elements are uploaded. They are not if the range covers all of them, or with
 * yoke_out_part. */
static void traffic(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("sim:gpu");
    static const int64_t whole[6] = { 0, NZ, 0, NY, 0, NX };
    for (int turn = 0; turn < 3; turn++) {
        const int32_t plus = 5;
        struct cube *cube = open_cube(rt);
        yoke_job job = job_of(&i_number, turn == 0 ? whole : inside);
        yoke_result *result;
        job.args[0] = (yoke_arg)yoke_value(plus);
        job.args[1] = (yoke_arg)yoke_out(cube->write);
        if (turn == 2)
            job.args[1] = (yoke_arg)yoke_out_part(cube->write);
        OK(yoke_run(rt, &job, &result));
        assert_int_equal(result->traffic.to_devices, turn == 1 ? 4 * (NZ - 2) * NY * NX : 0);
        yoke_result_close(result);
        close_cube(cube);
    }
    OK(yoke_close(rt));
}

/* Without an extent: the size that the body sees is the end. */
static void extent_left_out(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu");
    struct cube *cube = open_cube(rt);
    const int32_t plus = 3;
    const yoke_job job = { .kernel = &i_number,
                           .range = { .last = NZ, .second = { 4, NY }, .third = { 0, NX } },
                           .args = { yoke_value(plus), yoke_out(cube->write) } };
    OK(yoke_run(rt, &job, NULL));
    number(cube, (const int64_t[]){ 0, NZ, 4, NY, 0, NX }, plus);
    compare(cube);
    close_cube(cube);
    OK(yoke_close(rt));
}

static void refused(yoke_runtime *rt, const yoke_job *job, const char *words)
{
    assert_int_equal(yoke_run(rt, job, NULL), YOKE_EINVAL);
    if (!strstr(yoke_error_text(), words))
        fail_msg("'%s' is not in: %s", words, yoke_error_text());
}

static void mistakes(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu");
    struct cube *cube = open_cube(rt);
    const int32_t plus = 3;
    const yoke_job good = { .kernel = &i_number,
                            .range = { 0, NZ, { NY, NX }, { 1, NY }, { 1, NX } },
                            .args = { yoke_value(plus), yoke_out(cube->write) } };
    yoke_job job = good;
    job.range.second.first = -1;
    refused(rt, &job, "range.second is [-1, 9) of a dimension of 9 (range.extent[0]); give 0 <=");
    job = good;
    job.range.third.last = NX + 1;
    refused(rt, &job, "range.third is [1, 14) of a dimension of 13 (range.extent[1])");
    job = good;
    job.range.third.first = 5;
    job.range.third.last = 4;
    refused(rt, &job, "range.third is [5, 4)");
    job = good;
    job.kernel = &i_sides;
    job.args[0] = (yoke_arg)yoke_in(cube->read);
    job.range.extent[1] = 0;
    refused(rt, &job, "kernel i_sides has 2 dimensions, the range has more; define it with");
    job.kernel = &k_row_sum;
    refused(rt, &job, "kernel k_row_sum has 1 dimension, the range has more; group and step");
    close_cube(cube);
    OK(yoke_close(rt));
}

/* The kernel's text is checked against the indexes of the range, not against all indexes. */
static void touches(void **state)
{
    (void)state;
    yoke_runtime *rt = open_runtime("cpu");
    struct cube *cube = open_cube(rt);
    yoke_job job = { .kernel = &i_sides,
                     .range = { 0, NZ, { NY * NX } },
                     .args = { yoke_in(cube->read), yoke_out(cube->write) } };
    refused(rt, &job, "row -1 for index 0 of the range, and array from has rows [0, 11)");
    job.range.first = 1;
    refused(rt, &job, "row i - 1");
    job.range.first = 0;
    job.range.second.first = 1;
    job.range.second.last = NY * NX;
    refused(rt, &job, "row i + 1");
    job.range.second.last--;
    OK(yoke_run(rt, &job, NULL));
    close_cube(cube);
    OK(yoke_close(rt));
}

static void checking(void **state)
{
    (void)state;
    yoke_runtime *rt;
    OK(yoke_open(&(yoke_config){ .check = 1 }, &rt));
    check_interior(rt, NULL, YOKE_HOME_LATER);
    check_parts(rt, NULL);
    check_sums(rt, NULL);
    struct cube *cube = open_cube(rt);
    const yoke_job job = { .kernel = &i_early,
                           .range = { 0, NZ, { NY * NX }, { 1, NX } },
                           .args = { yoke_out(cube->write) } };
    refused(rt, &job, "of array to (parameter to) before it writes it, and yoke_out declares");
    assert_int_equal(yoke_array_close(cube->read), YOKE_OK);
    assert_int_equal(yoke_array_close(cube->write), YOKE_ELOST);
    free(cube);
    OK(yoke_close(rt));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everywhere),      cmocka_unit_test(failing),  cmocka_unit_test(traffic),
        cmocka_unit_test(extent_left_out), cmocka_unit_test(mistakes), cmocka_unit_test(touches),
        cmocka_unit_test(checking)
    };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
        return cmocka_run_group_tests_name("interior", (const struct CMUnitTest[]){ tests[0] },
                                           NULL, NULL);
    }
    return cmocka_run_group_tests_name("interior", tests, NULL, NULL);
}
