/* allocations.h - allocations of the applications are counted, and made to fail, by the linker's
 * --wrap. What yoke allocates itself, in its shared library, is not among them.
 */
#ifndef TESTS_APPS_ALLOCATIONS_H
#define TESTS_APPS_ALLOCATIONS_H

#include <stdint.h>

extern int64_t allocations_live;
extern int64_t allocations_fail_in; /* 1: the next one fails; 0: none */
extern int64_t allocations_largest; /* bytes asked for at once */

#endif
