/* denoise_kernels.c - one explicit time step of edge-enhancing diffusion, as two kernels.
 *
 * dI/dt = div(D grad I). denoise_tensor computes D from I (structure tensor J = the mean of grad I
 * grad I' over the 8 cells around a voxel, a cell's gradient from its 8 corners) and stores what
 * the step needs of it: its diagonal, and m, the part of D grad I due to its other elements.
 * denoise_step adds the differences of the fluxes through a voxel's faces; a face's flux is the
 * mean diagonal element times the difference of the two voxels, plus the mean m. The image is
 * mirrored beyond its faces, so nothing flows through them, and the sum of all voxels does not
 * change.
 *
 * Per voxel, denoise_tensor reads 4 bytes and writes 24; denoise_step reads 28 and writes 4. Of the
 * bytes read, 4 and 12 are also needed from the planes above and below. One kernel for everything
 * would save 48 bytes but solve 7 eigenproblems per voxel.
 */
#include <yoke/kernel.h>

#include "denoise_diffusion.h"
#include "denoise_grid.h"

/* The values beside voxel x of a line, mirrored at its ends. Both are loaded, then one is selected:
 * no branch. */
YOKE_FN float left_of(YOKE_GLOBAL const float *at, int32_t x)
{
    const float here = at[0], beside = at[-1];
    return x > 0 ? beside : here;
}

YOKE_FN float right_of(YOKE_GLOBAL const float *at, int32_t x, int32_t nx)
{
    const float here = at[0], beside = at[1];
    return x < nx - 1 ? beside : here;
}

/* For the 2 x 2 squares of a plane around a voxel: differences along x and y, and sums. Named by
 * the side of the voxel in y (s, n) and x (w, e). */
typedef struct squares {
    float x_sw, x_se, x_nw, x_ne, y_sw, y_se, y_nw, y_ne, sum_sw, sum_se, sum_nw, sum_ne;
} squares;

YOKE_FN squares squares_of(YOKE_GLOBAL const float *south, YOKE_GLOBAL const float *line,
                           YOKE_GLOBAL const float *north, int32_t x, int32_t nx)
{
    const float sl = left_of(south, x), sc = *south, sr = right_of(south, x, nx);
    const float ml = left_of(line, x), mc = *line, mr = right_of(line, x, nx);
    const float nl = left_of(north, x), nc = *north, nr = right_of(north, x, nx);
    const float s_w = sl + sc, s_e = sc + sr, m_w = ml + mc, m_e = mc + mr;
    const float n_w = nl + nc, n_e = nc + nr;
    const float dm_w = mc - ml, dm_e = mr - mc;
    squares q;
    q.x_sw = (sc - sl) + dm_w;
    q.x_se = (sr - sc) + dm_e;
    q.x_nw = dm_w + (nc - nl);
    q.x_ne = dm_e + (nr - nc);
    q.y_sw = m_w - s_w;
    q.y_se = m_e - s_e;
    q.y_nw = n_w - m_w;
    q.y_ne = n_e - m_e;
    q.sum_sw = s_w + m_w;
    q.sum_se = s_e + m_e;
    q.sum_nw = m_w + n_w;
    q.sum_ne = m_e + n_e;
    return q;
}

YOKE_FN tensor plus_outer(tensor t, float x, float y, float z)
{
    t.xx += x * x;
    t.yy += y * y;
    t.zz += z * z;
    t.xy += x * y;
    t.xz += x * z;
    t.yz += y * z;
    return t;
}

/* Adds the four cells between planes p and q; gradients are 4 times too large. */
YOKE_FN tensor plus_cells(tensor t, squares p, squares q)
{
    t = plus_outer(t, p.x_sw + q.x_sw, p.y_sw + q.y_sw, q.sum_sw - p.sum_sw);
    t = plus_outer(t, p.x_se + q.x_se, p.y_se + q.y_se, q.sum_se - p.sum_se);
    t = plus_outer(t, p.x_nw + q.x_nw, p.y_nw + q.y_nw, q.sum_nw - p.sum_nw);
    t = plus_outer(t, p.x_ne + q.x_ne, p.y_ne + q.y_ne, q.sum_ne - p.sum_ne);
    return t;
}

