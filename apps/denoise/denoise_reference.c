/* denoise_reference.c - what the kernels must compute, written from the definition: eigenvectors by
 * Jacobi rotations, D = V diag(g) V', the flux j = D grad I on every face, I += tau div j.
 *
 * Shares no formula with the kernels except the discretisation: where gradients and fluxes are
 * taken, and that the image is mirrored beyond its faces.
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

/* Does one rotation that makes a[p][q] zero; v collects the rotations. */
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
    const double none = 1e-17 * (j[0] + j[1] + j[2]); /* below the rounding of any eigenvalue */
    for (int sweep = 0; sweep < 12 && fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) > none;
         ++sweep) {
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

/* The gradient at the middle of the cell whose lowest corner is `corner`. */
static void cell_gradient(const struct image *image, const int64_t *corner, double *gradient)
{
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int c = 0; c < 8; ++c) {
        const int64_t at[3] = { corner[0] + (c & 1), corner[1] + (c >> 1 & 1),
                                corner[2] + (c >> 2) };
        for (int axis = 0; axis < 3; ++axis)
            gradient[axis] += (c >> axis & 1 ? 0.25 : -0.25) * value(image, at);
    }
}

/* Cells begin one voxel before the image, so there is one more of them along each axis. */
static double *cell_of(const struct image *image, double *cells, const int64_t *corner)
{
    const int64_t *size = image->size;
    return cells +
           3 * (((corner[2] + 1) * (size[1] + 1) + corner[1] + 1) * (size[0] + 1) + corner[0] + 1);
}

static void structure_at(const struct image *image, double *cells, const int64_t *at, double *j)
{
    memset(j, 0, 6 * sizeof *j);
    for (int c = 0; c < 8; ++c) {
        const int64_t corner[3] = { at[0] - (c & 1), at[1] - (c >> 1 & 1), at[2] - (c >> 2) };
        const double *gradient = cell_of(image, cells, corner);
        for (int e = 0; e < 6; ++e)
            j[e] += gradient[elements[e][0]] * gradient[elements[e][1]] / 8.0;
    }
}

/* Stores the diagonal of D in voxel `at`, and m: for each axis, the part of D grad I from the other
 * axes. */
static void tensor_at(const struct image *image, const int64_t *at, const double *d, double *out)
{
    double gradient[3];
    for (int axis = 0; axis < 3; ++axis) {
        int64_t low[3], high[3];
        memcpy(low, at, sizeof low);
        memcpy(high, at, sizeof high);
        low[axis]--;
        high[axis]++;
        gradient[axis] = 0.5 * (value(image, high) - value(image, low));
        out[axis] = d[axis];
        out[3 + axis] = 0.0;
    }
    for (int e = 3; e < 6; ++e) {
        out[3 + elements[e][0]] += d[e] * gradient[elements[e][1]];
        out[3 + elements[e][1]] += d[e] * gradient[elements[e][0]];
    }
}

struct flow {
    const struct image *image;
    const double *tensors;
    double tau, *next;
};

/* Adds tau times the flux through the face between `at` and its upper neighbour along `axis` to the
 * one, and subtracts it from the other. */
static void exchange(const struct flow *flow, const int64_t *at, int axis)
{
    const struct image *image = flow->image;
    double *next = flow->next;
    int64_t beyond[3];
    memcpy(beyond, at, sizeof beyond);
    if (++beyond[axis] == image->size[axis])
        return;
    const int64_t a = place(image->size, at), b = place(image->size, beyond);
    const double *ta = flow->tensors + 6 * a, *tb = flow->tensors + 6 * b;
    const double flux = 0.5 * (ta[axis] + tb[axis]) * (image->voxels[b] - image->voxels[a]) +
                        0.5 * (ta[3 + axis] + tb[3 + axis]);
    next[a] += flow->tau * flux;
    next[b] -= flow->tau * flux;
}

#define FOR_ALL(at, from, size)                                                                    \
    for (at[2] = (from); at[2] < (size)[2]; ++at[2])                                               \
        for (at[1] = (from); at[1] < (size)[1]; ++at[1])                                           \
            for (at[0] = (from); at[0] < (size)[0]; ++at[0])

struct scratch {
    double *old, *tensors, *cells, *next;
};

static void reference_step(const struct denoise_parameters *p, const struct scratch *scratch)
{
    const struct image image = { p->size, scratch->old };
    const struct flow flow = { &image, scratch->tensors, p->tau, scratch->next };
    int64_t at[3];
    FOR_ALL(at, -1, p->size)
    cell_gradient(&image, at, cell_of(&image, scratch->cells, at));
    FOR_ALL(at, 0, p->size)
    {
        double j[6], d[6];
        structure_at(&image, scratch->cells, at, j);
        denoise_reference_diffusion(j, p->contrast, d);
        tensor_at(&image, at, d, scratch->tensors + 6 * place(p->size, at));
    }
    FOR_ALL(at, 0, p->size)
    for (int axis = 0; axis < 3; ++axis)
        exchange(&flow, at, axis);
}

yoke_status denoise_reference(const struct denoise_parameters *parameters, int64_t steps,
                              double *voxels)
{
    const int64_t *size = parameters->size, count = size[0] * size[1] * size[2];
    const int64_t cells = (size[0] + 1) * (size[1] + 1) * (size[2] + 1);
    struct scratch scratch = { .next = voxels };
    const yoke_status status = app_alloc("the reference", 7 * count + 3 * cells,
                                         sizeof *scratch.old, (void **)&scratch.old);
    if (status)
        return status;
    scratch.tensors = scratch.old + count;
    scratch.cells = scratch.tensors + 6 * count;
    for (int64_t step = 0; step < steps; ++step) {
        memcpy(scratch.old, voxels, sizeof *voxels * (size_t)count);
        reference_step(parameters, &scratch);
    }
    free(scratch.old);
    return YOKE_OK;
}
