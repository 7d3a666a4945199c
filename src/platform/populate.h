/* populate.h - memory given its pages before it is used. */
#ifndef YK_PLATFORM_POPULATE_H
#define YK_PLATFORM_POPULATE_H

#include <stdint.h>

/* Every page of the mapped, writable memory is there afterwards, on the caller's NUMA node if it
 * was not there before; contents stay, also beside threads that write them. Takes about 100 us a
 * MiB of new pages. Nothing happens on systems that cannot (Linux before 5.14). Whole pages. */
void yk_memory_populate(void *memory, int64_t bytes);

#endif
