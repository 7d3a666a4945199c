/* denoise_diffusion.h - the diffusion tensor of a structure tensor, in the kernel language.
 *
 * D has the eigenvectors of J; its eigenvalues follow Weickert's edge-enhancing diffusivity (J.
 * Weickert, Anisotropic Diffusion in Image Processing, 1998, section 5.1, there with |grad I|^8 =
 * (s / K^2)^4 and the constant 3.31488)
 *     g(s) = 1 - exp(-3.31488 / (s / K^2)^4),   g(0) = 1,   s = mu - least mu,
 * for each eigenvalue mu of J. Because s counts from the least eigenvalue, g = 1 along every edge,
 * and the part that noise adds equally to all three is removed.
 *
 * D is a function of J, so no eigenvector is ever formed. B is J's deviator divided by its size p,
 * with eigenvalues b1 >= b2 >= b3, and A = B - b3. Then D = 1 + c1 A + c2 A^2, where c1 and c2 are
 * such that A's eigenvalues b1 - b3 and b2 - b3 get the right values. B's eigenvalues are
 * 2 cos(angle), and the same for the angle plus and minus a third of a turn, with
 * cos(3 angle) = r = det(B) / 2. Where two of them are nearly equal, r is near +1 or -1, and gives
 * their distance only up to the root of its rounding error; 1 - r^2, computed as a sum of squares,
 * gives it exactly. There are no branches, and equal eigenvalues or J = 0 need no special case:
 * where b1 and b2 are equal, c2 becomes inexact but its effect vanishes.
 */
#ifndef YOKE_APPS_DENOISE_DIFFUSION_H
#define YOKE_APPS_DENOISE_DIFFUSION_H

typedef struct tensor {
    float xx, yy, zz, xy, xz, yz;
} tensor;

/* Written out, because compilers do not vectorise fmaxf, which handles NaNs. */
YOKE_FN float at_least(float x, float low)
{
    return x > low ? x : low;
}

YOKE_FN float within_one(float x)
{
    const float low = x > -1.0f ? x : -1.0f;
    return low < 1.0f ? low : 1.0f;
}

/* cos(acos(r) / 3) as a polynomial in t = sqrt((1 + r) / 2), 0 to 1, with an error of 2e-7: as a
 * function of t it is smooth at both ends, as a function of r it is not. */
YOKE_FN float cos_third(float t)
{
    return (((((-0.002103491f * t + 0.010501754f) * t - 0.026399749f) * t + 0.051474763f) * t -
             0.110805471f) *
                t +
            0.577331902f) *
               t +
           0.5f;
}

/* Returns g - 1, where `x` is s / K^2. At the bound exp is 1e-37; below it, vector versions of exp
 * become slow. */
YOKE_FN float lack_of(float x)
{
    const float x4 = at_least((x * x) * (x * x), 0.039f);
    return -expf(-3.31488f / x4);
}

/* Returns 1 - r^2 = the discriminant of B / 108: by Cauchy and Binet the sum of the squared 3 x 3
 * minors of 1, B and B^2 as columns of 6 elements, in which those off the diagonal count twice. */
YOKE_FN float discriminant_of(tensor b, tensor c)
{
    const float bx = b.yy - b.zz, by = b.zz - b.xx, bz = b.xx - b.yy;
    const float cx = c.yy - c.zz, cy = c.zz - c.xx, cz = c.xx - c.yy;
    const float all = b.xx * cx + b.yy * cy + b.zz * cz;
    const float x0 = b.xy * c.xz - b.xz * c.xy, y0 = b.xy * c.yz - b.yz * c.xy;
    const float z0 = b.xz * c.yz - b.yz * c.xz;
    const float x1 = bx * c.xy - cx * b.xy, x2 = bx * c.xz - cx * b.xz, x3 = bx * c.yz - cx * b.yz;
    const float y1 = by * c.xy - cy * b.xy, y2 = by * c.xz - cy * b.xz, y3 = by * c.yz - cy * b.yz;
    const float z1 = bz * c.xy - cz * b.xy, z2 = bz * c.xz - cz * b.xz, z3 = bz * c.yz - cz * b.yz;
    const float three = x0 * x0 + y0 * y0 + z0 * z0;
    const float nine =
        x1 * x1 + x2 * x2 + x3 * x3 + y1 * y1 + y2 * y2 + y3 * y3 + z1 * z1 + z2 * z2 + z3 * z3;
    return (all * all + 2.0f * nine + 12.0f * three) * (1.0f / 108.0f);
}

YOKE_FN tensor square_of(tensor b)
{
    tensor c;
    c.xx = b.xx * b.xx + b.xy * b.xy + b.xz * b.xz;
    c.yy = b.xy * b.xy + b.yy * b.yy + b.yz * b.yz;
    c.zz = b.xz * b.xz + b.yz * b.yz + b.zz * b.zz;
    c.xy = b.xy * (b.xx + b.yy) + b.xz * b.yz;
    c.xz = b.xz * (b.xx + b.zz) + b.xy * b.yz;
    c.yz = b.yz * (b.yy + b.zz) + b.xy * b.xz;
    return c;
}

/* Returns D for J. `scale` converts J's eigenvalues to units of K^2. */
YOKE_FN tensor diffusion_of(tensor j, float scale)
{
    const float mean = (j.xx + j.yy + j.zz) * (1.0f / 3.0f);
    j.xx -= mean;
    j.yy -= mean;
    j.zz -= mean;
    const float off = j.xy * j.xy + j.xz * j.xz + j.yz * j.yz;
    const float p2 = (j.xx * j.xx + j.yy * j.yy + j.zz * j.zz + 2.0f * off) * (1.0f / 6.0f);
    const float inverse = 1.0f / sqrtf(p2 + 1e-30f), p = p2 * inverse * scale;
    const tensor b = YOKE_INIT(tensor, j.xx * inverse, j.yy * inverse, j.zz * inverse,
                               j.xy * inverse, j.xz * inverse, j.yz * inverse);
    const tensor c = square_of(b);

    const float det = b.xx * (b.yy * b.zz - b.yz * b.yz) - b.xy * (b.xy * b.zz - b.yz * b.xz) +
                      b.xz * (b.xy * b.yz - b.yy * b.xz);
    const float r = within_one(0.5f * det), size = fabsf(r);
    const float apart = sqrtf(0.5f + 0.5f * size);
    const float close = sqrtf(0.5f * within_one(discriminant_of(b, c)) / (1.0f + size));
    const float most = 2.0f * cos_third(r > 0.0f ? apart : close);
    const float least = -2.0f * cos_third(r > 0.0f ? close : apart);
    const float s1 = most - least, s2 = at_least(-most - 2.0f * least, 0.0f);

    const float h1 = lack_of(p * s1) / (s1 + 1e-30f), h2 = lack_of(p * s2) / (s2 + 1e-30f);
    const float c2 = (h1 - h2) / at_least(s1 - s2, 1e-4f), c1 = h1 - c2 * s1;
    const float b0 = 1.0f - least * (c1 - c2 * least), b1 = c1 - 2.0f * c2 * least;
    tensor d;
    d.xx = b0 + b1 * b.xx + c2 * c.xx;
    d.yy = b0 + b1 * b.yy + c2 * c.yy;
    d.zz = b0 + b1 * b.zz + c2 * c.zz;
    d.xy = b1 * b.xy + c2 * c.xy;
    d.xz = b1 * b.xz + c2 * c.xz;
    d.yz = b1 * b.yz + c2 * c.yz;
    return d;
}

#endif
