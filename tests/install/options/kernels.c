/* kernels.c - cores and devices compute with the same macros, or this does not compile. */
#include <yoke/kernel.h>
#ifndef NDEBUG
#define RELEASE 0
#else
#define RELEASE 1
#endif
#ifdef N
#define ALL (M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12)
#endif
#ifndef M4
#define M4 0
#endif
#ifndef M11
#define M11 0
#endif
YOKE_KERNEL(count, i, YOKE_INOUT(int32_t, y))
{
    y[i] = ALL * 10 + RELEASE;
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <yoke/yoke.h>

int main(void)
{
    int32_t y[1] = { 0 };
    if (yoke_for(NULL, &count, 1, y) != YOKE_OK) {
        printf("%s\n", yoke_error_text());
        return 1;
    }
    printf("%s\nCPU: %d\n", count.opencl.source.text, (int)y[0]);
    return 0;
}
#endif
