/* denoise_diffusion_kernels.c - the diffusion tensors of many structure tensors, for
 * test_denoise.c: six numbers per row, xx, yy, zz, xy, xz, yz. */
#include <yoke/kernel.h>

#include "denoise/denoise_diffusion.h"

YOKE_KERNEL(diffusion_of_each, i, YOKE_VALUE(float, scale), YOKE_IN(float, j), YOKE_OUT(float, d))
{
    YOKE_GLOBAL const float *from = j + 6 * i;
    YOKE_GLOBAL float *to = d + 6 * i;
    const tensor t = diffusion_of(
        YOKE_INIT(tensor, from[0], from[1], from[2], from[3], from[4], from[5]), scale);
    to[0] = t.xx;
    to[1] = t.yy;
    to[2] = t.zz;
    to[3] = t.xy;
    to[4] = t.xz;
    to[5] = t.yz;
}
