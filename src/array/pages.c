/* pages.c - pins and unpins blocks of the process's memory, and keeps their map. See pages.h.
 *
 * Unpinning. A block is pinned through one device and disappears with that device's context. So the
 * device has to stay open until the block is unpinned. yk_pinner_close keeps it open while arrays
 * of other runtimes use its blocks; the unpinning of the last such block closes it. Blocks that no
 * array uses, in memory of yoke_alloc, are unpinned when their device closes; the next device pins
 * them again. A block is unpinned only when no array touches it, hence when no copy is under way.
 *
 * A driver is called without the lock, by a thread of the pinner; until it returns, the block is
 * pending. (On a virtual clock blocks are pinned at once.)
 *
 * After a fork the child has the map but not the driver: it unpins nothing.
 */
#include "pages.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../platform/clock.h"
#include "../platform/fork.h"
#include "../platform/limits.h"
#include "../platform/populate.h"
#include "pinner.h"

struct yk_process_lock yk_pages_lock = YK_PROCESS_LOCK_INITIAL;
struct yk_pin_map yk_pages_map;
int64_t yk_pages_filled_most = INT64_MAX;

static pid_t pinning_process; /* the process whose driver pinned the blocks; under the lock */

yoke_status yk_pinner_open(struct yk_device *device, struct yk_pinner **out)
{
    struct yk_limits limits;
    struct yk_pinner *pinner = yk_calloc(1, sizeof *pinner);
    if (!pinner)
        return YOKE_ENOMEM;
    pinner->device = device;
    yk_fork_watch();
    pinner->forks = yk_fork_count();
    yk_limits_read("", &limits);
    yk_process_lock(&yk_pages_lock);
    if (limits.memory_bytes > 0 && yk_pages_filled_most == INT64_MAX)
        yk_pages_filled_most = limits.memory_bytes / 2;
    if (yk_pin_terms.page < sysconf(_SC_PAGESIZE))
        yk_pin_terms.page = sysconf(_SC_PAGESIZE);
    yk_pinner_start(pinner);
    yk_pinners_look();
    yk_process_unlock(&yk_pages_lock);
    *out = pinner;
    return YOKE_OK;
}

int64_t yk_pinner_pinned(struct yk_pinner *pinner)
{
    return atomic_load(&pinner->pinned);
}

/* Lock held, but released for a time. */
static void unpin(struct yk_device *device, struct yk_interval bytes)
{
    int64_t start;
    yk_process_unlock(&yk_pages_lock);
    start = yk_clock_ns();
    device->backend->unpin(device, yk_pages_address(bytes.first));
    start = yk_clock_ns() - start;
    yk_process_lock(&yk_pages_lock);
    if (!device->desc.virtual_clock)
        yk_pin_measured(YK_PIN_UNPINNED, yk_interval_length(bytes), start);
}

/* Unpins a block that is not pending, and removes it from the map. Lock held, but released for a
 * time. */
static void let_go(struct yk_pin_block *block)
{
    int64_t first = block->bytes.first;
    struct yk_pinner *owner = block->owner;
    int orphan;
    if (block->state == YK_PIN_OURS && pinning_process == getpid()) {
        block->state = YK_PIN_PENDING;
        unpin(owner->device, block->bytes);
    }
    yk_pin_remove(&yk_pages_map, first);
    orphan = owner && --owner->blocks == 0 && owner->orphan;
    if (!orphan)
        return;
    yk_process_unlock(&yk_pages_lock);
    owner->device->backend->close(owner->device);
    yk_free(owner);
    yk_process_lock(&yk_pages_lock);
}

static void let_go_unused(struct yk_interval bytes)
{
    struct yk_pin_block *block;
    while ((block = yk_pin_unused(&yk_pages_map, bytes, YK_PIN_ANY_RANGE)))
        let_go(block);
}

/* Returns a block that no array needs: pinned by the device, or by other code for devices of its
 * kind. Lock held. */
static struct yk_pin_block *find_idle(const struct yk_pinner *pinner)
{
    const void *kind = pinner->device->desc.backend;
    int i;
    for (i = 0; i < yk_pages_map.count; i++) {
        struct yk_pin_block *block = &yk_pages_map.items[i];
        if ((block->owner == pinner || (!block->owner && block->kind == kind)) &&
            block->state != YK_PIN_PENDING &&
            !yk_pin_is_used(&yk_pages_map, block->bytes, YK_PIN_ARRAYS))
            return block;
    }
    return NULL;
}

