/* test_denoise_tensor.c - the diffusion tensor of single structure tensors, also with equal or zero
 * eigenvalues, against the reference. */
#include <math.h>

#include "denoise/denoise_reference.h"
#include "denoise_machine.h"
#include "random.h"

extern const yoke_kernel diffusion_of_each;

/* --- the diffusion tensor --- */

enum { TENSORS = 4096 };

/* V diag(mu) V' of a random rotation; then cases with equal or zero eigenvalues. */
static void make_tensor(int which, float *j)
{
    static const double patterns[][3] = { { 0, 0, 0 },        { 1, 0, 0 },   { 1, 1, 0 },
                                          { 1, 1, 1 },        { 2, 1, 1 },   { 2, 2, 1 },
                                          { 1, 1 - 1e-6, 0 }, { 1, 1e-6, 0 } };
    static const int elements[6][2] = {
        { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 }
    };
    const uint64_t draw = 16 * (uint64_t)which;
    const double size = pow(10.0, -4 + 4 * random_uniform(1, draw));
    double q[4], v[3][3], mu[3], length = 0;
    int e, k;
    for (k = 0; k < 4; k++) {
        q[k] = random_gaussian(2, draw + (uint64_t)k);
        length += q[k] * q[k];
    }
    if (which % 16 == 0) /* axes of the grid */
        q[0] = 1, q[1] = q[2] = q[3] = 0, length = 1;
    for (k = 0; k < 4; k++)
        q[k] /= sqrt(length);
    v[0][0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), v[0][1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    v[0][2] = 2 * (q[1] * q[3] + q[0] * q[2]), v[1][0] = 2 * (q[1] * q[2] + q[0] * q[3]);
    v[1][1] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]), v[1][2] = 2 * (q[2] * q[3] - q[0] * q[1]);
    v[2][0] = 2 * (q[1] * q[3] - q[0] * q[2]), v[2][1] = 2 * (q[2] * q[3] + q[0] * q[1]);
    v[2][2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    for (k = 0; k < 3; k++)
        mu[k] =
            size * (which % 2 ? random_uniform(3, draw + (uint64_t)k) : patterns[which / 2 % 8][k]);
    for (e = 0; e < 6; e++) {
        double sum = 0;
        for (k = 0; k < 3; k++)
            sum += v[elements[e][0]][k] * mu[k] * v[elements[e][1]][k];
        j[e] = (float)sum;
    }
}

static void tensors_are_right(void **state)
{
    static float j[6 * TENSORS], d[6 * TENSORS];
    const struct machine machines[] = { { "cpu", "static" }, { "opencl:0", "static" } };
    const double contrast = 0.1;
    float scale = (float)(1.0 / (contrast * contrast));
    int i, e, m;
    (void)state;
    for (i = 0; i < TENSORS; i++)
        make_tensor(i, j + (ptrdiff_t)6 * i);
    for (m = 0; m < 2; m++) {
        yoke_runtime *runtime = open_machine(&machines[m]);
        yoke_array *from, *to;
        if (!runtime)
            continue;
        const yoke_array_spec in = {
            .host = j, .rows = TENSORS, .row_elements = 6, .element_size = sizeof *j
        };
        const yoke_array_spec out = {
            .host = d, .rows = TENSORS, .row_elements = 6, .element_size = sizeof *d
        };
        assert_int_equal(yoke_array_open(runtime, &in, &from), YOKE_OK);
        assert_int_equal(yoke_array_open(runtime, &out, &to), YOKE_OK);
        const yoke_job job = { .kernel = &diffusion_of_each,
                               .range = { 0, TENSORS, { 0 } },
                               .args = { yoke_value(scale), yoke_in(from), yoke_out(to) } };
        if (yoke_run(runtime, &job, NULL))
            fail_msg("%s: %s", machines[m].devices, yoke_error_text());
        assert_int_equal(yoke_array_close(from), YOKE_OK);
        assert_int_equal(yoke_array_close(to), YOKE_OK);
        assert_int_equal(yoke_close(runtime), YOKE_OK);
        for (i = 0; i < TENSORS; i++) {
            double exact[6], right[6], allowed;
            for (e = 0; e < 6; e++)
                exact[e] = j[6 * i + e];
            denoise_reference_diffusion(exact, contrast, right);
            /* a few roundings of the largest eigenvalue, in units of K^2, plus those of D itself */
            allowed = 1e-5 + 3e-7 * (exact[0] + exact[1] + exact[2]) / (contrast * contrast);
            for (e = 0; e < 6; e++)
                if (!(fabs((double)d[6 * i + e] - right[e]) < allowed))
                    fail_msg("%s: tensor %d (%g %g %g %g %g %g), element %d: %.8g, not %.8g",
                             machines[m].devices, i, exact[0], exact[1], exact[2], exact[3],
                             exact[4], exact[5], e, (double)d[6 * i + e], right[e]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
