/* cuda_memory.c - device memory: reserves an array's addresses at once and maps pages when they are
 * needed.
 *
 * A split gives a GPU some rows of an array, but the array is addressed as a whole (global indexes
 * need no offset). So a large buffer is a reserved range of addresses, and commit() maps memory
 * behind the parts that chunks use. alloc books the memory in full: whether an array fits is
 * decided once, before any work. Buffers smaller than the driver's smallest page, and all buffers
 * if it has no virtual memory, are allocated at once. Such memory is open to all GPUs, so it takes
 * the driver twice as long.
 *
 * booked >= mapped. Memory that is booked and not yet mapped cannot be booked again in this
 * process, but another process may take it first: then commit returns YOKE_ENOMEM.
 */
#include <string.h>

#include "../../base/alloc.h"
#include "../../base/status.h"
#include "../../platform/clock.h"
#include "cuda.h"

/* Page sizes in bytes, of the largest and of small buffers: an H100's driver takes 60 us to make,
 * map and open a page of 32 MiB, and 70 us for 128 MiB. Pages are smaller where the memory would
 * have fewer than PAGES_LEAST, because eviction frees whole pages. */
static const int64_t step_most_bytes = 128 << 20;
int64_t yk_cuda_step_bytes = 32 << 20;
enum { PAGES_LEAST = 64 };
/* Size of a buffer that is allocated when the device opens: a driver takes 0.12 ms for its first
 * small buffer, 0.5 ms if other GPUs allocate meanwhile, and 4 us for the next ones. */
enum { FIRST_BYTES = 256 };
/* The driver's last answer is used if at least 1 / ENOUGH_PART of the memory was free, and if it is
 * at most ask_at_last_ns old. A thread that has waited for idle_ns renews it after ask_again_ns. */
enum { ENOUGH_PART = 4 };
static const int64_t ask_again_ns = 200000000, ask_at_last_ns = 2000000000, idle_ns = 1000000;

struct yk_cuda_segment { /* consecutive pages, mapped and unmapped together */
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;
    int64_t bytes;
    struct yk_cuda_segment *next;
};

static CUmemAllocationProp properties(const struct yk_cuda_device *device)
{
    return (CUmemAllocationProp){ .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                  .location = { CU_MEM_LOCATION_TYPE_DEVICE, device->handle } };
}

/* Finds out whether pages can be mapped on demand, and of what size. The context must be
 * current. */
