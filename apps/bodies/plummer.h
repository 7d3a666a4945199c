/* plummer.h - the usual initial cluster of stars: Plummer's sphere in equilibrium. */
#ifndef YOKE_APPS_PLUMMER_H
#define YOKE_APPS_PLUMMER_H

#include <stdint.h>

#include "body.h"

/* Mass 1, gravity 1, energy about -1/4; centre of mass and total momentum 0. */
void plummer_fill(uint64_t seed, int64_t bodies, body_t *position, vector_t *velocity);

#endif