/* `scale` is 1 / (128 K^2): J is summed over 8 cells, with gradients 4 times too large (4^2). */
YOKE_KERNEL3(denoise_tensor, i, j, k, YOKE_VALUE(denoise_grid, g), YOKE_VALUE(float, scale),
             YOKE_IN(float, image), YOKE_OUT(float, flat), YOKE_OUT(float, up))
{
    const int64_t below = i > 0 ? -g.plane : 0, above = i < g.nz - 1 ? g.plane : 0;
    const int64_t south = j > 0 ? -g.pitch : 0, north = j < g.ny - 1 ? g.pitch : 0;
    const int64_t at = DENOISE_MARGIN + j * g.pitch + k;
    YOKE_GLOBAL const float *u = image + i * g.plane + at;
    YOKE_GLOBAL float *to_flat = flat + i * DENOISE_FLAT * g.plane + at;
    YOKE_GLOBAL float *to_up = up + i * DENOISE_UP * g.plane + at;
    const int32_t x = (int32_t)k;
    const squares a = squares_of(u + below + south, u + below, u + below + north, x, g.nx);
    const squares b = squares_of(u + south, u, u + north, x, g.nx);
    const squares c = squares_of(u + above + south, u + above, u + above + north, x, g.nx);
    tensor t = YOKE_INIT(tensor, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    t = diffusion_of(plus_cells(plus_cells(t, a, b), b, c), scale);
    const float gx = 0.5f * (right_of(u, x, g.nx) - left_of(u, x));
    const float gy = 0.5f * (u[north] - u[south]), gz = 0.5f * (u[above] - u[below]);
    to_flat[0] = t.xx;
    to_flat[g.plane] = t.yy;
    to_flat[2 * g.plane] = t.xy * gy + t.xz * gz;
    to_flat[3 * g.plane] = t.xy * gx + t.yz * gz;
    to_up[0] = t.zz;
    to_up[g.plane] = t.xz * gx + t.yz * gy;
}

/* In a mirrored voxel m has the opposite sign, so the mean m at the image's faces is 0. */
YOKE_KERNEL3(denoise_step, i, j, k, YOKE_VALUE(denoise_grid, g), YOKE_VALUE(float, half_tau),
             YOKE_IN(float, image), YOKE_IN(float, flat), YOKE_IN(float, up), YOKE_OUT(float, next))
{
    const int64_t below = i > 0 ? -g.plane : 0, above = i < g.nz - 1 ? g.plane : 0;
    const int64_t south = j > 0 ? -g.pitch : 0, north = j < g.ny - 1 ? g.pitch : 0;
    const int64_t at = DENOISE_MARGIN + j * g.pitch + k;
    const int32_t x = (int32_t)k;
    YOKE_GLOBAL const float *u = image + i * g.plane + at;
    YOKE_GLOBAL const float *xx = flat + i * DENOISE_FLAT * g.plane + at, *yy = xx + g.plane;
    YOKE_GLOBAL const float *mx = yy + g.plane, *my = mx + g.plane;
    YOKE_GLOBAL const float *zz = up + i * DENOISE_UP * g.plane + at, *mz = zz + g.plane;
    const float here = u[0];

    const float mx_w = mx[-1], mx_e = mx[1];
    float sum = (xx[0] + right_of(xx, x, g.nx)) * (right_of(u, x, g.nx) - here) -
                (left_of(xx, x) + xx[0]) * (here - left_of(u, x));
    sum += (x < g.nx - 1 ? mx_e : -mx[0]) - (x > 0 ? mx_w : -mx[0]);
    sum += (yy[0] + yy[north]) * (u[north] - here) - (yy[south] + yy[0]) * (here - u[south]);
    sum += (north ? my[north] : -my[0]) - (south ? my[south] : -my[0]);
    sum += (zz[0] + zz[DENOISE_UP * above]) * (u[above] - here) -
           (zz[DENOISE_UP * below] + zz[0]) * (here - u[below]);
    sum += (above ? mz[DENOISE_UP * above] : -mz[0]) - (below ? mz[DENOISE_UP * below] : -mz[0]);
    next[i * g.plane + at] = here + half_tau * sum;
}
