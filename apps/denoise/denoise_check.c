/* denoise_check.c - is the result right, and how good is it?
 *
 * A reference of the whole volume would take hours, and a part of it cannot be had without the
 * rest. So a box from the middle, as a volume of its own, goes through the same filter on the same
 * runtime with all steps and is compared voxel by voxel with the reference in double precision; and
 * the whole result must have the properties that the scheme has exactly: the sum of all voxels
 * stays, the variance does not grow, no voxel leaves the range of the input by more than the small
 * overshoot of mixed derivatives.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../memory.h"
#include "../picture.h"
#include "denoise_reference.h"
#include "denoise_state.h"

static const int64_t box_most[3] = { 40, 36, 32 };
static const double box_allowed = 1e-4; /* of the image's range */
static const double sum_allowed = 1e-5; /* of the sum of magnitudes */
static const double overshoot_allowed = 0.02;
static const double tissue = 0.05; /* brighter voxels are not air */

static yoke_status run_now(void *context, const yoke_job *job)
{
    return yoke_run(context, job, NULL);
}

static void take_box(const struct denoise_state *s, const int64_t *box, float *out)
{
    const int64_t *size = s->input.size;
    for (int64_t z = 0; z < box[2]; ++z)
        for (int64_t y = 0; y < box[1]; ++y) {
            const int64_t line =
                ((size[2] - box[2]) / 2 + z) * size[1] + (size[1] - box[1]) / 2 + y;
            memcpy(out, s->noisy + line * size[0] + (size[0] - box[0]) / 2,
                   sizeof *out * (size_t)box[0]);
            out += box[0];
        }
}

/* The box through the runtime, in place. */
static yoke_status filter_box(const struct denoise_state *s, const struct denoise_parameters *p,
                              float *box)
{
    struct denoise_filter filter;
    yoke_status status = denoise_filter_open(s->runtime, p, &filter);
    if (!status)
        status = denoise_filter_put(&filter, box);
    for (int64_t i = 0; !status && i < s->steps; ++i)
        status = denoise_filter_step(&filter, run_now, s->runtime);
    if (!status)
        status = denoise_filter_get(&filter, box);
    const yoke_status closed = denoise_filter_close(&filter);
    return status ? status : closed;
}

static yoke_status compare_box(const int64_t *box, const float *got, const double *right,
                               double *most)
{
    const int64_t count = box[0] * box[1] * box[2];
    *most = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        const double error = fabs((double)got[i] - right[i]);
        if (!(error <= box_allowed))
            return app_fail(YOKE_EINVAL,
                            "voxel (%" PRId64 ", %" PRId64 ", %" PRId64
                            ") of the box from the middle is %.8g and should be %.8g",
                            i % box[0], i / box[0] % box[1], i / box[0] / box[1], (double)got[i],
                            right[i]);
        *most = fmax(*most, error);
    }
    return YOKE_OK;
}

static yoke_status verify_box(const struct denoise_state *s, double *most)
{
    struct denoise_parameters p = s->parameters;
    for (int d = 0; d < 3; ++d)
        p.size[d] = p.size[d] < box_most[d] ? p.size[d] : box_most[d];
    const int64_t count = p.size[0] * p.size[1] * p.size[2];
    float *got = NULL;
    double *right = NULL;
    yoke_status status = app_alloc("a box", count, sizeof *got, (void **)&got);
    if (!status)
        status = app_alloc("a box", count, sizeof *right, (void **)&right);
    if (status)
        goto out;
    take_box(s, p.size, got);
    for (int64_t i = 0; i < count; ++i)
        right[i] = got[i];
    status = filter_box(s, &p, got);
    if (!status)
        status = denoise_reference(&p, s->steps, right);
    if (!status)
        status = compare_box(p.size, got, right, most);
out:
    free(got);
    free(right);
    return status;
}

struct moments {
    double sum, magnitude, variance, low, high;
};

static struct moments moments_of(const float *voxels, int64_t count)
{
    struct moments m = { 0.0, 0.0, 0.0, voxels[0], voxels[0] };
    for (int64_t i = 0; i < count; ++i) {
        const double v = voxels[i];
        m.sum += v;
        m.magnitude += fabs(v);
        m.variance += v * v;
        m.low = v < m.low ? v : m.low;
        m.high = v > m.high ? v : m.high;
    }
    m.variance = m.variance / (double)count - pow(m.sum / (double)count, 2.0);
    return m;
}

