/* denoise_check.c - checks the result, and measures how good it is.
 *
 * A reference of the whole volume would take hours, so three boxes are checked: one in each of two
 * opposite corners, and one in the middle. The reference computes each box as a volume of its own.
 * Where a box ends inside the volume, its voxels near that side are wrong at first, and the error
 * spreads like heat. At 6 deviations sqrt(2 tau steps) from that side it has practically vanished,
 * and from there on the result must agree. The whole result must have the exact properties of the
 * scheme: the sum of all voxels does not change, the variance does not grow, and no voxel leaves
 * the range of the input by more than the small overshoot of mixed derivatives.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../count.h"
#include "../memory.h"
#include "../picture.h"
#include "denoise_reference.h"
#include "denoise_state.h"

static const double box_allowed = 1e-4; /* of the image's range */
static const double sum_allowed = 1e-5; /* of the sum of magnitudes */
static const double overshoot_allowed = 0.02;
static const double tissue = 0.05; /* brighter voxels are not air */

enum { BOX_LEAST = 24, BOX_MOST = 40, BOX_INNER = 8, BOXES = 3 };

/* A part of the volume; within it, first .. last - 1 is not influenced by the box's ends. */
struct box {
    int64_t size[3], origin[3], first[3], last[3];
};

/* Box 0 begins where the volume begins, box 2 ends where it ends, box 1 is in the middle. */
static struct box box_of(const struct denoise_state *s, int which)
{
    const double spread = sqrt(2.0 * s->parameters.tau * (double)s->steps);
    const int64_t margin = (int64_t)fmin(ceil(6.0 * spread), BOX_MOST);
    int64_t side = 2 * margin + BOX_INNER;
    side = side < BOX_LEAST ? BOX_LEAST : side > BOX_MOST ? BOX_MOST : side;
    struct box box;
    for (int d = 0; d < 3; ++d) {
        const int64_t all = s->input.size[d], size = all < side ? all : side;
        box.size[d] = size;
        box.origin[d] = (all - size) * which / 2;
        box.first[d] = box.origin[d] == 0 ? 0 : margin;
        box.last[d] = box.origin[d] + size == all ? size : size - margin;
    }
    return box;
}

static int64_t voxel_of(const struct denoise_state *s, const struct box *box, const int64_t *at)
{
    const int64_t *size = s->input.size;
    return ((box->origin[2] + at[2]) * size[1] + box->origin[1] + at[1]) * size[0] +
           box->origin[0] + at[0];
}

static void take_box(const struct denoise_state *s, const struct box *box, double *out)
{
    int64_t at[3];
    for (at[2] = 0; at[2] < box->size[2]; ++at[2])
        for (at[1] = 0; at[1] < box->size[1]; ++at[1])
            for (at[0] = 0; at[0] < box->size[0]; ++at[0])
                *out++ = s->noisy[voxel_of(s, box, at)];
}

struct comparison {
    const float *result;
    double most;    /* largest error */
    int64_t voxels; /* compared */
};

static yoke_status compare_box(const struct denoise_state *s, const struct box *box,
                               const double *right, struct comparison *with)
{
    int64_t at[3];
    for (at[2] = box->first[2]; at[2] < box->last[2]; ++at[2])
        for (at[1] = box->first[1]; at[1] < box->last[1]; ++at[1])
            for (at[0] = box->first[0]; at[0] < box->last[0]; ++at[0]) {
                const double want = right[(at[2] * box->size[1] + at[1]) * box->size[0] + at[0]];
                const double got = with->result[voxel_of(s, box, at)];
                if (!(fabs(got - want) <= box_allowed))
                    return app_fail(YOKE_EINVAL,
                                    "voxel (%" PRId64 ", %" PRId64 ", %" PRId64
                                    ") is %.8g and should be %.8g",
                                    box->origin[0] + at[0], box->origin[1] + at[1],
                                    box->origin[2] + at[2], got, want);
                with->most = fmax(with->most, fabs(got - want));
                with->voxels++;
            }
    return YOKE_OK;
}

static yoke_status verify_box(const struct denoise_state *s, int which, struct comparison *with)
{
    const struct box box = box_of(s, which);
    struct denoise_parameters p = s->parameters;
    memcpy(p.size, box.size, sizeof p.size);
    for (int d = 0; d < 3; ++d)
        if (box.first[d] >= box.last[d])
            return YOKE_OK; /* with this many steps nothing remains to compare */
    double *right;
    yoke_status status =
        app_alloc("a box", box.size[0] * box.size[1] * box.size[2], sizeof *right, (void **)&right);
    if (status)
        return status;
    take_box(s, &box, right);
    status = denoise_reference(&p, s->steps, right);
    if (!status)
        status = compare_box(s, &box, right, with);
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
    double drift = 0.0;
    float *result;
    yoke_status status = app_alloc("the check", s->count, sizeof *result, (void **)&result);
    if (status)
        return status;
    status = denoise_filter_get(&s->filter, result);
    if (!status)
        status = verify_whole(s, result, &drift);
    struct comparison with = { .result = result };
    for (int which = 0; !status && which < BOXES; ++which)
        status = verify_box(s, which, &with);
    if (!status)
        snprintf(
            note, 256,
            "max error %.1e (allowed %.0e) in %s after %s; sum of all changed by %.0e (allowed "
            "%.0e)",
            with.most, box_allowed, count_words(with.voxels, "voxels").text,
            count_words(s->steps, "steps").text, drift, sum_allowed);
    free(result);
    return status;
}

/* Returns the peak signal to noise ratio in dB (the peak is 1) of voxels brighter than `above`. */
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

/* Writes a picture of the middle planes of `count` images side by side; a plane's last line is on
 * top. */
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