int yk_pages_resident(struct yk_interval bytes)
{
    enum { AT_ONCE = 4096 };
    unsigned char there[AT_ONCE];
    int64_t page = yk_pin_terms.page, at = bytes.first & ~(page - 1), end, i;
    int all = 1;
    for (; at < bytes.last; at = end) {
        end = bytes.last - at > AT_ONCE * page ? at + AT_ONCE * page : bytes.last;
        if (mincore(yk_pages_address(at), (size_t)(end - at), there) != 0)
            return -1;
        for (i = 0; i < (end - at + page - 1) / page; i++)
            all &= there[i] & 1;
    }
    return all;
}

/* Returns 1 if other code has pinned the first and the last page: it then counts as having pinned
 * all pages. Without the lock. */
static int is_foreign_throughout(struct yk_device *device, struct yk_interval bytes)
{
    const struct yk_backend *backend = device->backend;
    int64_t page = yk_pin_terms.page, ends[2] = { bytes.first, bytes.last - page };
    int i, foreign;
    for (i = 0; i < 2; i++) {
        if (backend->pin(device, yk_pages_address(ends[i]), page, &foreign) == YOKE_OK) {
            backend->unpin(device, yk_pages_address(ends[i]));
            return 0;
        }
        if (!foreign)
            return 0;
    }
    return 1;
}

static void say_refused(const struct yk_pages_question *question)
{
    yk_log(YOKE_LOG_INFO,
           "array %s: its memory is not pinned, and copies to and from %s take about five times as "
           "long (%s); a higher limit may help (ulimit -l), or memory of yoke_alloc",
           question->name, question->pinner->device->desc.name, yoke_error_text());
}

void yk_pages_forget(struct yk_pinner *pinner, struct yk_interval gap)
{
    yk_pin_remove(&yk_pages_map, gap.first);
    pinner->blocks--;
}

/* Lock held, but released for a time. */
void yk_pages_pin(const struct yk_pages_question *question, struct yk_interval gap)
{
    struct yk_pinner *pinner = question->pinner;
    struct yk_device *device = pinner->device;
    enum yk_pin_state state = YK_PIN_OURS;
    yoke_status status;
    int64_t start;
    int foreign = 0;
    pinning_process = getpid();
    yk_process_unlock(&yk_pages_lock);
    if (question->fills && !device->desc.virtual_clock)
        yk_memory_populate(yk_pages_address(gap.first), gap.last - gap.first);
    start = yk_clock_ns();
    status =
        device->backend->pin(device, yk_pages_address(gap.first), gap.last - gap.first, &foreign);
    if (status != YOKE_OK && foreign)
        state = is_foreign_throughout(device, gap) ? YK_PIN_FOREIGN : YK_PIN_REFUSED;
    else if (status != YOKE_OK && status != YOKE_EDEVICE)
        say_refused(question);
    start = yk_clock_ns() - start;
    yk_process_lock(&yk_pages_lock);
    if (status == YOKE_OK && !device->desc.virtual_clock)
        yk_pin_measured(YK_PIN_PINNED, gap.last - gap.first, start);
    if (status == YOKE_OK || foreign) {
        yk_pin_at(&yk_pages_map, gap.first)->state = state;
        if (status == YOKE_OK) {
            atomic_fetch_add(&pinner->pinned, gap.last - gap.first);
            return;
        }
        yk_pin_at(&yk_pages_map, gap.first)->owner = NULL;
    } else {
        yk_pin_remove(&yk_pages_map, gap.first);
        question->range->refused |= status != YOKE_EDEVICE;
    }
    pinner->blocks--;
}

int yk_pages_claim(struct yk_pinner *pinner, struct yk_interval gap)
{
    struct yk_pin_block block = {
        .bytes = gap, .state = YK_PIN_PENDING, .kind = pinner->device->desc.backend, .owner = pinner
    };
    if (yk_pin_insert(&yk_pages_map, &block) != YOKE_OK)
        return 0;
    pinner->blocks++;
    return 1;
}

void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device)
{
    struct yk_pin_block *block;
    int kept;
    if (pinner) {
        yk_pinner_stop(pinner);
        yk_process_lock(&yk_pages_lock);
        while ((block = find_idle(pinner)))
            let_go(block);
        kept = pinner->blocks > 0;
        pinner->orphan = kept;
        yk_pinners_look(); /* another pinner takes over what was unpinned */
        yk_process_unlock(&yk_pages_lock);
        if (kept)
            return;
        yk_free(pinner);
    }
    device->backend->close(device);
}

