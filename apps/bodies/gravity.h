/* gravity.h - the reference for applications with gravity: the acceleration of one body, summed
 * directly in double precision.
 */
#ifndef YOKE_APPS_GRAVITY_H
#define YOKE_APPS_GRAVITY_H

#include <stdint.h>

#include "body.h"

struct gravity {
    const body_t *bodies;
    int64_t count;
    double softening2;
};

/* Computes the acceleration of body `i` by all others. */
void gravity_direct(const struct gravity *gravity, int64_t i, double acceleration[3]);
double gravity_distance(const double a[3], const double b[3]);

#endif
