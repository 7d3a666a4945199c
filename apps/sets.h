/* sets.h - the sets of devices that papers measure: C, G, C+G, 2G, C+2G, ... PURE.
 *
 * A part is added or left out as a unit: all devices made of cores together, called C, or one GPU.
 * If all GPUs are alike, they are called G and only their number counts. Otherwise a set is named
 * by its devices, and GPUs are added in the order they were named. Every part alone is also a set,
 * because all results need its time alone.
 */
#ifndef YOKE_APPS_SETS_H
#define YOKE_APPS_SETS_H

#include "driver.h"

enum { SETS_DEVICES_MAX = 16, SETS_MAX = 3 * SETS_DEVICES_MAX, SETS_NAME_MAX = 256 };

struct set {
    char name[SETS_NAME_MAX]; /* "C+2G", or "cpu+cuda:0+opencl:1" */
    uint32_t parts, devices;  /* bit p: part p; bit d: device d */
    int shown;                /* 0: a part alone that is like a shown one; only its time is
                               * needed */
};

struct sets {
    struct set sets[SETS_MAX]; /* shown sets in the papers' order, then the others; the first is a
                                * part alone and the reference of speedups */
    int count, shown;
    int alone[SETS_DEVICES_MAX];           /* by part: the set of this part alone */
    uint32_t devices_of[SETS_DEVICES_MAX]; /* by part */
    int part_count;
    int has_cores; /* 1: part 0 is C */
    int alike;     /* 1: all GPUs are alike */
};

/* Returns YOKE_EINVAL if there are more than SETS_DEVICES_MAX devices. */
yoke_status sets_make(const struct measure_device *devices, int count, struct sets *out);

#endif
