/* page_placement.c - places and pins yoke's memory before the program fills it, if a device that
 * pins is open: memory of yoke_alloc at once, memory of an array when the program first acquires
 * it.
 *
 * The program's first job will copy the memory. Pinning it only then would delay that job, because
 * it takes as long as copying. While the program fills the memory with all cores, no core is free
 * to pin it.
 *
 * New pages have to be zeroed, which takes one core ten times as long as pinning them. So several
 * threads touch the pages, each in its own part of the memory, and the pinner's thread follows them
 * and pins block after block (pin_filled.c). The threads run on different processors of the caller,
 * in order. So a page is on the same NUMA node as after a loop whose threads get equal parts in
 * order.
 *
 * One H100, 16 cores, 1 GiB in large pages: touching takes 21 ms with 16 threads, 34 with eight, 56
 * with four, 200 with one; pinning takes 20 to 28 ms, most of it at the same time.
 * (MADV_POPULATE_WRITE takes 36 ms with four threads and 107 with 16, because they wait for a
 * lock.) The program then fills the memory in 25 ms instead of 37 to 49.
 */
#include "../platform/affinity.h"
#include "../platform/clock.h"
#include "pinner.h"

/* Most threads that touch pages: more would only wait for the pinner. ns between looks at pins. */
enum { TOUCHERS = 16, LOOK_AGAIN_NS = 20000 };
/* Bytes for which a thread is started: touching them takes 1.5 ms, a start 0.05 ms. */
static const int64_t worth_a_thread = 8 << 20;

struct part {
    struct yk_interval pages;
    struct yk_thread thread;
    int runs;
};

/* Touches the first byte of each page and leaves it as it is, even if a device writes it at the
 * same time: a zero becomes zero, and if it is not zero, its page is there. (Adding 0 would not do:
 * a compiler may drop that write.) */
static void touch(void *context)
{
    const struct part *part = context;
    int64_t at = part->pages.first;
    for (; at < part->pages.last; at += yk_pin_terms.page) {
        char zero = 0;
        atomic_compare_exchange_strong((_Atomic char *)(intptr_t)at, &zero, 0);
    }
}

/* Returns the number of parts, at most TOUCHERS. */
static int divide(struct yk_interval pages, int processors, struct part *parts)
{
    const int64_t block = yk_pin_terms.unit, most = processors < TOUCHERS ? processors : TOUCHERS;
    int64_t wanted = yk_interval_length(pages) / worth_a_thread, bytes;
    int count = 0;
    wanted = wanted > most ? most : wanted;
    wanted = wanted < 1 ? 1 : wanted;
    bytes = (yk_interval_length(pages) / wanted + block) / block * block;
    for (; pages.first < pages.last; pages.first += bytes, count++) {
        parts[count] = (struct part){ .pages = pages };
        if (yk_interval_length(pages) > bytes)
            parts[count].pages.last = pages.first + bytes;
    }
    return count;
}

/* The caller touches the first part, and every part for which no thread can be started. */
static void touch_parts(struct part *parts, int count, const struct yk_processors *processors)
{
    int i;
    for (i = 1; i < count; i++) {
        const struct yk_thread_spec spec = { .name = "yoke-touch",
                                             .cpu = yk_processors_spread(processors, i, count),
                                             .run = touch,
                                             .context = &parts[i] };
        parts[i].runs = yk_thread_open(&spec, &parts[i].thread) == YOKE_OK;
    }
    for (i = 0; i < count; i++)
        if (!parts[i].runs)
            touch(&parts[i]);
    for (i = 1; i < count; i++)
        if (parts[i].runs)
            yk_thread_join(&parts[i].thread);
}

static void touch_all(const struct yk_pin_range *range)
{
    struct part parts[TOUCHERS];
    struct yk_processors allowed;
    if (yk_affinity_read(&allowed) != YOKE_OK) {
        parts[0] = (struct part){ .pages = range->pages };
        touch(&parts[0]);
        return;
    }
    touch_parts(parts, divide(range->pages, yk_processors_count(&allowed), parts), &allowed);
    yk_processors_close(&allowed);
}

/* Pinned pages cannot be swapped, so at most half of the memory may be pinned. */
static int may_be_pinned(const struct yk_pin_range *range)
{
    return yk_pinners_are_there() && yk_filled_counts(range) && !range->refused &&
           yk_interval_length(range->pages) <= yk_pages_filled_most - yk_pin_total(&yk_pages_map);
}

static int is_pinned(const struct yk_pin_range *range)
{
    return !yk_pin_has(&yk_pages_map, range->pages, YK_PIN_NOT) &&
           !yk_pin_has(&yk_pages_map, range->pages, YK_PIN_PENDING);
}

/* Waits until the memory is pinned, at most as long as a core would take to copy it. The caller
 * holds the lock, which is released during the wait. */
static void await_pins(const struct yk_pin_range *range)
{
    const int64_t until = yk_clock_ns() + yk_pin_worth_waiting(range->pages);
    while (yk_pinners_are_there() && !range->refused && !is_pinned(range) &&
           yk_clock_ns() < until) {
        yk_process_unlock(&yk_pages_lock);
        yk_clock_sleep_ns(LOOK_AGAIN_NS);
        yk_process_lock(&yk_pages_lock);
    }
}

int yk_pages_place(const struct yk_pin_range *range)
{
    int may;
    yk_process_lock(&yk_pages_lock);
    may = may_be_pinned(range);
    yk_process_unlock(&yk_pages_lock);
    if (!may)
        return 0;
    touch_all(range);
    yk_process_lock(&yk_pages_lock);
    await_pins(range);
    yk_process_unlock(&yk_pages_lock);
    return 1;
}
