/* bvh_kernels.h - rays through a tree as yoke jobs, for tests. */
#ifndef TESTS_APPS_BVH_KERNELS_H
#define TESTS_APPS_BVH_KERNELS_H

#include <yoke/kernel.h>

#include "path/path_kernels.h"

#if !defined(YOKE_FLATTEN)
extern const yoke_kernel bvh_nearest, bvh_blocked, bvh_pieces, bvh_each;
#endif

#endif
