/* late_kernel.c - a sum that a GPU ends only when the word at `gate` is 0, and then wrongly. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_late_sum, i, YOKE_VALUE(int64_t, gate), YOKE_IN(int32_t, x),
            YOKE_REDUCE(SUM, int64_t, sum))
{
    int64_t wrong = 0;
#ifdef YOKE_CUDA
    if (gate) {
        while (*(volatile int *)gate)
            ;
        wrong = 1000;
    }
#else
    (void)gate;
#endif
    yoke_reduce(sum, x[i] + wrong);
}
