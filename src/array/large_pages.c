/* large_pages.c - memory of yoke_alloc: large pages that stay pinned between arrays. */
#include <sys/mman.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "pinner.h"

struct region {
    struct yk_pin_range range;
    void *memory;
    size_t bytes;
    struct region *next;
};
static struct region *regions; /* under yk_pages_lock */

enum { LEAST_BYTES = 64 << 10 }; /* below this, pinning never pays and malloc is as good */
static const size_t large_page = 2 << 20;

/* Maps memory. If there are at least large_page bytes, they begin at a multiple of it. */
static void *map_memory(size_t bytes)
{
    size_t spare = bytes >= large_page ? large_page : 0, before;
    char *memory;
    if (yk_alloc_due())
        return MAP_FAILED;
    memory = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !spare)
        return memory;
    before = (large_page - (uintptr_t)memory % large_page) % large_page;
    if (before)
        munmap(memory, before);
    if (spare > before)
        munmap(memory + before + bytes, spare - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE); /* a hint */
    return memory + before;
}

static struct region *open_region(size_t bytes)
{
    size_t page = (size_t)yk_pin_terms.page;
    struct region *region = yk_calloc(1, sizeof *region);
    if (!region)
        return NULL;
    region->memory = MAP_FAILED;
    if (bytes < SIZE_MAX / 4) {
        region->bytes = (bytes + page - 1) / page * page;
        region->memory = map_memory(region->bytes);
    }
    if (region->memory == MAP_FAILED) {
        yk_free(region);
        yk_fail(YOKE_ENOMEM, "no host memory for %zu bytes; close arrays or use smaller ones",
                bytes);
        return NULL;
    }
    region->range.pages = yk_pin_pages(region->memory, (int64_t)region->bytes);
    yk_process_lock(&yk_pages_lock);
    yk_pages_wait_for_arrays(&region->range);
    region->next = regions;
    regions = region;
    if (yk_filled_counts(&region->range))
        yk_pinners_look();
    yk_process_unlock(&yk_pages_lock);
    return region;
}

void *yk_pages_alloc(size_t bytes)
{
    const struct region *region;
    if (bytes < LEAST_BYTES)
        return yk_alloc_aligned(bytes, 4096);
    region = open_region(bytes);
    return region ? region->memory : NULL;
}

void *yk_pages_alloc_pinned(size_t bytes)
{
    const struct region *region;
    if (bytes < LEAST_BYTES)
        return yk_pages_alloc(bytes);
    region = open_region(bytes);
    if (!region)
        return NULL;
    yk_pages_place(&region->range);
    return region->memory;
}

struct yk_pin_range *yk_regions_next(const struct yk_pin_range *range)
{
    /* a region begins with its range */
    struct region *next = range ? ((const struct region *)range)->next : regions;
    return next ? &next->range : NULL;
}

int yk_pages_are_own(const void *memory, size_t bytes)
{
    const char *first = memory;
    const struct region *region;
    yk_process_lock(&yk_pages_lock);
    region = regions;
    while (region && (first < (const char *)region->memory ||
                      first + bytes > (const char *)region->memory + region->bytes))
        region = region->next;
    yk_process_unlock(&yk_pages_lock);
    return region != NULL;
}

/* Removes the region from the list. Returns NULL if it is not there, or (*used is 1) if an open
 * array uses it. Lock held, but released for a time. */
static struct region *take_region(const void *memory, int *used)
{
    struct region **at = &regions, *found = regions;
    *used = 0;
    while (found && found->memory != memory)
        found = found->next;
    if (!found)
        return NULL;
    *used = !yk_pages_end_waiting(&found->range);
    if (*used)
        return NULL;
    while (*at != found)
        at = &(*at)->next;
    *at = found->next;
    return found;
}

void yk_pages_free(void *memory)
{
    struct region *region;
    int used;
    yk_process_lock(&yk_pages_lock);
    region = memory ? take_region(memory, &used) : NULL;
    yk_process_unlock(&yk_pages_lock);
    if (region) {
        munmap(region->memory, region->bytes);
        yk_free(region);
    } else if (memory && !used) {
        yk_free(memory);
    } else if (memory) {
        yk_log(
            YOKE_LOG_WARN,
            "yoke_free: an open array uses the memory at %p, which is kept; close the array first",
            memory);
    }
}