static yoke_status verify_whole(const struct denoise_state *s, const float *result, double *drift)
{
    for (int64_t i = 0; i < s->count; ++i)
        if (!isfinite(result[i]))
            return app_fail(YOKE_EINVAL, "voxel %" PRId64 " of the result is %g", i,
                            (double)result[i]);
    const struct moments before = moments_of(s->noisy, s->count);
    const struct moments after = moments_of(result, s->count);
    const double slack = overshoot_allowed * (before.high - before.low);
    *drift = fabs(after.sum - before.sum) / fmax(before.magnitude, 1e-30);
    if (!(*drift <= sum_allowed))
        return app_fail(YOKE_EINVAL, "the sum of all voxels was %.9g and is %.9g", before.sum,
                        after.sum);
    if (after.variance > before.variance * (1.0 + sum_allowed) + 1e-12)
        return app_fail(YOKE_EINVAL, "the variance grew from %.9g to %.9g", before.variance,
                        after.variance);
    if (after.low < before.low - slack || after.high > before.high + slack)
        return app_fail(YOKE_EINVAL, "voxels from %g to %g became %g to %g", before.low,
                        before.high, after.low, after.high);
    return YOKE_OK;
}

yoke_status denoise_verify(void *state, char *note)
{
    struct denoise_state *s = state;
    double most = 0.0, drift = 0.0;
    float *result;
    yoke_status status = app_alloc("the check", s->count, sizeof *result, (void **)&result);
    if (status)
        return status;
    status = denoise_filter_get(&s->filter, result);
    if (!status)
        status = verify_whole(s, result, &drift);
    free(result);
    if (!status)
        status = verify_box(s, &most);
    if (!status)
        snprintf(note, 256,
                 "%" PRId64
                 " steps of a box against double precision: max error %.1e (allowed %.0e); "
                 "whole: sum changed by %.0e (allowed %.0e)",
                 s->steps, most, box_allowed, drift, sum_allowed);
    return status;
}

/* Peak signal to noise ratio in dB; the peak is 1. Of voxels brighter than `above`. */
static double psnr(const struct denoise_state *s, const float *image, double above)
{
    double squares = 0.0;
    int64_t count = 0;
    for (int64_t i = 0; i < s->count; ++i) {
        if (!((double)s->input.clean[i] > above))
            continue;
        const double error = (double)image[i] - (double)s->input.clean[i];
        squares += error * error;
        ++count;
    }
    return count ? -10.0 * log10(squares / (double)count + 1e-30) : NAN;
}

/* The middle plane of `count` images side by side, the last line of each on top. */
static yoke_status write_slices(const struct denoise_state *s, const float *const *images,
                                int count, const char *suffix)
{
    const int64_t nx = s->input.size[0], ny = s->input.size[1], nz = s->input.size[2];
    const size_t name_size = strlen(s->output) + strlen(suffix) + 1;
    char *name = NULL;
    uint8_t *pixels = NULL;
    yoke_status status = app_alloc("a name", (int64_t)name_size, 1, (void **)&name);
    if (!status)
        status = app_alloc("a picture", nx * ny * count, 1, (void **)&pixels);
    if (status)
        goto out;
    snprintf(name, name_size, "%s%s", s->output, suffix);
    for (int64_t y = 0; y < ny; ++y)
        for (int64_t x = 0; x < nx * count; ++x) {
            const float v = images[x / nx][(nz / 2 * ny + ny - 1 - y) * nx + x % nx];
            pixels[y * nx * count + x] = (uint8_t)(255.0f * fminf(fmaxf(v, 0.0f), 1.0f) + 0.5f);
        }
    status = picture_write(name, &(struct picture){ nx * count, ny, 1, pixels });
out:
    free(pixels);
    free(name);
    return status;
}

static yoke_status write_pictures(const struct denoise_state *s, const float *result, FILE *out)
{
    const float *const images[] = { s->input.clean, s->noisy, result };
    yoke_status status = write_slices(s, images + 1, 1, "-before.png");
    if (!status)
        status = write_slices(s, images + 2, 1, "-after.png");
    if (!status)
        status = write_slices(s, images, 3, "-compare.png");
    if (!status)
        fprintf(out,
                "pictures: %s-before.png, %s-after.png, %s-compare.png (without noise, before, "
                "after)\n",
                s->output, s->output, s->output);
    return status;
}

yoke_status denoise_report(void *state, FILE *out)
{
    struct denoise_state *s = state;
    float *result;
    yoke_status status = app_alloc("the report", s->count, sizeof *result, (void **)&result);
    if (status)
        return status;
    status = denoise_filter_get(&s->filter, result);
    if (!status) {
        fprintf(out, "input: %s, %" PRId64 "x%" PRId64 "x%" PRId64 ", noise of %g of its range\n",
                s->input.source, s->input.size[0], s->input.size[1], s->input.size[2], s->sigma);
        fprintf(out, "PSNR: %.2f dB before, %.2f dB after, over all voxels\n",
                psnr(s, s->noisy, -1.0), psnr(s, result, -1.0));
        fprintf(out, "PSNR: %.2f dB before, %.2f dB after, over tissue (above %g of the range)\n",
                psnr(s, s->noisy, tissue), psnr(s, result, tissue), tissue);
    }
    if (!status && s->output)
        status = write_pictures(s, result, out);
    free(result);
    return status;
}
