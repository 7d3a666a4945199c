/* memory.c - one way to memory for all applications, so that running out reads the same everywhere
 * and tests can make each allocation fail. Large pages are asked for: gigabytes that are read once
 * then cost a page fault and a TLB miss for every 512th small page only.
 */
#include "memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <yoke/doctor.h>

#include "app.h"

enum { PAGE = 4096, LARGE_PAGE = 2 << 20 };

yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out)
{
    size_t bytes, page = PAGE;
    void *block = NULL;
    if (!__builtin_mul_overflow((size_t)count, size, &bytes) && bytes < SIZE_MAX / 2) {
        if (bytes >= 4 * (size_t)LARGE_PAGE)
            page = LARGE_PAGE;
        block = aligned_alloc(page, (bytes / page + 1) * page);
    }
    if (!block)
        return app_fail(YOKE_ENOMEM,
                        "no memory for %s (%lld of %zu bytes each); use a smaller --size", what,
                        (long long)count, size);
    if (page == LARGE_PAGE)
        madvise(block, bytes, MADV_HUGEPAGE); /* a wish: where there are none nothing is lost */
    *out = block;
    return YOKE_OK;
}

yoke_status app_memory_available(int64_t *out)
{
    yoke_machine machine;
    yoke_status status = yoke_machine_get(&machine);
    if (status == YOKE_OK)
        *out = machine.memory_available;
    return status;
}
