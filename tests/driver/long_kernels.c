/* long_kernels.c - loops that take long on a core, 0.2 ms an item on any machine, until a GPU has
 * done an item: that sets the word at `gate` to 1. */
#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
#include "platform/clock.h"
#endif

#ifdef YOKE_CUDA
#define WORK(gate) (*(volatile int *)(gate) = 1)
#else
#define WORK(gate)                                                                                 \
    do {                                                                                           \
        for (int64_t end = yk_clock_ns() + 200000;                                                 \
             !*(volatile int *)(gate) && yk_clock_ns() < end;)                                     \
            continue;                                                                              \
    } while (0)
#endif

YOKE_KERNEL(k_long, i, YOKE_VALUE(int64_t, gate), YOKE_INOUT(int32_t, y))
{
    WORK(gate);
    y[i] += 1;
}

YOKE_KERNEL(k_long_again, i, YOKE_VALUE(int64_t, gate), YOKE_INOUT(int32_t, y))
{
    WORK(gate);
    y[i] = y[i] + 1;
}

/* Counts the items in two bins. */
YOKE_KERNEL(k_long_add, i, YOKE_VALUE(int64_t, gate), YOKE_ADD(int32_t, y))
{
    WORK(gate);
    yoke_add(&y[i % 2], (int32_t)1);
}

YOKE_KERNEL(k_long_sum, i, YOKE_VALUE(int64_t, gate), YOKE_REDUCE(SUM, int32_t, y))
{
    WORK(gate);
    yoke_reduce(y, 1);
}