static void open_pages(struct yk_cuda_device *device)
{
    CUmemAllocationProp wanted = properties(device);
    size_t grain = 0;
    int supported = 0;
    if (!device->cu->has_virtual ||
        device->cu->DeviceGetAttribute(&supported,
                                       CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                       device->handle) != CUDA_SUCCESS ||
        !supported ||
        device->cu->MemGetAllocationGranularity(&grain, &wanted,
                                                CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS ||
        grain == 0)
        return;
    const int64_t part = device->base.desc.memory_bytes / PAGES_LEAST;
    const int64_t step = part < yk_cuda_step_bytes ? part : yk_cuda_step_bytes;
    device->grain = (int64_t)grain;
    device->base.desc.page_bytes = (step + (int64_t)grain - 1) / (int64_t)grain * (int64_t)grain;
    device->base.desc.page_most = part < step_most_bytes ? part : step_most_bytes;
}

/* Asks how many bytes of the device's memory other processes leave to this one: those that are free
 * plus those mapped here. The context must be current. */
static int64_t ask_driver(struct yk_cuda_device *device)
{
    size_t free = 0, total = 0;
    int64_t ours = INT64_MAX;
    if (device->cu->MemGetInfo(&free, &total) == CUDA_SUCCESS)
        ours = (int64_t)free + atomic_load(&device->mapped);
    atomic_store(&device->ours, ours);
    atomic_store(&device->asked_ns, yk_clock_ns());
    return ours;
}

void yk_cuda_memory_open(struct yk_cuda_device *device)
{
    open_pages(device);
    ask_driver(device);
    if (device->cu->MemAlloc(&device->first_memory, FIRST_BYTES) != CUDA_SUCCESS)
        device->first_memory = 0;
}

void yk_cuda_memory_close(struct yk_cuda_device *device)
{
    if (device->first_memory)
        device->cu->MemFree(device->first_memory);
}

void yk_cuda_memory_notice(struct yk_cuda_device *device, int64_t since_ns)
{
    const int64_t now = yk_clock_ns();
    if (now - since_ns < idle_ns || now - atomic_load(&device->asked_ns) < ask_again_ns ||
        !yk_cuda_enter_anyway(device))
        return;
    ask_driver(device);
    yk_cuda_leave(device);
}

/* Returns the bytes that can still be booked. Every job calls this for each of its GPUs when it
 * begins, and the driver takes 80 us to 1 ms to report free memory, under
 * a lock that blocks its other threads. So the driver is asked only if memory is short, or if its
 * answer is too old (other processes may take memory). A thread that waits for the device anyway
 * renews the answer (yk_cuda_memory_notice). */
static int64_t bookable(struct yk_cuda_device *device, int64_t wanted)
{
    const int64_t all = device->base.desc.memory_bytes;
    int64_t ours = atomic_load(&device->ours), booked = atomic_load(&device->booked), left;
    const int asks = ours - booked < all / ENOUGH_PART || ours - booked < wanted ||
                     yk_clock_ns() - atomic_load(&device->asked_ns) > ask_at_last_ns;
    if (asks && yk_cuda_enter_anyway(device)) {
        ours = ask_driver(device);
        yk_cuda_leave(device);
    }
    left = ours < all ? ours - booked : all - booked;
    return left > 0 ? left : 0;
}

int64_t yk_cuda_memory_free(struct yk_device *base)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    return atomic_load(&device->lost) ? 0 : bookable(device, 0);
}

static int64_t pages_of(const struct yk_buffer *buffer, int64_t bytes)
{
    return (bytes + buffer->page - 1) / buffer->page;
}

/* Page size of a buffer that is booked in full: it is mapped in full, as one page. A large one is
 * rounded up to a multiple of 32 MiB: otherwise kernels with scattered accesses take up to a third
 * longer (an H100; queues of 744 MiB). */
static int64_t whole_page(const struct yk_cuda_device *device, int64_t bytes)
{
    const int64_t page = device->base.desc.page_bytes;
    const int64_t unit = bytes >= page ? page : device->grain;
    return (bytes + unit - 1) / unit * unit;
}

/* Reserves addresses only. */
static CUresult reserve(struct yk_cuda_device *device, struct yk_buffer *buffer)
{
    buffer->page = buffer->reserved ? yk_page_bytes(&device->base.desc, buffer->bytes)
                                    : whole_page(device, buffer->bytes);
    const int64_t pages = pages_of(buffer, buffer->bytes);
    buffer->mapped = yk_calloc((size_t)pages, 1);
    buffer->open_to = yk_calloc((size_t)pages, sizeof *buffer->open_to);
    if (!buffer->mapped || !buffer->open_to)
        return CUDA_ERROR_OUT_OF_MEMORY;
    buffer->span = pages * buffer->page;
    return device->cu->MemAddressReserve(&buffer->address, (size_t)buffer->span, 0, 0, 0);
}

static CUresult take_memory(struct yk_cuda_device *device, struct yk_buffer *buffer)
{
    if (device->grain && (buffer->reserved || buffer->bytes >= device->grain)) {
        CUresult code = reserve(device, buffer);
        buffer->booked = buffer->reserved ? 0 : buffer->span;
        return code;
    }
    buffer->booked = buffer->bytes;
    CUresult code = device->cu->MemAlloc(&buffer->address, (size_t)buffer->bytes);
    if (code == CUDA_SUCCESS)
        atomic_fetch_add(&device->mapped, buffer->booked);
    return code;
}

