/* pin_copied.c - memory is pinned as copies need it.
 *
 * A copy orders the blocks that it will come to next, so that they are pinned while the parts
 * before them are copied. It waits for a pending block at most as long as a core would take to copy
 * it. When pinning is measured to be slower than that, as it is when all cores are busy, the copy
 * does not wait. (On a virtual clock blocks are pinned at once.)
 */
#include <limits.h>

#include "../base/status.h"
#include "../platform/clock.h"
#include "pinner.h"

/* Blocks that a copy orders ahead, so that they are pinned while the parts before them are copied;
 * ns between looks at a block for which a copy waits. */
enum { BLOCKS_AHEAD = 4, LOOK_AGAIN_NS = 20000 };

/* Whether copies by the pinner's device are fast in the block. */
static int is_fast(const struct yk_pin_block *block, const struct yk_pinner *pinner)
{
    const struct yk_device_desc *desc = &pinner->device->desc;
    if (block->state != YK_PIN_OURS && block->state != YK_PIN_FOREIGN)
        return 0;
    return desc->pins_alone ? block->owner == pinner : block->kind == desc->backend;
}

static yoke_status gone(const struct yk_pages_question *question)
{
    return yk_fail(YOKE_EINVAL,
                   "array %s: its memory at %p was given back to the system; close the array "
                   "before its memory is freed",
                   question->name, question->host);
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
        yk_pages_make_block(question, gap);
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
        yk_process_unlock(&yk_pages_lock);
        yk_clock_sleep_ns(LOOK_AGAIN_NS);
        yk_process_lock(&yk_pages_lock);
        *part = yk_pin_look(&yk_pages_map, bytes);
    }
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
    yk_process_lock(&yk_pages_lock);
    if (!pins) { /* other devices may have pinned some of it, and no driver takes a copy of memory
                  * that is partly pinned */
        part = yk_pin_look(&yk_pages_map, part.bytes);
        out->bytes = part.bytes.last - part.bytes.first;
        out->fast = 0;
        yk_process_unlock(&yk_pages_lock);
        return YOKE_OK;
    }
    yk_pages_take_in(question);
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
    yk_process_unlock(&yk_pages_lock);
    /* A core would crash if it copied memory that is no longer mapped. */
    if (status == YOKE_OK && !piece.fast && piece.bytes >= yk_pin_terms.unit &&
        yk_pages_resident(part.bytes) < 0)
        status = gone(question);
    if (status == YOKE_OK)
        *out = piece;
    return status;
}

void yk_pages_expect(const struct yk_pages_question *question)
{
    if (!question->pinner || !question->range)
        return;
    yk_process_lock(&yk_pages_lock);
    order_next(question, yk_pages_asked(question), BLOCKS_AHEAD);
    yk_process_unlock(&yk_pages_lock);
}

/* Orders the pinning of all of the memory for which that pays. Lock held, but released for a time.
 */
static void make_blocks(const struct yk_pages_question *question)
{
    yk_foreign_find(question->pinner, question->range);
    order_next(question, yk_pages_asked(question), INT_MAX);
}

void yk_pages_expect_all(const struct yk_pages_question *question)
{
    if (!question->pinner || !question->range)
        return;
    yk_process_lock(&yk_pages_lock);
    if (!question->range->joined) /* make_blocks finds what other code has pinned */
        yk_pin_join(&yk_pages_map, question->range);
    if (question->pinner->device->desc.virtual_clock)
        make_blocks(question);
    else if (yk_pin_has(&yk_pages_map, yk_pages_asked(question), YK_PIN_NOT))
        yk_pinner_expect(question, make_blocks);
    yk_process_unlock(&yk_pages_lock);
}

void yk_pages_staged(int64_t bytes, int64_t ns)
{
    yk_process_lock(&yk_pages_lock);
    yk_pin_measured(YK_PIN_STAGED, bytes, ns);
    yk_process_unlock(&yk_pages_lock);
}

int64_t yk_pages_wait_ns(const struct yk_pages_question *question)
{
    int64_t ns;
    if (!yk_pages_pending(question))
        return 0;
    yk_process_lock(&yk_pages_lock);
    ns = yk_pin_worth_waiting((struct yk_interval){ 0, question->bytes });
    yk_process_unlock(&yk_pages_lock);
    return ns;
}
