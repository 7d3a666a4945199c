/* spmv_kernels.h - y = scale A x by tiles, and what solvers do with vectors, for both types.
 *
 * spmv: values scale; arrays tiles (with one behind), starts, columns, values, x; y and carry out.
 * spmv_dots: value joined (whether rows have carries); arrays tiles, carry, x; y inout, which gets
 * its carries; sums[0] += x y, sums[1] += y y. spmv_advance: value alpha; arrays tiles, p, q; x and
 * r inout; sums[0] += r r after x += alpha p, r -= alpha q. spmv_turn: value beta; arrays tiles, r;
 * p inout: p = r + beta p.
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
