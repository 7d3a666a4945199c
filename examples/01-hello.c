/* 01-hello.c - y = a x + y on every device of the machine. Kernel and program in one file. */
#include <yoke/kernel.h>

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <yoke/yoke.h>

enum { count = 1000000 };
static float x[count], y[count];

int main(void)
{
    for (int i = 0; i < count; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    if (yoke_for(NULL, &saxpy, count, 2.0f, x, y) != YOKE_OK) {
        fprintf(stderr, "%s\n", yoke_error_text());
        return 1;
    }
    printf("y[10] = %g, y[%d] = %g\n", (double)y[10], count - 1, (double)y[count - 1]);
    return 0;
}
#endif
