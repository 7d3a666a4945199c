/* gives.h - which kernels that reduce may fold an index's values by themselves, before a lane folds
 * the indexes (yoke/kernel_spread_cuda.h): those whose results have the same bits then. Pure.
 */
#ifndef YK_ACCESS_GIVES_H
#define YK_ACCESS_GIVES_H

#include <yoke/kernel_type.h>

/* Returns 1 if that is true of all results: integers, and results to which an index gives at most
 * one value. `text` is the kernel's text for one language. 0 also if it cannot be read. */
int yk_gives_apart(const yoke_kernel *kernel, const char *text);

#endif
