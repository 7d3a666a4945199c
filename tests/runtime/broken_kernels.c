/* broken_kernels.c - a kernel that compiles for the cores and for no other device. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_broken, i, YOKE_OUT(int32_t, x))
{
#ifdef YOKE_FLATTEN
    no_such_function(x);
#endif
    x[i] = (int32_t)i;
}
