/* machine.h - the hardware threads of the machine, usable or not. What describes them is one of two
 * files, which CMake chooses: machine_hwloc.c, or machine_sysfs.c in a build without hwloc
 * (YOKE_HWLOC=OFF).
 */
#ifndef YK_PLATFORM_MACHINE_H
#define YK_PLATFORM_MACHINE_H

#include "topology.h"

/* Hardware threads of a core lie together, and core, l2, l3 and numa count from 0 in their order.
 */
struct yk_machine {
    int this_system; /* 0: hwloc describes another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE) */
    int count;       /* >= 1 */
    int64_t l2_bytes, l3_bytes;
    char model[YK_MODEL_BYTES]; /* "": unknown */
    struct yk_core threads[];
};

/* By yk_free_kept. Not to be called by two threads at once. */
yoke_status yk_machine_read(struct yk_machine **out);
/* In machine_sysfs.c only; `root` is put before every path, for tests. */
yoke_status yk_machine_read_under(const char *root, struct yk_machine **out);
/* What describes it: "hwloc" or "/sys". */
extern const char yk_machine_source[];

#endif
