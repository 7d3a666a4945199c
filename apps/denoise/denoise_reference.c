/* denoise_reference.c - what the kernels must compute, written from the definition: eigenvectors by
 * Jacobi rotations, D = V diag(g) V', the flux j = D grad I on every face, I += tau div j.
 *
 * Shares no formula with the kernels beyond the discretisation itself: where the gradients and the
 * fluxes are taken, and that the image is mirrored beyond its faces.
 */
#include "denoise_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"

struct image {
    const int64_t *size;
    const double *voxels;
};

static const int elements[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };

static int64_t mirrored(int64_t at, int64_t size)
{
    return at < 0 ? -1 - at : at >= size ? 2 * size - 1 - at : at;
}

static int64_t place(const int64_t *size, const int64_t *at)
{
    return (mirrored(at[2], size[2]) * size[1] + mirrored(at[1], size[1])) * size[0] +
           mirrored(at[0], size[0]);
}

static double value(const struct image *image, const int64_t *at)
{
    return image->voxels[place(image->size, at)];
}

/* One rotation that makes a[p][q] zero; v collects them. */
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    const double angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; ++k) {
        const double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; ++k) {
        const double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

void denoise_reference_diffusion(const double *j, double contrast, double *d)
{
    double a[3][3] = { { j[0], j[3], j[4] }, { j[3], j[1], j[5] }, { j[4], j[5], j[2] } };
    double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, g[3];
    for (int sweep = 0; sweep < 12; ++sweep) {
        rotate(a, v, 0, 1);
        rotate(a, v, 0, 2);
        rotate(a, v, 1, 2);
    }
    const double least = fmin(a[0][0], fmin(a[1][1], a[2][2]));
    for (int k = 0; k < 3; ++k) {
        const double s = a[k][k] - least;
        g[k] = s > 0.0 ? 1.0 - exp(-3.31488 / pow(s / (contrast * contrast), 4.0)) : 1.0;
    }
    for (int e = 0; e < 6; ++e) {
        d[e] = 0.0;
        for (int k = 0; k < 3; ++k)
            d[e] += v[elements[e][0]][k] * g[k] * v[elements[e][1]][k];
    }
}

/* Add grad I grad I' of the cell whose lowest corner is `corner`: the gradient at its middle. */
static void add_cell(const struct image *image, const int64_t *corner, double *j)
{
    double gradient[3] = { 0.0, 0.0, 0.0 };
    for (int c = 0; c < 8; ++c) {
        const int64_t at[3] = { corner[0] + (c & 1), corner[1] + (c >> 1 & 1),
                                corner[2] + (c >> 2) };
        for (int axis = 0; axis < 3; ++axis)
            gradient[axis] += (c >> axis & 1 ? 0.25 : -0.25) * value(image, at);
    }
    for (int e = 0; e < 6; ++e)
        j[e] += gradient[elements[e][0]] * gradient[elements[e][1]] / 8.0;
}

/* D in voxel `at`, and m: for each axis, the part of D grad I from the other axes. */
static void tensor_at(const struct image *image, const int64_t *at, double contrast, double *out)
{
    double j[6] = { 0.0 }, d[6], gradient[3];
    for (int c = 0; c < 8; ++c) {
        const int64_t corner[3] = { at[0] - (c & 1), at[1] - (c >> 1 & 1), at[2] - (c >> 2) };
        add_cell(image, corner, j);
    }
    denoise_reference_diffusion(j, contrast, d);
    for (int axis = 0; axis < 3; ++axis) {
        int64_t low[3], high[3];
        memcpy(low, at, sizeof low);
        memcpy(high, at, sizeof high);
        low[axis]--;
        high[axis]++;
        gradient[axis] = 0.5 * (value(image, high) - value(image, low));
    }
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = d[axis];
        out[3 + axis] = 0.0;
    }
    for (int e = 3; e < 6; ++e) {
        out[3 + elements[e][0]] += d[e] * gradient[elements[e][1]];
        out[3 + elements[e][1]] += d[e] * gradient[elements[e][0]];
    }
}

/* Take tau times the flux through the face between `at` and its upper neighbour along `axis` from
 * the one and give it to the other. */
static void exchange(const struct image *image, const double *tensors, double tau,
                     const int64_t *at_axis, double *next)
{
    const int axis = (int)at_axis[3];
    int64_t beyond[3];
    memcpy(beyond, at_axis, sizeof beyond);
    if (++beyond[axis] == image->size[axis])
        return;
    const int64_t a = place(image->size, at_axis), b = place(image->size, beyond);
    const double *ta = tensors + 6 * a, *tb = tensors + 6 * b;
    const double flux = 0.5 * (ta[axis] + tb[axis]) * (image->voxels[b] - image->voxels[a]) +
                        0.5 * (ta[3 + axis] + tb[3 + axis]);
    next[a] += tau * flux;
    next[b] -= tau * flux;
}

static void reference_step(const struct denoise_parameters *p, const struct image *image,
                           double *tensors, double *next)
{
    int64_t at[4];
    for (at[2] = 0; at[2] < p->size[2]; ++at[2])
        for (at[1] = 0; at[1] < p->size[1]; ++at[1])
            for (at[0] = 0; at[0] < p->size[0]; ++at[0])
                tensor_at(image, at, p->contrast, tensors + 6 * place(p->size, at));
    for (at[2] = 0; at[2] < p->size[2]; ++at[2])
        for (at[1] = 0; at[1] < p->size[1]; ++at[1])
            for (at[0] = 0; at[0] < p->size[0]; ++at[0])
                for (at[3] = 0; at[3] < 3; ++at[3])
                    exchange(image, tensors, p->tau, at, next);
}

yoke_status denoise_reference(const struct denoise_parameters *parameters, int64_t steps,
                              double *voxels)
{
    const int64_t count = parameters->size[0] * parameters->size[1] * parameters->size[2];
    double *old;
    const yoke_status status = app_alloc("the reference", 7 * count, sizeof *old, (void **)&old);
    if (status)
        return status;
    double *tensors = old + count;
    for (int64_t step = 0; step < steps; ++step) {
        memcpy(old, voxels, sizeof *old * (size_t)count);
        reference_step(parameters, &(struct image){ parameters->size, old }, tensors, voxels);
    }
    free(old);
    return YOKE_OK;
}
