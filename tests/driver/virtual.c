/* virtual.c - reserved addresses, physical memory without addresses, and mapping the one to the
 * other.
 *
 * Mappings belong to the process, not to a context: they outlive contexts, and are freed even if
 * the contexts are dead. Omitted from the library that stands for a driver before CUDA 10.2. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

static const size_t grain = 2 << 20;

struct standin_physical {
    int device, file;
    size_t bytes;
    atomic_int references; /* one for the handle and one for each mapping */
};

struct reservation {
    CUdeviceptr start;
    size_t bytes;
    struct reservation *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations; /* under lock */

static int right_properties(const CUmemAllocationProp *properties)
{
    return properties && properties->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
           properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE && !properties->handle_types &&
           properties->location.id >= 0 &&
           properties->location.id < standin_settings()->visible_count;
}

static void *host(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       int option)
{
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    if (!right_properties(properties) || option != CU_MEM_ALLOC_GRANULARITY_MINIMUM)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = grain;
    return code;
}

/* ---- addresses ---- */

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags)
{
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes || bytes % grain || alignment || wanted || flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *made = malloc(sizeof *made);
    void *place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!made || place == MAP_FAILED) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct reservation){ .start = (CUdeviceptr)(uintptr_t)place, .bytes = bytes };
    pthread_mutex_lock(&lock);
    made->next = reservations;
    reservations = made;
    pthread_mutex_unlock(&lock);
    standin_held(1);
    *address = made->start;
    return code;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    CUresult code = standin_call(__func__);
    struct reservation **link, *found;
    if (standin_ranges_touch(address, bytes))
        return CUDA_ERROR_INVALID_VALUE; /* memory is still mapped there */
    pthread_mutex_lock(&lock);
    for (link = &reservations; *link && ((*link)->start != address || (*link)->bytes != bytes);)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return CUDA_ERROR_INVALID_VALUE;
    munmap(host(address), bytes);
    free(found);
    standin_held(-1);
    return code;
}

static int is_reserved(CUdeviceptr start, size_t bytes)
{
    int inside = 0;
    pthread_mutex_lock(&lock);
    for (struct reservation *at = reservations; at && !inside; at = at->next)
        inside = at->start <= start && start + bytes <= at->start + at->bytes;
    pthread_mutex_unlock(&lock);
    return inside;
}

/* ---- memory ---- */

static void let_go(struct standin_physical *physical)
{
    if (atomic_fetch_sub(&physical->references, 1) != 1)
        return;
    close(physical->file);
    standin_memory_give(physical->device, physical->bytes);
    free(physical);
    standin_held(-1);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags)
{
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes || bytes % grain || flags || !right_properties(properties))
        return CUDA_ERROR_INVALID_VALUE;
    struct standin_physical *made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->device = properties->location.id;
    made->bytes = bytes;
    atomic_init(&made->references, 1);
    if (!standin_memory_take(made->device, bytes))
        goto free_made;
    made->file = memfd_create("standin", MFD_CLOEXEC);
    if (made->file < 0)
        goto give;
    if (ftruncate(made->file, (off_t)bytes) != 0)
        goto close_file;
    standin_held(1);
    *handle = (uintptr_t)made;
    return CUDA_SUCCESS;
close_file:
    close(made->file);
give:
    standin_memory_give(made->device, bytes);
free_made:
    free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult code = standin_call(__func__);
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    let_go((struct standin_physical *)(uintptr_t)handle);
    return code;
}

/* ---- memory behind addresses ---- */

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct standin_physical *physical = (struct standin_physical *)(uintptr_t)handle;
    const struct standin_range range = { .start = address, .bytes = bytes, .physical = physical };
    CUresult code = standin_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    if (!physical || offset || flags || bytes != physical->bytes || address % grain % 4096 ||
        !is_reserved(address, bytes) || standin_ranges_touch(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (mmap(host(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file, 0) ==
        MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!standin_range_add(&range))
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_fetch_add(&physical->references, 1);
    return code;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    struct standin_range range;
    CUresult code = standin_call(__func__);
    if (!bytes || !standin_range_take(address, bytes, &range))
        return CUDA_ERROR_INVALID_VALUE;
    mmap(host(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    let_go(range.physical);
    return code;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count)
{
    CUresult code = standin_call(__func__);
    int first;
    if (code != CUDA_SUCCESS)
        return code;
    if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
        access->location.type != CU_MEM_LOCATION_TYPE_DEVICE || access->location.id < 0 ||
        access->location.id >= standin_settings()->visible_count ||
        !standin_range_allow(address, bytes, access->location.id, &first))
        return CUDA_ERROR_INVALID_VALUE;
    if (!first)
        return code;
    if (mprotect(host(address), bytes, PROT_READ | PROT_WRITE) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    /* Writes garbage to 16 of every 64 bytes, so that no code can rely on zeros: the driver does
     * not clear memory. */
    for (size_t at = 0; at < bytes; at += 64)
        memset((char *)host(address) + at, 0xa5, 16);
    return code;
}
