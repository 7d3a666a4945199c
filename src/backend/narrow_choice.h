/* narrow_choice.h - which of a program's two entries a launch takes: the one with 32-bit indexes
 * (access/narrow.h) where its numbers allow that.
 */
#ifndef YK_BACKEND_NARROW_CHOICE_H
#define YK_BACKEND_NARROW_CHOICE_H

#include "../access/narrow.h"
#include "kernel_shape.h"
#include "launch_space.h"

struct yk_narrow_choice {
    struct yk_narrow is; /* text NULL: there is no second entry */
    /* Of the latest launches: with the same numbers, indexes within those that held hold, and those
     * around ones that did not do not. */
    struct yk_bounds_place last;
    enum { YK_NARROW_UNKNOWN, YK_NARROW_HOLDS, YK_NARROW_FAILS } known;
};

/* 1: the launch may take the entry with 32-bit indexes. Some tens of ns where the numbers are those
 * of the launch before. One thread drives a device, so there is no lock. */
int yk_narrow_choose(struct yk_narrow_choice *choice, const struct yk_kernel_shape *shape,
                     const struct yk_launch *launch);

#endif
