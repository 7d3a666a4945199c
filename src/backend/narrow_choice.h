/* narrow_choice.h - which of a program's two entries a launch uses: the one with 32-bit indexes
 * (access/narrow.h) if its numbers allow that.
 */
#ifndef YK_BACKEND_NARROW_CHOICE_H
#define YK_BACKEND_NARROW_CHOICE_H

#include "../access/narrow.h"
#include "kernel_shape.h"
#include "launch_space.h"

struct yk_narrow_choice {
    struct yk_narrow is; /* text NULL: there is no second entry */
    /* The latest place tried, and its result. If only the indexes differ, HOLDS is also true of all
     * ranges inside this one, and FAILS of all ranges that contain it. */
    struct yk_bounds_place last;
    enum { YK_NARROW_UNKNOWN, YK_NARROW_HOLDS, YK_NARROW_FAILS } known;
};

/* Returns 1 if the launch may use the entry with 32-bit indexes. Takes some tens of ns if the
 * numbers equal those of the launch before. One thread drives a device, so there is no lock. */
int yk_narrow_choose(struct yk_narrow_choice *choice, const struct yk_kernel_shape *shape,
                     const struct yk_launch *launch);

#endif
