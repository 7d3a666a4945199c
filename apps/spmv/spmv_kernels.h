/* spmv_kernels.h - y = scale A x by tiles, and what solvers do with vectors, for both types.
 *
 * Parameters of spmv: value scale; arrays tiles (one more than the range), starts, columns, values,
 * x; outputs y and carry. spmv_dots: value joined (1 if rows have carries); arrays tiles, carry, x;
 * adds the carries to y, then x y to sums[0] and y y to sums[1]. spmv_advance: value alpha; arrays
 * tiles, p, q; x += alpha p, r -= alpha q, then adds r r to sums[0]. spmv_turn: value beta; arrays
 * tiles, r; p = r + beta p.
 */
#ifndef YOKE_APPS_SPMV_KERNELS_H
#define YOKE_APPS_SPMV_KERNELS_H

#include <yoke/kernel.h>

#include "spmv_tile.h"

#ifndef YOKE_FLATTEN
extern const yoke_kernel spmv_double, spmv_single;
extern const yoke_kernel spmv_dots_double, spmv_dots_single;
extern const yoke_kernel spmv_advance_double, spmv_advance_single;
extern const yoke_kernel spmv_turn_double, spmv_turn_single;
#endif
#endif
