/* names_kernels.c - names that are free in C, but are functions, types or words of OpenCL C or
 * CUDA: what the file defines under them counts on every device. */
#include <stddef.h>
#include <stdint.h>
#include <yoke/kernel.h>

enum { length = 3, distance, RESULTS = 13 };
typedef struct float2 {
    float min, max;
} float2;
typedef struct {
    int32_t x, event_t;
} sampler_t;
YOKE_CONST float degrees[2] = { 90, 180 };
YOKE_CONST float radians[2] = { 0.5f, 1 };

/* Unlike OpenCL's, of the whole part, and never 0. */
YOKE_FN int32_t sign(int32_t x)
{
    return x < 0 ? -1 : 1;
}
YOKE_FN float step(int32_t x, float edge)
{
    return (float)x < edge ? 1.0f : 0.0f;
}
YOKE_FN float max(float a, float b)
{
    return a > b ? a + 100 : b + 100;
}
YOKE_FN float clamp(float x, float lowest, float highest)
{
    return x < lowest ? lowest - 1 : x > highest ? highest + 1 : x;
}
YOKE_FN int32_t get_global_id(int32_t x)
{
    return x + 1000;
}
YOKE_FN float2 mix(float2 dot, float cross)
{
    const float2 both = { dot.min + cross, dot.max * cross };
    return both;
}
YOKE_FN float2 make_float2(float min, float max)
{
    const float2 both = { min, max };
    return both;
}
/* CUDA's takes doubles, too. */
YOKE_FN float fdivide(float a, float b)
{
    return b == 0 ? -1 : a / b;
}

YOKE_KERNEL(names_own, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const float2 pair = { x[i], x[i] + 1 };
    const sampler_t it = { 5, 7 };
    YOKE_GLOBAL float *own = y + i * RESULTS;
    own[0] = (float)sign((int32_t)(x[i] / 100.0f));
    own[1] = step((int32_t)x[i], 3.0f);
    own[2] = max(x[i], 2.0f);
    own[3] = clamp(x[i], 1.0f, 4.0f);
    own[4] = (float)get_global_id((int32_t)i);
    own[5] = mix(pair, 2.0f).min + mix(pair, 2.0f).max;
    own[6] = degrees[i & 1] + radians[i & 1];
    own[7] = (float)(it.x + it.event_t);
    own[8] = (float)(length + distance);
    own[9] = (float)(10 * sizeof(float2) + offsetof(float2, max));
    own[10] = (float)(yoke_float_as_int(x[i]) >> 8);
    own[11] = yoke_int_as_float(0x3f800000 + (int32_t)i);
    own[12] = make_float2(x[i], 8).max + fdivide(x[i], (double)(i & 1));
}

/* Parameters and locals named like what yoke's entries call. */
YOKE_KERNEL(names_parameters, i, YOKE_IN(float, barrier), YOKE_IN(float, get_local_id),
            YOKE_OUT(float, y), YOKE_REDUCE(MAX, float, get_group_id))
{
    const float as_float = barrier[i] + get_local_id[i], atomic_add = 2 * as_float;
    const float floor = floorf(as_float), fmin = fminf(floor, 3.0f);
    y[i] = atomic_add + floor * fmin;
    yoke_reduce(get_group_id, atomic_add);
}

/* Reserved words, and a hexadecimal float. */
typedef struct part {
    float private, global;
} part;
YOKE_FN float sum(const float *local, int32_t constant)
{
    return local[0] + (float)constant;
}
YOKE_FN float twice(float read_only)
{
    return 2 * read_only;
}
YOKE_KERNEL(names_reserved, i, YOKE_IN(float, kernel), YOKE_VALUE(float, new),
            YOKE_OUT(float, class))
{
    const part half = { kernel[i], 2 * new };
    register const float eighth = 0x1p-3f;
    class[i] = sum(&half.private, 3) + eighth * twice(8 * half.global);
}
