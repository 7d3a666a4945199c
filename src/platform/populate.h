/* populate.h - gives memory its pages before it is used. */
#ifndef YK_PLATFORM_POPULATE_H
#define YK_PLATFORM_POPULATE_H

#include <stdint.h>

/* Afterwards every page of the mapped, writable memory is present; a new page is on the caller's
 * NUMA node. Contents stay, even while other threads write them. Takes about 100 us per MiB of new
 * pages. Does nothing on systems that cannot do it (Linux before 5.14). Whole pages. */
void yk_memory_populate(void *memory, int64_t bytes);

#endif
