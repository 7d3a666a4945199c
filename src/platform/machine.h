/* machine.h - the hardware threads of the machine, usable or not. CMake chooses one of two
 * implementations: machine_hwloc.c, or machine_sysfs.c in a build without hwloc (YOKE_HWLOC=OFF).
 */
#ifndef YK_PLATFORM_MACHINE_H
#define YK_PLATFORM_MACHINE_H

#include "topology.h"

/* Hardware threads of one core are adjacent; core, l2, l3 and numa are numbered from 0 in the order
 * of the threads.
 */
struct yk_machine {
    int this_system; /* 0: hwloc describes another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE) */
    int count;       /* >= 1 */
    int64_t l2_bytes, l3_bytes;
    char model[YK_MODEL_BYTES]; /* "": unknown */
    struct yk_core threads[];
};

/* Freed by yk_free_kept. Only one thread at a time may call this. */
yoke_status yk_machine_read(struct yk_machine **out);
/* In machine_sysfs.c only; `root` is put before every path, for tests. */
yoke_status yk_machine_read_under(const char *root, struct yk_machine **out);
/* The source of the description: "hwloc" or "/sys". */
extern const char yk_machine_source[];

#endif
