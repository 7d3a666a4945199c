/* work_kernels.c - `rounds` dependent steps per element, with every kind of copy around them. With
 * 0 rounds the kernels are bound by memory. */
#include "work_kernels.h"

YOKE_KERNEL(w_scale, i, YOKE_VALUE(int32_t, rounds), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, z))
{
    uint32_t s = x[i];
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    z[i] = s;
}

YOKE_KERNEL(w_add, i, YOKE_VALUE(int32_t, rounds), YOKE_IN(uint32_t, x), YOKE_INOUT(uint32_t, z))
{
    uint32_t s = x[i];
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    z[i] = z[i] + s;
}

YOKE_KERNEL(w_stencil, i, YOKE_VALUE(int32_t, rounds), YOKE_VALUE(strip_t, strip),
            YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, z))
{
    uint32_t s = x[i];
    if (i - strip.width >= strip.first)
        s = s + x[i - strip.width];
    if (i + strip.width < strip.last)
        s = s + x[i + strip.width];
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    z[i] = s;
}

YOKE_KERNEL(w_table, i, YOKE_VALUE(int32_t, rounds), YOKE_VALUE(int64_t, entries),
            YOKE_IN(uint32_t, table), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, z))
{
    uint32_t s = x[i] + table[(int64_t)x[i] % entries];
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    z[i] = s;
}
