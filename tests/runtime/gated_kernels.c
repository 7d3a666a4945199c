/* gated_kernels.c - a kernel that, on an OpenCL device that is this processor, ends when the
 * program allows it: `gate` is the address of a word of the program, or 0. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_gated, i, YOKE_VALUE(int64_t, gate), YOKE_INOUT(int32_t, y))
{
#ifdef YOKE_OPENCL
    if (gate)
        while (*(__global volatile int *)gate)
            ;
#else
    (void)gate;
    for (volatile int32_t r = 0; r < 2000; r++) /* takes a few us, so that the device gets chunks */
        ;
#endif
    y[i] = y[i] + (int32_t)i;
}
