/* denoise_diffusion.h - the diffusion tensor of a structure tensor, in the kernel language.
 *
 * D has the eigenvectors of J; its eigenvalues follow Weickert's edge-enhancing diffusivity
 * (J. Weickert, Anisotropic Diffusion in Image Processing, 1998, section 5.1, there with
 * |grad I|^8 = (s / K^2)^4 and the constant 3.31488)
 *     g(s) = 1 - exp(-3.31488 / (s / K^2)^4),   g(0) = 1,   s = mu - least mu,
 * for each eigenvalue mu of J. That s counts from the least eigenvalue makes g = 1 along every edge
 * and takes away what noise adds to all three alike.
 *
 * D is a function of the matrix A = J - least mu, of rank 2, so no eigenvector is ever formed: with
 * h(s) = (g(s) - 1) / s, D = 1 + c1 A + c2 A^2 where c1 + c2 s = h(s) for the two other eigenvalues
 * s1 >= s2 >= 0. Nothing here branches, and equal eigenvalues or J = 0 need no case of their own:
 * where s1 and s2 meet, c2 becomes inexact but its effect vanishes.
 */
#ifndef YOKE_APPS_DENOISE_DIFFUSION_H
#define YOKE_APPS_DENOISE_DIFFUSION_H

typedef struct tensor {
    float xx, yy, zz, xy, xz, yz;
} tensor;

/* Written out, for compilers do not vectorise fmaxf, which minds NaNs. */
YOKE_FN float at_least(float x, float low)
{
    return x > low ? x : low;
}

YOKE_FN float within_one(float x)
{
    const float low = x > -1.0f ? x : -1.0f;
    return low < 1.0f ? low : 1.0f;
}

/* cos(acos(r) / 3) as a polynomial in t = sqrt((1 + r) / 2), 0 to 1, good to 2e-7: smooth in t at
 * both ends, as it is not in r. */
YOKE_FN float cos_third(float t)
{
    return (((((-0.002103491f * t + 0.010501754f) * t - 0.026399749f) * t + 0.051474763f) * t -
             0.110805471f) *
                t +
            0.577331902f) *
               t +
           0.5f;
}

/* h(s); below the bound exp is 0 in float. */
YOKE_FN float lack_by(float s, float scale)
{
    const float x = s * scale, x4 = at_least((x * x) * (x * x), 0.05f);
    return -expf(-3.31488f / x4) / (s + 1e-30f);
}

/* `scale` times J's eigenvalues are in units of K^2. */
YOKE_FN tensor diffusion_of(tensor j, float scale)
{
    /* Eigenvalues of J's deviator: 2 p cos(angle), angle = acos(r) / 3 and a third turn apart. */
    const float q = (j.xx + j.yy + j.zz) * (1.0f / 3.0f);
    const float bx = j.xx - q, by = j.yy - q, bz = j.zz - q;
    const float off = j.xy * j.xy + j.xz * j.xz + j.yz * j.yz;
    const float p2 = (bx * bx + by * by + bz * bz + 2.0f * off) * (1.0f / 6.0f);
    const float inverse = 1.0f / sqrtf(p2 + 1e-30f), p = p2 * inverse;
    const float ux = bx * inverse, uy = by * inverse, uz = bz * inverse;
    const float vxy = j.xy * inverse, vxz = j.xz * inverse, vyz = j.yz * inverse;
    const float det =
        ux * (uy * uz - vyz * vyz) - vxy * (vxy * uz - vyz * vxz) + vxz * (vxy * vyz - uy * vxz);
    const float r = within_one(0.5f * det);
    const float most = 2.0f * p * cos_third(sqrtf(0.5f + 0.5f * r));
    const float least = -2.0f * p * cos_third(sqrtf(0.5f - 0.5f * r));
    const float s1 = most - least, s2 = at_least(-most - 2.0f * least, 0.0f);

    const float h1 = lack_by(s1, scale), h2 = lack_by(s2, scale);
    const float c2 = (h1 - h2) / at_least(s1 - s2, 1e-4f * s1 + 1e-30f), c1 = h1 - c2 * s1;
    const float ax = bx - least, ay = by - least, az = bz - least;
    tensor d;
    d.xx = 1.0f + c1 * ax + c2 * (ax * ax + j.xy * j.xy + j.xz * j.xz);
    d.yy = 1.0f + c1 * ay + c2 * (ay * ay + j.xy * j.xy + j.yz * j.yz);
    d.zz = 1.0f + c1 * az + c2 * (az * az + j.xz * j.xz + j.yz * j.yz);
    d.xy = c1 * j.xy + c2 * (j.xy * (ax + ay) + j.xz * j.yz);
    d.xz = c1 * j.xz + c2 * (j.xz * (ax + az) + j.xy * j.yz);
    d.yz = c1 * j.yz + c2 * (j.yz * (ay + az) + j.xy * j.xz);
    return d;
}

#endif
