/* denoise_input.c - makes a volume of any size from one of fixed size: cut from its middle, and
 * mirrored beyond its faces, so that larger sizes consist of the same tissue and have no new edges.
 */
#include "denoise_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../memory.h"
#include "../random.h"
#include "../stop.h"
#include "../volume.h"

enum { PHANTOM = 192 };

/* Returns which voxel of `have` becomes voxel `at` of `want`, along one axis: the middles coincide,
 * and beyond its ends the image is mirrored. */
static int64_t source_index(int64_t at, int64_t want, int64_t have)
{
    int64_t turn = (at + (have - want) / 2) % (2 * have);
    if (turn < 0)
        turn += 2 * have;
    return turn < have ? turn : 2 * have - 1 - turn;
}

static yoke_status cut(const struct volume *from, const struct denoise_input *to)
{
    float low = from->voxels[0], high = low;
    const int64_t plane_size = from->size[0] * from->size[1];
    yoke_status status = YOKE_OK;
    for (int64_t z = 0; z < from->size[2] && !status; ++z, status = app_stop_check())
        for (int64_t i = z * plane_size; i < (z + 1) * plane_size; ++i) {
            low = fminf(low, from->voxels[i]);
            high = fmaxf(high, from->voxels[i]);
        }
    const float factor = high > low ? 1.0f / (high - low) : 0.0f;
    float *out = to->clean;
    for (int64_t z = 0; z < to->size[2] && !status; ++z, status = app_stop_check())
        for (int64_t y = 0; y < to->size[1]; ++y) {
            const int64_t plane = source_index(z, to->size[2], from->size[2]) * from->size[1];
            const int64_t line = plane + source_index(y, to->size[1], from->size[1]);
            for (int64_t x = 0; x < to->size[0]; ++x) {
                const int64_t at = source_index(x, to->size[0], from->size[0]);
                *out++ = (from->voxels[line * from->size[0] + at] - low) * factor;
            }
        }
    return status;
}

/* The outline of a head: skin, skull, grey around white matter, ventricles. p is within -1 .. 1. */
static float phantom_at(const double *p)
{
    const double r = sqrt(p[0] * p[0] * 1.5 + p[1] * p[1] * 1.1 + p[2] * p[2] * 1.3);
    const double fold = 0.05 * sin(17.0 * p[0]) * sin(13.0 * p[1] + 2.0 * p[2]) * sin(15.0 * p[2]);
    if (r > 1.0)
        return 0.0f;
    if (r > 0.92)
        return 1.0f;
    if (r > 0.84)
        return 0.1f;
    if (fabs(p[0]) < 0.2 && r < 0.3)
        return 0.2f;
    return r + fold > 0.7 ? 0.5f : 0.75f;
}

static yoke_status make_phantom(struct volume *out)
{
    *out = (struct volume){ .size = { PHANTOM, PHANTOM, PHANTOM } };
    const yoke_status status = app_alloc("a phantom", (int64_t)PHANTOM * PHANTOM * PHANTOM,
                                         sizeof *out->voxels, (void **)&out->voxels);
    if (status)
        return status;
    float *to = out->voxels;
    for (int z = 0; z < PHANTOM; ++z)
        for (int y = 0; y < PHANTOM; ++y)
            for (int x = 0; x < PHANTOM; ++x) {
                const double half = 0.5 * (PHANTOM - 1);
                *to++ = phantom_at((double[]){ x / half - 1.0, y / half - 1.0, z / half - 1.0 });
            }
    return YOKE_OK;
}

void denoise_input_close(struct denoise_input *input)
{
    free(input->clean);
    input->clean = NULL;
}

yoke_status denoise_input_open(const char *path, const int64_t *size, struct denoise_input *out)
{
    *out = (struct denoise_input){ .clean = NULL };
    struct volume volume = { .voxels = NULL };
    const int phantom = !path && access(DENOISE_HEAD, R_OK);
    yoke_status status =
        phantom ? make_phantom(&volume) : volume_load(path ? path : DENOISE_HEAD, &volume);
    if (status)
        return status;
    snprintf(out->source, sizeof out->source, "%s",
             phantom ? "a phantom, for " DENOISE_HEAD
                       " is not installed (package mricron-data, or give --input)"
             : path ? path
                    : DENOISE_HEAD);
    memcpy(out->size, size[0] ? size : volume.size, sizeof out->size);
    const int64_t count = out->size[0] * out->size[1] * out->size[2];
    if (!phantom && !size[0])
        status = app_memory_for_file(out->source, count * (int64_t)sizeof *out->clean);
    if (!status)
        status = app_alloc("the volume", count, sizeof *out->clean, (void **)&out->clean);
    if (!status)
        status = cut(&volume, out);
    volume_close(&volume);
    if (status)
        denoise_input_close(out);
    return status;
}

void denoise_add_noise(const struct denoise_input *input, double sigma, uint64_t seed, float *out)
{
    const int64_t count = input->size[0] * input->size[1] * input->size[2];
    for (int64_t i = 0; i < count; ++i)
        out[i] = input->clean[i] + (float)(sigma * random_gaussian(seed, (uint64_t)i));
}
