/* interior_kernels.c - kernels without boundary tests, for ranges that exclude the boundary. */
#include <yoke/kernel.h>

YOKE_KERNEL3(i_stencil, i, j, k, YOKE_IN(int32_t, from), YOKE_OUT(int32_t, to))
{
    const int64_t row = YOKE_SIZE3, slab = YOKE_SIZE2 * YOKE_SIZE3, at = i * slab + j * row + k;
    to[at] = from[at - slab] + from[at + slab] + from[at - row] + from[at + row] + from[at - 1] +
             from[at + 1] - 6 * from[at];
}

YOKE_KERNEL2(i_sides, i, j, YOKE_IN(int32_t, from), YOKE_OUT(int32_t, to))
{
    const int64_t at = i * YOKE_SIZE2 + j;
    to[at] = from[at - 1] + from[at + 1];
}

YOKE_KERNEL3(i_number, i, j, k, YOKE_VALUE(int32_t, plus), YOKE_OUT(int32_t, to))
{
    to[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] = (int32_t)(i * 10000 + j * 100 + k) + plus;
}

YOKE_KERNEL3(i_count, i, j, k, YOKE_ADD(int64_t, count))
{
    yoke_add(&count[0], (int64_t)1);
    yoke_add(&count[1], i * 10000 + j * 100 + k);
}

/* Wrong on purpose: reads an array that it declares as out. */
YOKE_KERNEL2(i_early, i, j, YOKE_OUT(int32_t, to))
{
    to[i * YOKE_SIZE2 + j] += 1;
}
