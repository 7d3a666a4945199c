/* saxpy_kernels.c - 12 bytes moved for two operations: all memory, no arithmetic. */
#include "saxpy_kernels.h"

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}
