#include <yoke/kernel.h>

YOKE_KERNEL(cool, i, YOKE_VALUE(float, rate), YOKE_IN(float, air), YOKE_INOUT(float, rod))
{
    rod[i] = rod[i] + rate * (air[i] - rod[i]);
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <yoke/yoke.h>

enum { n = 1000 };
static float air[n], rod[n];

int main(void)
{
    for (int i = 0; i < n; i++) {
        air[i] = i < n / 2 ? 20 : 40;
        rod[i] = 100;
    }
    if (yoke_for(NULL, &cool, n, 0.5f, air, rod) != YOKE_OK) {
        fprintf(stderr, "%s\n", yoke_error_text());
        return 1;
    }
    printf("rod[0] = %.2f, rod[999] = %.2f\n", rod[0], rod[999]);
    return 0;
}
#endif
