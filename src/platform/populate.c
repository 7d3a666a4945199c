/* populate.c - see populate.h. */
#include "populate.h"

#include <sys/mman.h>

enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, which only recent C libraries define */

void yk_memory_populate(void *memory, int64_t bytes)
{
    (void)madvise(memory, (size_t)bytes, POPULATE_WRITE);
}
