/* pages.c - pinning as copies need it. See pages.h.
 *
 * Unpinning. A block is pinned through one device and disappears with that device's context. So the
 * device has to stay open until the block is unpinned. yk_pinner_close keeps it open while arrays
 * of other runtimes use its blocks; the unpinning of the last such block closes it. Blocks that no
 * array uses, in memory of yoke_alloc, are unpinned when their device closes; the next device pins
 * them again. A block is unpinned only when no array touches it, hence when no copy is under way.
 *
 * A driver is called without the lock, by a thread of the pinner; until it returns, the block is
 * pending. A copy orders the blocks that it will come to next, so that they are pinned while the
 * parts before them are copied. It waits for a pending block at most as long as a core would take
 * to copy it. When pinning is measured to be slower than that, as it is when all cores are busy,
 * the copy does not wait. (On a virtual clock blocks are pinned at once.)
 *
 * After a fork the child has the map but not the driver: it unpins nothing.
 */
#include "pages.h"

#include <limits.h>
#include <pthread.h>
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

yk_mutex yk_pages_lock = YK_MUTEX_INITIAL;
struct yk_pin_map yk_pages_map;
int64_t yk_pages_filled_most = INT64_MAX;

/* Blocks that a copy orders ahead, so that they are pinned while the parts before them are copied;
 * ns between looks at a block for which a copy waits. */
enum { BLOCKS_AHEAD = 4, LOOK_AGAIN_NS = 20000 };

static pid_t pinning_process; /* the process whose driver pinned the blocks; under the lock */

/* A fork is made with the lock held, and both processes release it. Otherwise a thread that the
 * child does not have could hold it. */
static void before_fork(void)
{
    yk_lock(&yk_pages_lock);
}