void yk_pages_make_block(const struct yk_pages_question *question, struct yk_interval gap)
{
    struct yk_pinner *pinner = question->pinner;
    if (!yk_pages_claim(pinner, gap))
        return;
    if (pinner->device->desc.virtual_clock)
        yk_pages_pin(question, gap);
    else
        yk_pinner_order(question, gap);
}

void yk_pages_take_in(const struct yk_pages_question *question)
{
    if (question->range->joined)
        return;
    yk_pin_join(&yk_pages_map, question->range);
    yk_foreign_find(question->pinner, question->range);
}

struct yk_interval yk_pages_asked(const struct yk_pages_question *question)
{
    int64_t first = (int64_t)(intptr_t)question->host;
    struct yk_interval bytes = { first, first + question->bytes };
    yk_pages_take_in(question);
    if (bytes.first < question->range->pages.first)
        bytes.first = question->range->pages.first;
    if (bytes.last > question->range->pages.last)
        bytes.last = question->range->pages.last;
    return bytes;
}

void yk_pages_order(const struct yk_pages_question *question)
{
    struct yk_interval left, gap;
    struct yk_pin_block part;
    yk_process_lock(&yk_pages_lock);
    left = yk_pages_asked(question);
    for (; left.first < left.last && !question->range->refused; left.first = part.bytes.last) {
        part = yk_pin_look(&yk_pages_map, left);
        if (part.state != YK_PIN_NOT)
            continue;
        gap = yk_pin_gap(&yk_pages_map, question->range, part.bytes);
        if (part.bytes.last > gap.last)
            part.bytes.last = gap.last;
        if (yk_pages_resident(gap) == 1)
            yk_pages_make_block(question, gap);
    }
    yk_process_unlock(&yk_pages_lock);
}

struct yk_pin_time yk_pages_pin_time(const struct yk_pages_question *question)
{
    struct yk_interval left;
    struct yk_pin_time time;
    int64_t bytes = 0;
    yk_process_lock(&yk_pages_lock);
    left = yk_pages_asked(question);
    while (left.first < left.last) {
        const struct yk_pin_block part = yk_pin_look(&yk_pages_map, left);
        if (part.state == YK_PIN_NOT)
            bytes += yk_interval_length(part.bytes);
        left.first = part.bytes.last;
    }
    time = yk_pin_time(bytes);
    yk_process_unlock(&yk_pages_lock);
    return time;
}

int yk_pages_known(const struct yk_pages_question *question)
{
    int known;
    yk_process_lock(&yk_pages_lock);
    known = !yk_pin_has(&yk_pages_map, yk_pages_asked(question), YK_PIN_NOT);
    yk_process_unlock(&yk_pages_lock);
    return known;
}

int yk_pages_pending(const struct yk_pages_question *question)
{
    int pending;
    yk_process_lock(&yk_pages_lock);
    pending = question->range->joined && /* otherwise nothing was ordered yet */
              (yk_pin_has(&yk_pages_map, yk_pages_asked(question), YK_PIN_PENDING) ||
               yk_pinner_expects(question->pinner, question->range));
    yk_process_unlock(&yk_pages_lock);
    return pending;
}

/* Removes the range from the map. Then nothing of it is being pinned any more, and blocks that only
 * it touched are unpinned. Lock held, but released for a time. */
static void leave(struct yk_pin_range *range)
{
    if (!pinning_process || pinning_process == getpid()) /* after a fork, the child has no such
                                                          * threads */
        yk_pinners_leave(range);
    yk_pin_leave(&yk_pages_map, range);
    let_go_unused(range->pages);
}

void yk_pages_wait_for_arrays(struct yk_pin_range *range)
{
    yk_pin_join(&yk_pages_map, range);
}

int yk_pages_end_waiting(struct yk_pin_range *range)
{
    if (yk_pin_is_used(&yk_pages_map, range->pages, YK_PIN_ARRAYS))
        return 0;
    range->refused = 1; /* no further pinning of it begins */
    leave(range);
    return 1;
}

void yk_pages_leave(struct yk_pin_range *range)
{
    if (!range->joined)
        return;
    yk_process_lock(&yk_pages_lock);
    leave(range);
    yk_process_unlock(&yk_pages_lock);
}
