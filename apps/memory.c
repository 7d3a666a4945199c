/* memory.c - the only way to get memory in all applications, so that out-of-memory errors read
 * alike, and tests can make each allocation fail.
 *
 * Pageable memory uses large pages if possible: without them, reading gigabytes once costs a page
 * fault and a TLB miss for every small page; with them, for every 512 small pages.
 */
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <yoke/doctor.h>

#include "app.h"

enum { PAGE = 4096, LARGE_PAGE = 2 << 20 };

static void *alloc_pageable(size_t bytes)
{
    size_t page = bytes >= 4 * (size_t)LARGE_PAGE ? LARGE_PAGE : PAGE;
    void *block = aligned_alloc(page, (bytes / page + 1) * page);
    if (block && page == LARGE_PAGE)
        madvise(block, bytes, MADV_HUGEPAGE); /* a hint: without large pages nothing is lost */
    return block;
}

static int is_pinned(const struct app_memory *memory)
{
    return memory->runtime && memory->kind == APP_MEMORY_PINNED;
}

yoke_status app_data_alloc(const struct app_memory *memory, const struct app_data *data, void **out)
{
    size_t bytes;
    void *block = NULL;
    if (!__builtin_mul_overflow((size_t)data->count, data->size, &bytes) && bytes < SIZE_MAX / 2)
        block = is_pinned(memory) ? yoke_alloc(memory->runtime, bytes) : alloc_pageable(bytes);
    if (!block)
        return app_fail(YOKE_ENOMEM,
                        "no memory for %s (%lld of %zu bytes each); use a smaller --size",
                        data->what, (long long)data->count, data->size);
    *out = block;
    return YOKE_OK;
}

void app_data_free(const struct app_memory *memory, void *block)
{
    if (is_pinned(memory))
        yoke_free(memory->runtime, block);
    else
        free(block);
}

yoke_status app_alloc(const char *what, int64_t count, size_t size, void **out)
{
    const struct app_memory plain = { .kind = APP_MEMORY_PAGEABLE };
    return app_data_alloc(&plain, &(struct app_data){ what, count, size }, out);
}

yoke_status app_memory_available(int64_t *out)
{
    yoke_machine machine;
    yoke_status status = yoke_machine_get(&machine);
    if (status == YOKE_OK)
        *out = machine.memory_available;
    return status;
}

yoke_status app_memory_for_file(const char *path, int64_t bytes)
{
    const double mib = 1 << 20;
    int64_t available;
    yoke_status status = app_memory_available(&available);
    if (status != YOKE_OK || bytes <= available)
        return status;
    return app_fail(YOKE_ENOMEM,
                    "%s needs %.0f MiB more of memory, and %.0f MiB are available; close other "
                    "programs, raise the limit (cgroup, ulimit -v), or take a smaller file",
                    path, ceil((double)bytes / mib), floor((double)available / mib));
}
