/* contract_kernel.h - the kernels that every backend must run, one for each form. */
#ifndef CONTRACT_KERNEL_H
#define CONTRACT_KERNEL_H

#include <stdint.h>
#include <yoke/kernel_type.h>

#include "contract_struct.h"

extern const yoke_kernel contract_saxpy; /* a, x, y: y = a x + y */
extern const yoke_kernel contract_plane; /* m, p: p[i][j] = 1000 m[i][j] + 10 i + j */
extern const yoke_kernel contract_sums;  /* columns, m, s: s[i] = sum of row i */
extern const yoke_kernel contract_move;  /* force, bodies */
extern const yoke_kernel contract_count; /* bins, x, h: h[x[i] % bins] += 1 */

#endif
