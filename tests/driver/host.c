/* host.c - pinned host memory, registered or allocated by the driver, in whole pages.
 *
 * A page can be pinned only once. A copy that is partly in one pinned piece and partly elsewhere is
 * refused, as in the real driver. Memory is pinned for all contexts and unpinned with the context
 * that pinned it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "driver.h"

struct pin {
    uintptr_t host, first, last; /* as requested; then pages first .. last - 1, as addresses */
    int is_own;                  /* allocated by the driver */
    CUcontext context;
    struct pin *next;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* a reader-writer lock as in memory.c */
static struct pin *pins;                                   /* under lock */
static size_t pinned_bytes;                                /* under lock */

static struct pin pages_of(const void *host, size_t bytes)
{
    uintptr_t page = standin_page_bytes(), start = (uintptr_t)host;
    return (struct pin){ .host = start,
                         .first = start / page * page,
                         .last = (start + bytes + page - 1) / page * page };
}

enum standin_host standin_host_kind(const void *host, size_t bytes)
{
    uintptr_t start = (uintptr_t)host, end = start + bytes;
    enum standin_host kind = STANDIN_PAGEABLE;
    pthread_rwlock_rdlock(&lock);
    for (struct pin *pin = pins; pin && kind == STANDIN_PAGEABLE; pin = pin->next)
        if (pin->first < end && start < pin->last)
            kind = pin->first <= start && end <= pin->last ? STANDIN_PINNED : STANDIN_CROSSING;
    pthread_rwlock_unlock(&lock);
    return kind;
}

/* With the lock held for writing. */
static CUresult add(const struct pin *wanted)
{
    for (struct pin *pin = pins; pin; pin = pin->next)
        if (pin->first < wanted->last && wanted->first < pin->last)
            return pin->is_own ? CUDA_ERROR_INVALID_VALUE
                               : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    size_t bytes = wanted->last - wanted->first;
    struct pin *made = malloc(sizeof *made);
    if (!made || bytes > standin_settings()->pinned_bytes - pinned_bytes) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = *wanted;
    made->next = pins;
    pins = made;
    pinned_bytes += bytes;
    standin_held(1);
    return CUDA_SUCCESS;
}

static CUresult pin_pages(const struct pin *wanted)
{
    pthread_rwlock_wrlock(&lock);
    CUresult code = add(wanted);
    pthread_rwlock_unlock(&lock);
    return code;
}

/* With the lock held for writing. */
static void remove_pin(struct pin **link)
{
    struct pin *pin = *link;
    *link = pin->next;
    pinned_bytes -= pin->last - pin->first;
    if (pin->is_own)
        munmap((void *)pin->first, pin->last - pin->first);
    free(pin);
    standin_held(-1);
}

static CUresult unpin(const void *host, int is_own, CUresult unknown)
{
    struct pin **link;
    CUresult code = CUDA_SUCCESS;
    pthread_rwlock_wrlock(&lock);
    for (link = &pins; *link && ((*link)->host != (uintptr_t)host || (*link)->is_own != is_own);)
        link = &(*link)->next;
    if (*link)
        remove_pin(link);
    else
        code = unknown;
    pthread_rwlock_unlock(&lock);
    return code;
}

long standin_host_sweep(CUcontext context)
{
    struct pin **link;
    long count = 0;
    pthread_rwlock_wrlock(&lock);
    for (link = &pins; *link;) {
        if ((*link)->context != context) {
            link = &(*link)->next;
            continue;
        }
        remove_pin(link);
        ++count;
    }
    pthread_rwlock_unlock(&lock);
    return count;
}

/* True if pages first .. last - 1 are mapped and writable; only such pages can be pinned. */
static int is_writable(const struct pin *pages)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uintptr_t at = pages->first;
    char line[512], rights[8];
    unsigned long start, end;
    while (maps && at < pages->last && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && start <= at && at < end) {
            if (rights[0] != 'r' || rights[1] != 'w')
                break;
            at = end;
        }
    if (maps)
        fclose(maps);
    return at >= pages->last;
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned flags)
{
    struct pin wanted = pages_of(host, bytes);
    CUresult code = standin_enter(__func__, &wanted.context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!host || !bytes || (flags & ~(unsigned)CU_MEMHOSTREGISTER_PORTABLE) ||
        !is_writable(&wanted))
        return CUDA_ERROR_INVALID_VALUE;
    return pin_pages(&wanted);
}

CUresult cuMemHostUnregister(void *host)
{
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    CUresult unknown = unpin(host, 0, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    return unknown == CUDA_SUCCESS ? code : unknown;
}

static CUresult tell(const struct pin *pin, int attribute, void *to)
{
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *(unsigned *)to = CU_MEMORYTYPE_HOST;
    else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
        *(CUdeviceptr *)to = pin->first;
    else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
        *(size_t *)to = pin->last - pin->first;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *to, int attribute, CUdeviceptr address)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    code = CUDA_ERROR_INVALID_VALUE;
    pthread_rwlock_rdlock(&lock);
    for (struct pin *pin = pins; pin && code != CUDA_SUCCESS; pin = pin->next)
        if (pin->first <= address && address < pin->last)
            code = tell(pin, attribute, to);
    pthread_rwlock_unlock(&lock);
    return code;
}

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    CUcontext context;
    CUresult code = standin_enter(__func__, &context);
    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes || (flags & ~(unsigned)CU_MEMHOSTALLOC_PORTABLE))
        return CUDA_ERROR_INVALID_VALUE;
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct pin wanted = pages_of(made, bytes);
    wanted.is_own = 1;
    wanted.context = context;
    code = pin_pages(&wanted);
    if (code == CUDA_SUCCESS)
        *host = made;
    else
        munmap(made, bytes);
    return code;
}

CUresult cuMemFreeHost(void *host)
{
    CUcontext context;
    CUresult code, dead = standin_give_back(__func__, &context, &code);
    if (dead != CUDA_SUCCESS)
        return dead;
    CUresult unknown = unpin(host, 1, CUDA_ERROR_INVALID_VALUE);
    return unknown == CUDA_SUCCESS ? code : unknown;
}