static void free_buffer(struct yk_buffer *buffer)
{
    yk_free(buffer->mapped);
    yk_free(buffer->open_to);
    yk_free(buffer);
}

enum taking { ALL, ADDRESSES };

static yoke_status alloc_entered(struct yk_cuda_device *device, int64_t bytes, enum taking taking,
                                 struct yk_buffer **out)
{
    int64_t left = bookable(device, bytes);
    if (taking == ALL && bytes > left)
        return yk_fail(YOKE_ENOMEM,
                       "%s: %lld bytes asked for, %lld of %lld free; free some, or raise mem=",
                       device->base.desc.name, (long long)bytes, (long long)left,
                       (long long)device->base.desc.memory_bytes);
    struct yk_buffer *buffer = yk_calloc(1, sizeof *buffer);
    if (!buffer)
        return YOKE_ENOMEM;
    buffer->bytes = bytes;
    buffer->reserved = taking == ADDRESSES;
    CUresult code = take_memory(device, buffer);
    if (code != CUDA_SUCCESS) {
        free_buffer(buffer);
        return yk_cuda_fail(device, code, "allocating memory");
    }
    atomic_fetch_add(&device->booked, buffer->booked);
    *out = buffer;
    return YOKE_OK;
}

static yoke_status take(struct yk_device *base, int64_t bytes, enum taking taking,
                        struct yk_buffer **out)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    yoke_status status = yk_cuda_enter(device);
    if (status != YOKE_OK)
        return status;
    status = alloc_entered(device, bytes, taking, out);
    yk_cuda_leave(device);
    return status;
}

yoke_status yk_cuda_alloc(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    return take(base, bytes, ALL, out);
}

yoke_status yk_cuda_reserve(struct yk_device *base, int64_t bytes, struct yk_buffer **out)
{
    return take(base, bytes, ADDRESSES, out);
}

static void segment_close(struct yk_cuda_device *device, struct yk_cuda_segment *segment)
{
    device->cu->MemUnmap(segment->address, (size_t)segment->bytes);
    device->cu->MemRelease(segment->handle);
    atomic_fetch_sub(&device->mapped, segment->bytes);
    yk_free(segment);
}

/* The lock is needed because threads of other GPUs search the list. */
static void take_from(struct yk_cuda_device *device, struct yk_cuda_segment **link)
{
    yk_lock(&device->pieces_lock);
    *link = (*link)->next;
    yk_unlock(&device->pieces_lock);
}

static void add_to(struct yk_cuda_device *device, struct yk_cuda_segment **list,
                   struct yk_cuda_segment *segment)
{
    yk_lock(&device->pieces_lock);
    segment->next = *list;
    *list = segment;
    yk_unlock(&device->pieces_lock);
}

/* Closes the segments in front of `rest`. */
static void pop_segments(struct yk_cuda_device *device, struct yk_buffer *buffer,
                         const struct yk_cuda_segment *rest)
{
    while (buffer->pieces != rest) {
        struct yk_cuda_segment *segment = buffer->pieces;
        take_from(device, &buffer->pieces);
        segment_close(device, segment);
    }
}

void yk_cuda_free(struct yk_device *base, struct yk_buffer *buffer)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!buffer)
        return;
    int entered = yk_cuda_enter_anyway(device);
    pop_segments(device, buffer, NULL);
    if (buffer->mapped) {
        device->cu->MemAddressFree(buffer->address, (size_t)buffer->span);
    } else {
        device->cu->MemFree(buffer->address);
        atomic_fetch_sub(&device->mapped, buffer->booked);
    }
    if (entered)
        yk_cuda_leave(device);
    atomic_fetch_sub(&device->booked, buffer->booked);
    free_buffer(buffer);
}

