/* test_denoise.c - invariants of the diffusion: constants to the bit, the sum, the range. Without
 * edges it is the heat equation, whose decay is known exactly; mirrors and exchanged axes change
 * nothing; one kind of device gives the same bits however the planes are split. And it agrees with
 * the reference, voxel by voxel, on volumes of awkward sizes and every kind of machine. (For the
 * application see test_denoise_app.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "denoise/denoise_filter.h"
#include "denoise/denoise_reference.h"
#include "denoise_machine.h"
#include "random.h"

static struct denoise_parameters parameters_of(int64_t nx, int64_t ny, int64_t nz)
{
    return (struct denoise_parameters){ { nx, ny, nz }, 0.1, 0.12 };
}

static int64_t voxels_of(const struct denoise_parameters *p)
{
    return p->size[0] * p->size[1] * p->size[2];
}

static yoke_status run_now(void *context, const yoke_job *job)
{
    return yoke_run(context, job, NULL);
}

/* `steps` steps in place; 0 if this machine does not have the devices. */
static int filter(const struct machine *machine, const struct denoise_parameters *p, int steps,
                  float *voxels)
{
    yoke_runtime *runtime = open_machine(machine);
    struct denoise_filter f;
    yoke_status status;
    if (!runtime)
        return 0;
    status = denoise_filter_open(runtime, p, &f);
    if (!status)
        status = denoise_filter_put(&f, voxels);
    while (!status && f.steps < steps)
        status = denoise_filter_step(&f, run_now, runtime);
    if (!status)
        status = denoise_filter_get(&f, voxels);
    if (status)
        fail_msg("%s: %s", machine->devices, yoke_error_text());
    assert_int_equal(denoise_filter_close(&f), YOKE_OK);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    return 1;
}

static const struct machine one = { "cpu", "static" };

/* A ball and a plate, with noise: faces, edges and flat parts. */
static void fill(const struct denoise_parameters *p, float *voxels)
{
    const int64_t *n = p->size;
    int64_t i;
    for (i = 0; i < voxels_of(p); i++) {
        const double x = (double)(i % n[0]) - 0.4 * (double)n[0];
        const double y = (double)(i / n[0] % n[1]) - 0.5 * (double)n[1];
        const double z = (double)(i / n[0] / n[1]) - 0.6 * (double)n[2];
        const double shape = (x * x + y * y + z * z < 30 ? 0.5 : 0) + (x > y ? 0.3 : 0);
        voxels[i] = (float)(shape + 0.07 * random_gaussian(5, (uint64_t)i));
    }
}

static float *new_volume(const struct denoise_parameters *p)
{
    float *voxels = malloc(sizeof *voxels * (size_t)voxels_of(p));
    assert_non_null(voxels);
    fill(p, voxels);
    return voxels;
}