static void after_fork(void)
{
    yk_unlock(&yk_pages_lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

yoke_status yk_pinner_open(struct yk_device *device, struct yk_pinner **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct yk_limits limits;
    struct yk_pinner *pinner = yk_calloc(1, sizeof *pinner);
    if (!pinner)
        return YOKE_ENOMEM;
    pinner->device = device;
    yk_fork_watch();
    pinner->forks = yk_fork_count();
    pthread_once(&once, watch_forks);
    yk_limits_read("", &limits);
    yk_lock(&yk_pages_lock);
    if (limits.memory_bytes > 0 && yk_pages_filled_most == INT64_MAX)
        yk_pages_filled_most = limits.memory_bytes / 2;
    if (yk_pin_terms.page < sysconf(_SC_PAGESIZE))
        yk_pin_terms.page = sysconf(_SC_PAGESIZE);
    yk_pinner_start(pinner);
    yk_pinners_look();
    yk_unlock(&yk_pages_lock);
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
    yk_unlock(&yk_pages_lock);
    start = yk_clock_ns();
    device->backend->unpin(device, yk_pages_address(bytes.first));
    start = yk_clock_ns() - start;
    yk_lock(&yk_pages_lock);
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
    yk_unlock(&yk_pages_lock);
    owner->device->backend->close(owner->device);
    yk_free(owner);
    yk_lock(&yk_pages_lock);
}

static void let_go_unused(struct yk_interval bytes)
{
    struct yk_pin_block *block;
    while ((block = yk_pin_unused(&yk_pages_map, bytes, YK_PIN_ANY_RANGE)))
        let_go(block);
}

/* Whether copies by the pinner's device are fast in the block. */
static int is_fast(const struct yk_pin_block *block, const struct yk_pinner *pinner)
{
    const struct yk_device_desc *desc = &pinner->device->desc;
    if (block->state != YK_PIN_OURS && block->state != YK_PIN_FOREIGN)
        return 0;
    return desc->pins_alone ? block->owner == pinner : block->kind == desc->backend;
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

static yoke_status gone(const struct yk_pages_question *question)
{
    return yk_fail(YOKE_EINVAL,
                   "array %s: its memory at %p was given back to the system; close the array "
                   "before its memory is freed",
                   question->name, question->host);
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
    yk_unlock(&yk_pages_lock);
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
    yk_lock(&yk_pages_lock);
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

/* Makes a block of the gap, which is in no block, and pins it at once (on a virtual clock) or
 * soon. */
static void make_block(const struct yk_pages_question *question, struct yk_interval gap)
{
    struct yk_pinner *pinner = question->pinner;
    if (!yk_pages_claim(pinner, gap))
        return;
    if (pinner->device->desc.virtual_clock)
        yk_pages_pin(question, gap);
    else
        yk_pinner_order(question, gap);
}

void yk_pinner_close(struct yk_pinner *pinner, struct yk_device *device)
{
    struct yk_pin_block *block;
    int kept;
    if (pinner) {
        yk_pinner_stop(pinner);
        yk_lock(&yk_pages_lock);
        while ((block = find_idle(pinner)))
            let_go(block);
        kept = pinner->blocks > 0;
        pinner->orphan = kept;
        yk_pinners_look(); /* another pinner takes over what was unpinned */
        yk_unlock(&yk_pages_lock);
        if (kept)
            return;
        yk_free(pinner);
    }
    device->backend->close(device);
}

/* Decides for a gap with pages that were never touched. Pinning also places them, which should be
 * left to the thread that writes them first. So they are pinned only if this copy overwrites them:
 * the copy itself would place them no better. Returns 1 to pin *gap, which is then cut to the
 * overwritten units, as is *bytes. Otherwise *bytes may be cut to the part before these units. */
static int may_place(const struct yk_pages_question *question, struct yk_interval *gap,
                     struct yk_interval *bytes)
{
    struct yk_interval filled = yk_pin_filled(*gap, *bytes);
    if (!question->fills || yk_interval_empty(filled))
        return 0;
    if (bytes->first < filled.first) {
        bytes->last = filled.first;
        return 0;
    }
    *gap = filled;
    if (bytes->last > gap->last)
        bytes->last = gap->last;
    return 1;
}

static struct yk_pin_copy copy_of(const struct yk_pages_question *question,
                                  struct yk_interval bytes)
{
    return (struct yk_pin_copy){ bytes, 1 - question->gaps, question->passes };
}

/* Decides whether to pin memory for a copy of `bytes`, which are in no block; if so, pins it or
 * orders that. Cuts `bytes` to the part that was decided. Lock held, but released for a time. */
static yoke_status decide(const struct yk_pages_question *question, struct yk_interval *bytes)
{
    struct yk_pin_range *range = question->range;
    struct yk_pin_copy copy;
    struct yk_interval gap;
    int there;
    if (bytes->first < range->pages.first) { /* before its first whole page: not pinned */
        if (bytes->last > range->pages.first && !yk_interval_empty(range->pages))
            bytes->last = range->pages.first;
        return YOKE_OK;
    }
    if (bytes->first >= range->pages.last)
        return YOKE_OK;
    gap = yk_pin_gap(&yk_pages_map, range, *bytes);
    if (bytes->last > gap.last)
        bytes->last = gap.last;
    copy = copy_of(question, *bytes);
    if (range->refused || !yk_pin_pays(range, gap, &copy))
        return YOKE_OK;
    there = yk_pages_resident(gap);
    if (there < 0)
        return gone(question);
    if (there || may_place(question, &gap, bytes)) {
        copy.bytes = *bytes;
        yk_pin_paid(range, gap, &copy);
        make_block(question, gap);
    }
    return YOKE_OK;
}

/* Orders the next blocks of the copy, at most `most`. Lock held. */
static void order_next(const struct yk_pages_question *question, struct yk_interval left, int most)
{
    int blocks;
    for (blocks = 0; blocks < most && left.first < left.last; blocks++) {
        struct yk_pin_block part = yk_pin_look(&yk_pages_map, left);
        yoke_status status = YOKE_OK;
        if (part.state == YK_PIN_NOT) {
            status = decide(question, &part.bytes);
            part = yk_pin_look(&yk_pages_map, part.bytes);
        }
        if (status != YOKE_OK || part.state == YK_PIN_NOT)
            return;
        left.first = part.bytes.last;
    }
}

/* Waits for a pending block, at most as long as a core would take to copy its part of the bytes,
 * and only if pinning is the faster of the two. Lock held, but released for a time. */
static void await_block(struct yk_pin_block *part)
{
    const int64_t until = yk_clock_ns() + yk_pin_worth_waiting(part->bytes);
    while (part->state == YK_PIN_PENDING && yk_clock_ns() < until) {
        const struct yk_interval bytes = part->bytes;
        yk_unlock(&yk_pages_lock);
        yk_clock_sleep_ns(LOOK_AGAIN_NS);
        yk_lock(&yk_pages_lock);
        *part = yk_pin_look(&yk_pages_map, bytes);
    }
}

/* Adds the question's range to the map, if it is not there yet. Lock held, but released for a
 * time. */
static void take_in(const struct yk_pages_question *question)
{
    if (question->range->joined)
        return;
    yk_pin_join(&yk_pages_map, question->range);
    yk_foreign_find(question->pinner, question->range);
}

yoke_status yk_pages_ready(const struct yk_pages_question *question, struct yk_piece *out)
{
    int64_t first = (int64_t)(intptr_t)question->host;
    struct yk_pin_block part = { .bytes = { first, first + question->bytes } };
    yoke_status status = YOKE_OK;
    const int pins = question->pinner && question->range;
    struct yk_pin_copy copy;
    struct yk_piece piece;
    struct yk_interval whole;
    yk_lock(&yk_pages_lock);
    if (!pins) { /* other devices may have pinned some of it, and no driver takes a copy of memory
                  * that is partly pinned */
        part = yk_pin_look(&yk_pages_map, part.bytes);
        out->bytes = part.bytes.last - part.bytes.first;
        out->fast = 0;
        yk_unlock(&yk_pages_lock);
        return YOKE_OK;
    }
    take_in(question);
    whole = part.bytes;
    part = yk_pin_look(&yk_pages_map, whole);
    if (part.state == YK_PIN_NOT) {
        status = decide(question, &part.bytes);
        part = yk_pin_look(&yk_pages_map, part.bytes);
    }
    if (status == YOKE_OK && part.state == YK_PIN_PENDING) {
        order_next(question, (struct yk_interval){ part.bytes.last, whole.last }, BLOCKS_AHEAD);
        await_block(&part);
    }
    piece.bytes = part.bytes.last - part.bytes.first;
    piece.fast = is_fast(&part, question->pinner);
    copy = copy_of(question, part.bytes);
    if (status == YOKE_OK && !piece.fast)
        yk_pin_moved(question->range, &copy);
    yk_unlock(&yk_pages_lock);
    /* A core would crash if it copied memory that is no longer mapped. */
    if (status == YOKE_OK && !piece.fast && piece.bytes >= yk_pin_terms.unit &&
        yk_pages_resident(part.bytes) < 0)
        status = gone(question);
    if (status == YOKE_OK)
        *out = piece;
    return status;
}

/* The whole pages of the question's memory. Lock held. */
static struct yk_interval asked_for(const struct yk_pages_question *question)
{
    int64_t first = (int64_t)(intptr_t)question->host;
    struct yk_interval bytes = { first, first + question->bytes };
    take_in(question);
    if (bytes.first < question->range->pages.first)
        bytes.first = question->range->pages.first;
    if (bytes.last > question->range->pages.last)
        bytes.last = question->range->pages.last;
    return bytes;
}

void yk_pages_expect(const struct yk_pages_question *question)
{
    if (!question->pinner || !question->range)
        return;
    yk_lock(&yk_pages_lock);
    order_next(question, asked_for(question), BLOCKS_AHEAD);
    yk_unlock(&yk_pages_lock);
}

void yk_pages_make_blocks(const struct yk_pages_question *question)
{
    yk_foreign_find(question->pinner, question->range);
    order_next(question, asked_for(question), INT_MAX);
}

void yk_pages_expect_all(const struct yk_pages_question *question)
{
    if (!question->pinner || !question->range)
        return;
    yk_lock(&yk_pages_lock);
    if (!question->range->joined)
        yk_pin_join(&yk_pages_map, question->range);
    if (question->pinner->device->desc.virtual_clock)
        yk_pages_make_blocks(question);
    else if (yk_pin_has(&yk_pages_map, asked_for(question), YK_PIN_NOT))
        yk_pinner_expect(question);
    yk_unlock(&yk_pages_lock);
}

void yk_pages_staged(int64_t bytes, int64_t ns)
{
    yk_lock(&yk_pages_lock);
    yk_pin_measured(YK_PIN_STAGED, bytes, ns);
    yk_unlock(&yk_pages_lock);
}

void yk_pages_order(const struct yk_pages_question *question)
{
    struct yk_interval left, gap;
    struct yk_pin_block part;
    yk_lock(&yk_pages_lock);
    left = asked_for(question);
    for (; left.first < left.last && !question->range->refused; left.first = part.bytes.last) {
        part = yk_pin_look(&yk_pages_map, left);
        if (part.state != YK_PIN_NOT)
            continue;
        gap = yk_pin_gap(&yk_pages_map, question->range, part.bytes);
        if (part.bytes.last > gap.last)
            part.bytes.last = gap.last;
        if (yk_pages_resident(gap) == 1)
            make_block(question, gap);
    }
    yk_unlock(&yk_pages_lock);
}

int yk_pages_known(const struct yk_pages_question *question)
{
    int known;
    yk_lock(&yk_pages_lock);
    known = !yk_pin_has(&yk_pages_map, asked_for(question), YK_PIN_NOT);
    yk_unlock(&yk_pages_lock);
    return known;
}

int yk_pages_pending(const struct yk_pages_question *question)
{
    int pending;
    yk_lock(&yk_pages_lock);
    pending = yk_pin_has(&yk_pages_map, asked_for(question), YK_PIN_PENDING) ||
              yk_pinner_expects(question->pinner, question->range);
    yk_unlock(&yk_pages_lock);
    return pending;
}

int64_t yk_pages_wait_ns(const struct yk_pages_question *question)
{
    int64_t ns;
    if (!yk_pages_pending(question))
        return 0;
    yk_lock(&yk_pages_lock);
    ns = yk_pin_worth_waiting((struct yk_interval){ 0, question->bytes });
    yk_unlock(&yk_pages_lock);
    return ns;
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
    yk_lock(&yk_pages_lock);
    leave(range);
    yk_unlock(&yk_pages_lock);
}
