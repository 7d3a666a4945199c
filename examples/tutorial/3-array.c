#include <yoke/kernel.h>

YOKE_KERNEL(cool, i, YOKE_VALUE(float, rate), YOKE_IN(float, air), YOKE_INOUT(float, rod))
{
    rod[i] = rod[i] + rate * (air[i] - rod[i]);
}

#ifndef YOKE_FLATTEN /* the rest is not for devices */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { n = 1000, steps = 100 };
static float air[n], rod[n];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

int main(void)
{
    yoke_array *airs, *rods;
    for (int i = 0; i < n; i++) {
        air[i] = i < n / 2 ? 20 : 40;
        rod[i] = 100;
    }
    must(yoke_array_wrap(yoke_default(), air, n, sizeof *air, &airs));
    must(yoke_array_wrap(yoke_default(), rod, n, sizeof *rod, &rods));
    for (int step = 0; step < steps; step++)
        must(yoke_for(NULL, &cool, n, 0.01f, airs, rods));
    must(yoke_array_close(airs));
    must(yoke_array_close(rods)); /* brings what only a GPU has back to rod */
    printf("rod[0] = %.2f, rod[999] = %.2f\n", rod[0], rod[999]);
    return 0;
}
#endif