/* Gives `user` access to these bytes, which must be mapped, in one segment or in several. */
static CUresult allow(const struct yk_cuda_device *device, CUdeviceptr address, int64_t bytes,
                      CUdevice user)
{
    const CUmemAccessDesc access = { .location = { CU_MEM_LOCATION_TYPE_DEVICE, user },
                                     .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    return device->cu->MemSetAccess(address, (size_t)bytes, &access, 1);
}

/* Maps one segment and puts it in front of the list. No device has access to it yet. */
static CUresult push_segment(struct yk_cuda_device *device, CUdeviceptr address, int64_t bytes,
                             struct yk_cuda_segment **list)
{
    const struct yk_cuda_api *cu = device->cu;
    const CUmemAllocationProp wanted = properties(device);
    struct yk_cuda_segment *segment = yk_calloc(1, sizeof *segment);
    if (!segment)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *segment = (struct yk_cuda_segment){ .address = address, .bytes = bytes };
    CUresult code = cu->MemCreate(&segment->handle, (size_t)bytes, &wanted, 0);
    if (code != CUDA_SUCCESS)
        goto fail;
    code = cu->MemMap(address, (size_t)bytes, 0, segment->handle, 0);
    if (code != CUDA_SUCCESS)
        goto release;
    atomic_fetch_add(&device->mapped, bytes);
    add_to(device, list, segment);
    return CUDA_SUCCESS;
release:
    cu->MemRelease(segment->handle);
fail:
    yk_free(segment);
    return code;
}

/* Maps pages first .. last - 1, none of which may be mapped yet. One call gives access to all of
 * them, because each such call takes 1 to 3 ms while the device copies. */
static yoke_status map_pages(struct yk_cuda_device *device, struct yk_buffer *buffer, int64_t first,
                             int64_t last)
{
    const int64_t page = buffer->page, bytes = (last - first) * page;
    /* The driver unmaps only whole segments, and decommit must be able to unmap each page of a
     * buffer of reserved addresses. */
    const int64_t piece = buffer->reserved ? page : bytes;
    const CUdeviceptr address = buffer->address + (CUdeviceptr)(first * page);
    struct yk_cuda_segment *const before = buffer->pieces;
    CUresult code = CUDA_SUCCESS;
    for (int64_t at = 0; at < bytes && code == CUDA_SUCCESS; at += piece)
        code = push_segment(device, address + (CUdeviceptr)at, piece, &buffer->pieces);
    if (code == CUDA_SUCCESS)
        code = allow(device, address, bytes, device->handle);
    if (code != CUDA_SUCCESS) {
        pop_segments(device, buffer, before);
        return yk_cuda_fail(device, code, "mapping memory");
    }
    memset(buffer->mapped + first, 1, (size_t)(last - first));
    if (buffer->reserved) {
        buffer->booked += bytes;
        atomic_fetch_add(&device->booked, bytes);
    }
    return YOKE_OK;
}

/* For a buffer of reserved addresses: its memory is not booked, so others may have taken it. */
static yoke_status map_reserved(struct yk_cuda_device *device, struct yk_buffer *buffer,
                                int64_t first, int64_t last)
{
    const int64_t wanted = (last - first) * buffer->page;
    if (wanted > bookable(device, wanted))
        return yk_fail(YOKE_ENOMEM, "%s: %lld pages of %lld bytes are more than is free",
                       device->base.desc.name, (long long)(last - first), (long long)buffer->page);
    return map_pages(device, buffer, first, last);
}

yoke_status yk_cuda_commit(struct yk_device *base, struct yk_buffer *buffer, int64_t offset,
                           int64_t bytes)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    if (!buffer->mapped || bytes <= 0)
        return YOKE_OK;
    int64_t at = offset / buffer->page, end = pages_of(buffer, offset + bytes);
    yoke_status status = YOKE_OK;
    int entered = 0;
    while (at < end && status == YOKE_OK) {
        int64_t first = at;
        while (first < end && buffer->mapped[first])
            ++first;
        for (at = first; at < end && !buffer->mapped[at];)
            ++at;
        if (first == at)
            break;
        if (!entered)
            status = yk_cuda_enter(device);
        entered |= status == YOKE_OK;
        if (status == YOKE_OK)
            status = buffer->reserved ? map_reserved(device, buffer, first, at)
                                      : map_pages(device, buffer, first, at);
    }
    if (entered)
        yk_cuda_leave(device);
    return status;
}

