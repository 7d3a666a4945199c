/* interval.c - see interval.h. */
#include "interval.h"

#include <math.h>

#include "../program.h"

static int rank_of(int count)
{
    double chance = pow(0.5, count), sum = chance; /* of no head; of at most r heads */
    int r = 0;
    while (sum <= 0.025) {
        r++;
        chance *= (double)(count - r + 1) / r;
        sum += chance;
    }
    return r > 0 ? r : 1;
}

struct interval interval_of(double *values, int count)
{
    const double middle = median(values, count); /* sorts */
    const int r = rank_of(count);
    return (struct interval){ middle, values[r - 1], values[count - r] };
}
