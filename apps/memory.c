/* memory.c - one way to memory for all applications, so that running out reads the same everywhere
 * and tests can make each allocation fail.
 */
#include "memory.h"

#include <stdlib.h>

#include "../src/platform/limits.h"
#include "app.h"

enum { PAGE = 4096 };

yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out)
{
    size_t bytes;
    void *block = NULL;
    if (!__builtin_mul_overflow((size_t)count, size, &bytes) && bytes < SIZE_MAX - PAGE)
        block = aligned_alloc(PAGE, (bytes / PAGE + 1) * PAGE);
    if (!block)
        return app_fail(YOKE_ENOMEM,
                        "no memory for %s (%lld of %zu bytes each); use a smaller --size", what,
                        (long long)count, size);
    *out = block;
    return YOKE_OK;
}

int64_t app_memory_available(void)
{
    struct yk_limits limits;
    yk_limits_read("", &limits);
    return limits.memory_available;
}
