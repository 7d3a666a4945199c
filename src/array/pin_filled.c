/* pin_filled.c - pins memory of yoke_alloc as the program fills it.
 *
 * Otherwise the first job would have to wait until its memory is pinned, or a core would copy it.
 * So the pinner's thread watches memory that yoke has allocated, and pins each block when all of
 * its pages are present: the program has then written them, so they are on the NUMA nodes of the
 * writing threads. Memory that is filled before a GPU's driver is loaded is pinned after that.
 * Memory that is never written is never pinned here.
 *
 * While a driver pins, its other callers wait. So blocks have one grain (pin.h), and after each
 * call the thread leaves the driver alone for an eighth of the time that the call took.
 *
 * All functions are called with the lock of pages.c held.
 */
#include "../platform/clock.h"
#include "pinner.h"

/* Smallest range that is pinned here: copies of fewer bytes take hardly longer without pins
 * (flight/pin_ahead.c). */
static const int64_t counts_bytes = 4 << 20;
/* The thread looks again after 1 / LOOK_PART of the time since it last found a block, within these
 * limits. After each call it rests for 1 / REST_PART of the time that the call took. */
static const int64_t look_least_ns = 100000, look_most_ns = 250000000;
enum { LOOK_PART = 4, REST_PART = 8 };

int yk_filled_counts(const struct yk_pin_range *range)
{
    return range->pages.last - range->pages.first >= counts_bytes;
}

static struct yk_interval page_at(int64_t address)
{
    return (struct yk_interval){ address, address + yk_pin_terms.page };
}

/* Most blocks that are not filled show it at their ends, which are cheap to check. */
static int is_filled(struct yk_interval gap)
{
    return yk_pages_resident(page_at(gap.first)) == 1 &&
           yk_pages_resident(page_at(gap.last - yk_pin_terms.page)) == 1 &&
           yk_pages_resident(gap) == 1;
}

/* Extends the gap by the blocks behind it that are filled and not pinned, because one call for all
 * of them takes less time. */
static void extend(const struct yk_pin_range *range, struct yk_interval *gap)
{
    const int64_t left = yk_pages_filled_most - yk_pin_total(&yk_pages_map);
    const int64_t most = gap->first + (left < yk_pin_terms.most ? left : yk_pin_terms.most);
    while (gap->last < range->pages.last) {
        const struct yk_interval behind = { gap->last, gap->last + yk_pin_terms.page };
        struct yk_interval next;
        if (yk_pin_look(&yk_pages_map, behind).state != YK_PIN_NOT)
            return;
        next = yk_pin_gap(&yk_pages_map, range, behind);
        if (next.last > most || !is_filled(next))
            return;
        gap->last = next.last;
    }
}

/* Finds the first part of the range that is filled and not pinned. Returns 0 if there is none. Sets
 * *open if other parts are still to be filled. */
static int find_filled(const struct yk_pin_range *range, struct yk_interval *gap, int *open)
{
    struct yk_interval left = range->pages;
    while (left.first < left.last) {
        struct yk_pin_block part = yk_pin_look(&yk_pages_map, left);
        left.first = part.bytes.last;
        if (part.state != YK_PIN_NOT)
            continue;
        part.bytes.last = part.bytes.first + yk_pin_terms.page;
        *gap = yk_pin_gap(&yk_pages_map, range, part.bytes);
        if (is_filled(*gap)) {
            extend(range, gap);
            return 1;
        }
        *open = 1;
        left.first = gap->last;
    }
    return 0;
}

static void pin(struct yk_pinner *pinner, struct yk_pin_range *range, struct yk_interval gap)
{
    const struct yk_pages_question question = { .pinner = pinner,
                                                .range = range,
                                                .name = "of yoke_alloc" };
    if (!yk_pages_claim(pinner, gap)) {
        range->refused = 1;
        return;
    }
    pinner->busy = range;
    yk_pages_pin(&question, gap);
    pinner->busy = NULL;
    if (!range->refused && yk_pin_look(&yk_pages_map, gap).state == YK_PIN_NOT) {
        pinner->ill = 1; /* the device is lost; another device may pin instead */
        yk_pinners_look();
    }
}

int64_t yk_filled_pin(struct yk_pinner *pinner)
{
    struct yk_pin_range *range = NULL;
    const int64_t now = yk_clock_ns();
    int64_t nap;
    int open = 0;
    if (!yk_pinner_fills(pinner) || yk_pin_total(&yk_pages_map) >= yk_pages_filled_most)
        return -1;
    while ((range = yk_regions_next(range))) {
        struct yk_interval gap;
        if (range->refused || !yk_filled_counts(range) || !find_filled(range, &gap, &open))
            continue;
        pin(pinner, range, gap);
        pinner->quiet_since_ns = yk_clock_ns();
        return (pinner->quiet_since_ns - now) / REST_PART;
    }
    nap = (now - pinner->quiet_since_ns) / LOOK_PART;
    if (!open)
        return -1;
    return nap < look_least_ns ? look_least_ns : nap < look_most_ns ? nap : look_most_ns;
}
