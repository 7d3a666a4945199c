/* memory.c - device memory, and which of its addresses may be used.
 *
 * A device address is an address of this process, so kernels use it directly. Allocated memory is
 * filled with garbage and ends at a protected page: a kernel that runs over its end crashes instead
 * of corrupting memory. Copies look their addresses up first. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

enum { ALIGNMENT = 512, GARBAGE = 0xa5 };

static atomic_llong used[STANDIN_GPUS_MOST];
/* Copies only read the list. Readers do not wait for each other, and the lock does not order them.
 */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct standin_range *ranges; /* under lock */

size_t standin_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int standin_memory_take(int device, size_t bytes)
{
    long long before = atomic_fetch_add(&used[device], (long long)bytes);
    if (before + (long long)bytes <= (long long)standin_settings()->memory_bytes)
        return 1;
    standin_memory_give(device, bytes);
    return 0;
}

void standin_memory_give(int device, size_t bytes)
{
    atomic_fetch_sub(&used[device], (long long)bytes);
}

/* ---- ranges ---- */

int standin_range_add(const struct standin_range *range)
{
    struct standin_range *made = malloc(sizeof *made);
    if (!made)
        return 0;
    *made = *range;
    pthread_rwlock_wrlock(&lock);
    made->next = ranges;
    ranges = made;
    pthread_rwlock_unlock(&lock);
    standin_held(1);
    return 1;
}

/* With the lock held for writing. */
static void unlink_range(struct standin_range **link, struct standin_range *out)
{
    struct standin_range *found = *link;
    *link = found->next;
    *out = *found;
    free(found);
    standin_held(-1);
}

int standin_range_take(CUdeviceptr start, size_t bytes, struct standin_range *out)
{
    struct standin_range **link;
    int found = 0;
    pthread_rwlock_wrlock(&lock);
    for (link = &ranges; *link && !found;) {
        found = (*link)->start == start && ((*link)->bytes == bytes || !bytes);
        if (found)
            unlink_range(link, out);
        else
            link = &(*link)->next;
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

static int take_of_context(CUcontext context, struct standin_range *out)
{
    struct standin_range **link;
    pthread_rwlock_wrlock(&lock);
    for (link = &ranges; *link && (*link)->context != context;)
        link = &(*link)->next;
    int found = *link != NULL;
    if (found)
        unlink_range(link, out);
    pthread_rwlock_unlock(&lock);
    return found;
}

int standin_range_allow(CUdeviceptr start, size_t bytes, int device, int *first)
{
    size_t found = 0, fresh = 0;
    pthread_rwlock_wrlock(&lock);
    for (struct standin_range *range = ranges; range; range = range->next)
        if (range->start >= start && range->start + range->bytes <= start + bytes) {
            found += range->bytes;
            fresh += range->usable ? 0 : range->bytes;
            range->usable |= 1u << device;
        }
    pthread_rwlock_unlock(&lock);
    *first = fresh == bytes;
    return found == bytes && (fresh == 0 || fresh == bytes);
}

int standin_ranges_touch(CUdeviceptr start, size_t bytes)
{
    int touch = 0;
    pthread_rwlock_rdlock(&lock);
    for (struct standin_range *range = ranges; range && !touch; range = range->next)
        touch = range->start < start + bytes && start < range->start + range->bytes;
    pthread_rwlock_unlock(&lock);
    return touch;
}

enum { ANY_DEVICE = -1 };

static int is_usable(const struct standin_range *range, int device)
{
    if (device == ANY_DEVICE)
        return range->usable != 0;
    return range->context ? standin_context_admits(range->context, device)
                          : (int)(range->usable >> device & 1);
}

/* End of the usable range that contains `at`; `at` if there is none. Lock held for reading. */
static CUdeviceptr end_of_usable(CUdeviceptr at, int device)
{
    for (struct standin_range *range = ranges; range; range = range->next)
        if (range->start <= at && at < range->start + range->bytes && is_usable(range, device))
            return range->start + range->bytes;
    return at;
}

int standin_ranges_open_to(int device, CUdeviceptr start, size_t bytes)
{
    CUdeviceptr at = start, end = start + bytes, reached = start;
    pthread_rwlock_rdlock(&lock);
    while (at < end && (reached = end_of_usable(at, device)) > at)
        at = reached;
    pthread_rwlock_unlock(&lock);
    return at >= end;
}

int standin_ranges_cover(CUdeviceptr start, size_t bytes)
{
    return standin_ranges_open_to(ANY_DEVICE, start, bytes);
}

/* ---- the calls ---- */

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    *total = standin_settings()->memory_bytes;
    *free_bytes = *total - (size_t)atomic_load(&used[standin_device_of(context)]);
    return code;
}

/* Maps whole pages; the last one is protected, and the memory ends right before it. */
static CUresult map_block(struct standin_range *range)
{
    size_t page = standin_page_bytes(), rounded = (range->bytes + page - 1) / page * page;
    range->block_bytes = rounded + page;
    range->block = mmap(NULL, range->block_bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range->block == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (mprotect(range->block, rounded, PROT_READ | PROT_WRITE) != 0) {
        munmap(range->block, range->block_bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(range->block, GARBAGE, rounded);
    range->start = (CUdeviceptr)(uintptr_t)range->block + (rounded - range->bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    struct standin_range range = { .usable = 1 };
    CUresult code = standin_enter(__func__, &range.context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    range.bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int device = standin_device_of(range.context);
    if (range.bytes < bytes || !standin_memory_take(device, range.bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = map_block(&range);
    if (code != CUDA_SUCCESS)
        goto give;
    if (!standin_range_add(&range)) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
        goto unmap;
    }
    *address = range.start;
    return CUDA_SUCCESS;
unmap:
    munmap(range.block, range.block_bytes);
give:
    standin_memory_give(device, range.bytes);
    return code;
}

static void free_range(const struct standin_range *range)
{
    munmap(range->block, range->block_bytes);
    standin_memory_give(standin_device_of(range->context), range->bytes);
}

/* Waits for all running work, as the driver does. */
CUresult cuMemFree(CUdeviceptr address)
{
    struct standin_range range;
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    if (!address)
        return code;
    standin_context_wait(context);
    if (!standin_range_take(address, 0, &range))
        return CUDA_ERROR_INVALID_VALUE;
    free_range(&range);
    return code;
}

long standin_memory_sweep(CUcontext context)
{
    struct standin_range range;
    long count = 0;
    for (; take_of_context(context, &range); ++count)
        free_range(&range);
    return count;
}