void yk_cuda_decommit(struct yk_device *base, struct yk_buffer *buffer, int64_t offset,
                      int64_t bytes)
{
    struct yk_cuda_device *device = (struct yk_cuda_device *)base;
    int64_t page = buffer->page, first = pages_of(buffer, offset);
    int64_t last =
        offset + bytes == buffer->bytes ? pages_of(buffer, buffer->bytes) : (offset + bytes) / page;
    int entered = yk_cuda_enter_anyway(device);
    for (struct yk_cuda_segment **link = &buffer->pieces; *link;) {
        struct yk_cuda_segment *segment = *link;
        int64_t at = (int64_t)(segment->address - buffer->address) / page;
        if (at < first || at >= last) {
            link = &segment->next;
            continue;
        }
        take_from(device, link);
        buffer->mapped[at] = 0;
        atomic_store(&buffer->open_to[at], 0);
        buffer->booked -= segment->bytes;
        atomic_fetch_sub(&device->booked, segment->bytes);
        segment_close(device, segment);
    }
    if (entered)
        yk_cuda_leave(device);
}

static uint32_t bit_of(const struct yk_cuda_device *reader)
{
    return (uint32_t)1 << reader->base.desc.index;
}

struct pages {
    int64_t first, last;
};

static struct pages pages_read(const struct yk_copy *copy)
{
    return (struct pages){ copy->from_offset / copy->from->page,
                           pages_of(copy->from, copy->from_offset + yk_copy_host_span(copy)) };
}

static int are_open(const struct yk_buffer *buffer, struct pages pages, uint32_t bit)
{
    while (pages.first < pages.last && atomic_load(&buffer->open_to[pages.first]) & bit)
        pages.first++;
    return pages.first >= pages.last;
}

/* Lets `reader` read the segments that lie on the pages. Call it with pieces_lock held. */
static CUresult open_segments(const struct yk_cuda_device *owner, struct yk_buffer *buffer,
                              struct pages pages, const struct yk_cuda_device *reader)
{
    const int64_t page = buffer->page;
    CUresult code = CUDA_SUCCESS;
    for (const struct yk_cuda_segment *segment = buffer->pieces; segment && code == CUDA_SUCCESS;
         segment = segment->next) {
        const int64_t first = (int64_t)(segment->address - buffer->address) / page;
        const struct pages its = { first, first + segment->bytes / page };
        if (its.last <= pages.first || its.first >= pages.last ||
            are_open(buffer, its, bit_of(reader)))
            continue;
        code = allow(owner, segment->address, segment->bytes, reader->handle);
        for (int64_t at = its.first; at < its.last && code == CUDA_SUCCESS; at++)
            atomic_fetch_or(&buffer->open_to[at], bit_of(reader));
    }
    return code;
}

/* Called when a copy first needs the access, not earlier: the driver's call waits until the reader
 * has done all its queued work, so in a first job each GPU would wait for the other's copies from
 * the host. */
CUresult yk_cuda_memory_open_to(const struct yk_cuda_device *reader, const struct yk_copy *copy)
{
    struct yk_cuda_device *owner = (struct yk_cuda_device *)copy->peer;
    struct yk_buffer *buffer = copy->from;
    CUresult code;
    if (!buffer->mapped || are_open(buffer, pages_read(copy), bit_of(reader)))
        return CUDA_SUCCESS;
    yk_lock(&owner->pieces_lock);
    code = open_segments(owner, buffer, pages_read(copy), reader);
    yk_unlock(&owner->pieces_lock);
    return code;
}
