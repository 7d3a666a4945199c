/* broken_kernels.c - a kernel that compiles for the cores and for no other device, one that
 * OpenCL alone refuses, and one that compiles for all. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_broken, i, YOKE_OUT(int32_t, x))
{
#ifdef YOKE_FLATTEN
    no_such_function(x);
#endif
    x[i] = (int32_t)i;
}

YOKE_KERNEL(k_beside_broken, i, YOKE_OUT(int32_t, x))
{
    x[i] = 2 * (int32_t)i;
}

YOKE_KERNEL(k_pointer, i, YOKE_OUT(int32_t, x))
{
    int32_t *own = x + i;
    *own = (int32_t)i;
}