static double difference(const float *a, const float *b, int64_t count)
{
    double most = 0;
    int64_t i;
    for (i = 0; i < count; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

static void constant_stays(void **state)
{
    const struct denoise_parameters p = parameters_of(37, 18, 11);
    const float constants[] = { 0.0f, 0.3f, -7.1e5f, 1e-20f };
    float *voxels = new_volume(&p);
    size_t c;
    int64_t i;
    (void)state;
    for (c = 0; c < sizeof constants / sizeof *constants; c++) {
        for (i = 0; i < voxels_of(&p); i++)
            voxels[i] = constants[c];
        filter(&one, &p, 7, voxels);
        for (i = 0; i < voxels_of(&p); i++)
            assert_memory_equal(&voxels[i], &constants[c], sizeof *voxels);
    }
    free(voxels);
}

/* Products of cos(pi k (i + 1/2) / n) shrink by 1 - tau sum(2 - 2 cos(pi k / n)) per step. */
static void without_edges_it_is_heat(void **state)
{
    static const int modes[][3] = {
        { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 2, 3, 1 }, { 18, 0, 9 }
    };
    struct denoise_parameters p = parameters_of(19, 12, 10);
    float *voxels = new_volume(&p);
    const int steps = 9;
    size_t m;
    (void)state;
    p.contrast = 1e5;
    for (m = 0; m < sizeof modes / sizeof *modes; m++) {
        double shrink = 1.0, factor;
        int64_t i;
        int d, pass;
        for (d = 0; d < 3; d++)
            shrink -= p.tau * (2.0 - 2.0 * cos(YOKE_PI * modes[m][d] / (double)p.size[d]));
        factor = pow(shrink, steps);
        for (pass = 0; pass < 2; pass++) {
            for (i = 0; i < voxels_of(&p); i++) {
                const int64_t at[3] = { i % p.size[0], i / p.size[0] % p.size[1],
                                        i / p.size[0] / p.size[1] };
                double value = 1.0;
                for (d = 0; d < 3; d++)
                    value *= cos(YOKE_PI * modes[m][d] * ((double)at[d] + 0.5) / (double)p.size[d]);
                if (pass == 0)
                    voxels[i] = (float)value;
                else if (fabs((double)voxels[i] - factor * value) > 1e-6)
                    fail_msg("mode %d: voxel %d is %.9g instead of %.9g", (int)m, (int)i,
                             (double)voxels[i], factor * value);
            }
            if (pass == 0)
                filter(&one, &p, steps, voxels);
        }
    }
    free(voxels);
}

static void sum_stays_and_variance_falls(void **state)
{
    const struct denoise_parameters p = parameters_of(45, 23, 31);
    const int64_t count = voxels_of(&p);
    double sum = 0, squares = 0, low = 1e9, high = -1e9;
    float *voxels = new_volume(&p);
    int round;
    int64_t i;
    (void)state;
    for (round = 0; round < 6; round++) {
        double sum_now = 0, squares_now = 0, low_now = 1e9, high_now = -1e9;
        if (round)
            filter(&one, &p, 5, voxels);
        for (i = 0; i < count; i++) {
            const double v = voxels[i];
            sum_now += v;
            squares_now += v * v;
            low_now = fmin(low_now, v);
            high_now = fmax(high_now, v);
        }
        if (round) {
            assert_true(fabs(sum_now - sum) < 1e-6 * fabs(sum));
            assert_true(squares_now < squares);
            assert_true(low_now > low - 0.02 && high_now < high + 0.02);
        }
        sum = sum_now, squares = squares_now, low = low_now, high = high_now;
    }
    free(voxels);
}

/* A cube with axes exchanged and directions reversed. */
static void turn(const int64_t *n, const int *axes, int mirrored, const float *in, float *out)
{
    int64_t at[3];
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                int64_t from[3];
                int d;
                for (d = 0; d < 3; d++)
                    from[axes[d]] = mirrored >> d & 1 ? n[d] - 1 - at[d] : at[d];
                *out++ = in[(from[2] * n[1] + from[1]) * n[0] + from[0]];
            }
}

static void directions_are_alike(void **state)
{
    static const int axes[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
    const struct denoise_parameters p = parameters_of(21, 21, 21);
    const int64_t count = voxels_of(&p);
    float *in = new_volume(&p), *out = new_volume(&p), *turned = new_volume(&p);
    int a, mirrored;
    (void)state;
    filter(&one, &p, 8, out);
    for (a = 0; a < 4; a++)
        for (mirrored = 0; mirrored < 8; mirrored++) {
            float *expected = new_volume(&p);
            turn(p.size, axes[a], mirrored, in, turned);
            turn(p.size, axes[a], mirrored, out, expected);
            filter(&one, &p, 8, turned);
            if (!(difference(turned, expected, count) < 2e-5))
                fail_msg("axes %d, mirrored %d: off by %g", a, mirrored,
                         difference(turned, expected, count));
            free(expected);
        }
    assert_true(difference(in, out, count) > 0.01);
    free(in);
    free(out);
    free(turned);
}

/* a I + b with a K is filtered to a out + b. */
static void units_do_not_matter(void **state)
{
    struct denoise_parameters p = parameters_of(33, 14, 12);
    const int64_t count = voxels_of(&p);
    float *out = new_volume(&p), *scaled = new_volume(&p);
    int64_t i;
    (void)state;
    filter(&one, &p, 8, out);
    for (i = 0; i < count; i++) {
        out[i] = out[i] * 1000.0f + 300.0f;
        scaled[i] = scaled[i] * 1000.0f + 300.0f;
    }
    p.contrast *= 1000.0;
    filter(&one, &p, 8, scaled);
    assert_true(difference(out, scaled, count) < 0.05);
    free(out);
    free(scaled);
}

static void as_the_reference(void **state)
{
    static const int64_t sizes[][3] = { { 1, 1, 1 },  { 2, 1, 1 },   { 1, 9, 4 },
                                        { 17, 1, 5 }, { 3, 2, 2 },   { 16, 16, 3 },
                                        { 7, 5, 3 },  { 33, 2, 17 }, { 40, 15, 1 } };
    static const struct machine machines[] = {
        { "cpu", "auto" },       { "cpu", "dynamic:chunk=1" }, { "sim:gpu*2,sim:cpu", "even" },
        { "sim:gpu*2", "auto" }, { "cpu,opencl:0", "even" },
    };
    size_t s, m;
    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct denoise_parameters p = parameters_of(sizes[s][0], sizes[s][1], sizes[s][2]);
        const int64_t count = voxels_of(&p);
        double *right = malloc(sizeof *right * (size_t)count);
        float *in = new_volume(&p);
        int64_t i;
        assert_non_null(right);
        for (i = 0; i < count; i++)
            right[i] = in[i];
        assert_int_equal(denoise_reference(&p, 10, right), YOKE_OK);
        for (m = 0; m < sizeof machines / sizeof *machines; m++) {
            fill(&p, in);
            if (!filter(&machines[m], &p, 10, in))
                continue;
            for (i = 0; i < count; i++)
                if (!(fabs((double)in[i] - right[i]) < 2e-5))
                    fail_msg("%s, size %d: voxel %d is %.9g and should be %.9g",
                             machines[m].devices, (int)s, (int)i, (double)in[i], right[i]);
        }
        free(right);
        free(in);
    }
}

/* The machines of a row must repeat the result of its first one. */
static void splits_give_the_same_bits(void **state)
{
    static const struct machine kinds[][4] = {
        { { "cpu:1", "static" },
          { "cpu", "dynamic:chunk=1" },
          { "cpu", "guided" },
          { "cpu", "auto" } },
        { { "sim:cpu", "static" },
          { "sim:gpu*2,sim:cpu", "even" },
          { "sim:gpu*2,sim:cpu", "dynamic:chunk=3" },
          { "sim:gpu*2,sim:cpu", "auto" } },
    };
    const struct denoise_parameters p = parameters_of(50, 21, 29);
    const int64_t count = voxels_of(&p);
    int k, m;
    (void)state;
    setenv("YOKE_CPU_VARIANT", "base", 1); /* other variants fuse products and sums */
    for (k = 0; k < 2; k++) {
        float *first = new_volume(&p);
        assert_true(filter(&kinds[k][0], &p, 12, first));
        for (m = 1; m < 4; m++) {
            float *again = new_volume(&p);
            assert_true(filter(&kinds[k][m], &p, 12, again));
            if (memcmp(first, again, sizeof *first * (size_t)count) != 0)
                fail_msg("%s, %s: other bits than on %s", kinds[k][m].devices,
                         kinds[k][m].partitioner, kinds[k][0].devices);
            free(again);
        }
        free(first);
    }
    unsetenv("YOKE_CPU_VARIANT");
}

/* Between the steps only planes at borders may be copied: the image itself is uploaded once and
 * comes home once. */
static void volumes_stay_on_devices(void **state)
{
    const struct machine gpus = { "sim:gpu*2", "even" };
    const struct denoise_parameters p = parameters_of(32, 32, 40);
    yoke_runtime *runtime = open_machine(&gpus);
    float *voxels = new_volume(&p);
    struct denoise_filter f;
    int64_t bytes, plane;
    int a;
    (void)state;
    assert_non_null(runtime);
    assert_int_equal(denoise_filter_open(runtime, &p, &f), YOKE_OK);
    assert_int_equal(denoise_filter_put(&f, voxels), YOKE_OK);
    while (f.steps < 10)
        assert_int_equal(denoise_filter_step(&f, run_now, runtime), YOKE_OK);
    assert_int_equal(denoise_filter_home(&f), YOKE_OK);
    plane = f.grid.plane * (int64_t)sizeof(float);
    for (a = 0, bytes = 0; a < 4; a++) {
        yoke_array *const arrays[] = { f.image[0], f.image[1], f.flat, f.up };
        const yoke_traffic t = yoke_array_traffic(arrays[a]);
        bytes += t.to_devices + t.from_devices + t.between_devices;
        if (a == 2) /* needed nowhere else */
            assert_int_equal(t.to_devices + t.from_devices + t.between_devices, 0);
    }
    /* per step: 2 planes of the image, 2 of 2 of the tensor; through the host each counts twice */
    assert_true(bytes <= 2 * 40 * plane + 10 * 2 * 6 * plane);
    assert_true(bytes >= 2 * 40 * plane);
    assert_int_equal(denoise_filter_close(&f), YOKE_OK);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    free(voxels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_stays),
        cmocka_unit_test(without_edges_it_is_heat),
        cmocka_unit_test(sum_stays_and_variance_falls),
        cmocka_unit_test(directions_are_alike),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(as_the_reference),
        cmocka_unit_test(splits_give_the_same_bits),
        cmocka_unit_test(volumes_stay_on_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
