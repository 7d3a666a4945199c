/* sets.h - the sets of devices that papers measure: C, G, C+G, 2G, C+2G, ... PURE.
 *
 * A part is what is added or left out as one: all devices made of cores together, called C, or one
 * GPU. Where all GPUs are alike they are called G and only their number counts; where they are not,
 * a set is called by its devices, and GPUs are added in the order they were named. Every part alone
 * is a set too, for its time alone belongs to every figure.
 */
#ifndef YOKE_APPS_SETS_H
#define YOKE_APPS_SETS_H

#include "driver.h"

enum { SETS_DEVICES_MAX = 16, SETS_MAX = 3 * SETS_DEVICES_MAX, SETS_NAME_MAX = 256 };

struct set {
    char name[SETS_NAME_MAX]; /* "C+2G", or "cpu+cuda:0+opencl:1" */
    uint32_t parts, devices;  /* bit p: part p; bit d: device d */
    int shown;                /* 0: alone, but alike one that is shown; only its time is wanted */
};

struct sets {
    struct set sets[SETS_MAX]; /* shown ones in the papers' order, then the others; the first is a
                                  part alone, and what speedups are over */
    int count, shown;
    int alone[SETS_DEVICES_MAX];           /* by part: the set that is this part alone */
    uint32_t devices_of[SETS_DEVICES_MAX]; /* by part */
    int part_count;
    int has_cores; /* 1: part 0 is C */
    int alike;     /* 1: all GPUs are */
};

/* YOKE_EINVAL if there are more than SETS_DEVICES_MAX devices. */
yoke_status sets_make(const struct measure_device *devices, int count, struct sets *out);

#endif
