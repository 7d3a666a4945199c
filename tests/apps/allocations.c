/* allocations.c - see allocations.h. */
#include "allocations.h"

#include <stddef.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1"; /* like the system's allocator */
}
#endif

int64_t allocations_live, allocations_fail_in, allocations_largest;

static int due(size_t size)
{
    if ((int64_t)size > allocations_largest)
        allocations_largest = (int64_t)size;
    return allocations_fail_in > 0 && --allocations_fail_in == 0;
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    allocations_live += block != NULL;
    return block;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return due(size) ? NULL : counted(__real_aligned_alloc(alignment, size));
}
void *__wrap_malloc(size_t size)
{
    return due(size) ? NULL : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t count, size_t size)
{
    return due(count * size) ? NULL : counted(__real_calloc(count, size));
}
void *__wrap_realloc(void *block, size_t size)
{
    if (due(size))
        return NULL;
    return block ? __real_realloc(block, size) : counted(__real_realloc(block, size));
}
void __wrap_free(void *block)
{
    allocations_live -= block != NULL;
    __real_free(block);
}
