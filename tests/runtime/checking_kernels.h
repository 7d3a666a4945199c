/* checking_kernels.h - kernels that access other rows than their jobs declare, in ways that their
 * texts do not show: through pointers into an array, or through indexes stored in an array. */
#ifndef CHECKING_KERNELS_H
#define CHECKING_KERNELS_H

#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel c_gather, c_neighbours, c_segment, c_scatter, c_half, c_early, c_cast,
    c_beyond, c_divide, c_right, c_sum, c_peek;
#endif

#endif
