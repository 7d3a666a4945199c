/* populate.h - gives memory its pages before it is used. */
#ifndef YK_PLATFORM_POPULATE_H
#define YK_PLATFORM_POPULATE_H

#include <stdint.h>

/* Makes all pages of mapped, writable memory present; new pages are placed on the caller's NUMA
 * node. Contents stay, even while other threads write them. Takes about 100 us per MiB of new
 * pages. Does nothing on Linux before 5.14. The memory must be whole pages. */
void yk_memory_populate(void *memory, int64_t bytes);

#endif
