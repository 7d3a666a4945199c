/* allocations.h - counts the applications' allocations and makes them fail, with the linker's
 * --wrap. yoke's own allocations, in its shared library, are not included. */
#ifndef TESTS_APPS_ALLOCATIONS_H
#define TESTS_APPS_ALLOCATIONS_H

#include <stdint.h>

extern int64_t allocations_live;
extern int64_t allocations_fail_in; /* 1: the next one fails; 0: none */
extern int64_t allocations_largest; /* size in bytes of the largest request */

#endif
