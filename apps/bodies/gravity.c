/* gravity.c - Newton's law with Plummer's softening, term by term. */
#include "gravity.h"

#include <math.h>

void gravity_direct(const struct gravity *gravity, int64_t i, double acceleration[3])
{
    const body_t *from = gravity->bodies;
    int64_t j;
    acceleration[0] = acceleration[1] = acceleration[2] = 0;
    for (j = 0; j < gravity->count; j++) {
        const double d[3] = { (double)from[j].x - (double)from[i].x,
                              (double)from[j].y - (double)from[i].y,
                              (double)from[j].z - (double)from[i].z };
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + gravity->softening2;
        const double w = (double)from[j].mass / (r2 * sqrt(r2));
        int k;
        for (k = 0; k < 3; k++)
            acceleration[k] += w * d[k];
    }
}

double gravity_distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}
