/* narrow_kernels.c - kernels that compute indexes, for test_cuda_narrow.c. */
#include <yoke/kernel.h>

YOKE_KERNEL(n_scatter, i, YOKE_VALUE(int64_t, step), YOKE_OUT(int64_t, y))
{
    y[i] = i * step % 1000003;
}

YOKE_KERNEL2(n_plane, i, j, YOKE_VALUE(int32_t, away), YOKE_OUT(int64_t, y))
{
    y[i * YOKE_SIZE2 + j] = (i + away) * YOKE_SIZE2 + j;
}

/* The body with 32-bit indexes would have this name. */
enum { yk_body32_n_clash = 1 };
YOKE_KERNEL(n_clash, i, YOKE_VALUE(int64_t, step), YOKE_OUT(int64_t, y))
{
    y[i] = i * step % 1000003;
}

/* The stand-in driver takes its name for a stack. */
YOKE_KERNEL(n_stack, i, YOKE_VALUE(int64_t, step), YOKE_OUT(int64_t, y))
{
    y[i] = i * step;
}

YOKE_KERNEL(n_plain, i, YOKE_VALUE(int64_t, step), YOKE_OUT(int64_t, y))
{
    y[i] = i * step;
}
