/* pinner.c - a thread that pins: it carries out orders in the order they were given, and between
 * orders pins what the program has filled (pin_filled.c).
 *
 *     order: waiting --> carried out; or cancelled, while it waits, when its range leaves or the
 *            pinner closes
 */
#include "pinner.h"

#include "../base/alloc.h"
#include "../platform/clock.h"
#include "../platform/fork.h"

enum { LOOK_AGAIN_NS = 50000 }; /* between looks whether the thread is done with a range */

static struct yk_pinner *pinners; /* under the lock */

/* Lock held, but released for a time. */
static void carry_out(struct yk_pinner *pinner, struct yk_pin_order *order)
{
    pinner->busy = order->question.range;
    pinner->makes = order->make != NULL;
    if (order->make)
        order->make(&order->question);
    else
        yk_pages_pin(&order->question, order->gap);
    pinner->busy = NULL;
    pinner->makes = 0;
    yk_free(order);
}

/* Binds the thread to its new processor, if it got one. Without the lock, because another thread
 * may have that processor for a while. */
static void move(struct yk_pinner *pinner)
{
    const int cpu = atomic_exchange(&pinner->moves_to, -1);
    struct yk_affinity before;
    if (cpu >= 0)
        yk_thread_pin(cpu, &before);
}

static void carry_out_orders(void *context)
{
    struct yk_pinner *pinner = context;
    yk_process_lock(&yk_pages_lock);
    while (!pinner->stops) {
        struct yk_pin_order *order = pinner->first;
        if (!order) {
            const int64_t sleep_ns = yk_filled_pin(pinner);
            yk_process_unlock(&yk_pages_lock);
            move(pinner);
            if (sleep_ns)
                yk_parker_sleep(&pinner->parker, sleep_ns);
            yk_process_lock(&yk_pages_lock);
            continue;
        }
        pinner->first = order->next;
        if (!pinner->first)
            pinner->end = &pinner->first;
        carry_out(pinner, order);
    }
    yk_process_unlock(&yk_pages_lock);
}

/* Removes orders for `range` (NULL: all) that have not begun, as if they had never been given. */
static void cancel(struct yk_pinner *pinner, const struct yk_pin_range *range)
{
    struct yk_pin_order **link = &pinner->first, *order;
    while ((order = *link)) {
        if (range && order->question.range != range) {
            link = &order->next;
            continue;
        }
        *link = order->next;
        if (!order->make)
            yk_pages_forget(pinner, order->gap);
        yk_free(order);
    }
    pinner->end = link;
}

static yoke_status start_thread(struct yk_pinner *pinner)
{
    const struct yk_thread_spec spec = {
        .name = "yoke-pin", .cpu = -1, .run = carry_out_orders, .context = pinner
    };
    yoke_status status = pinner->runs ? YOKE_OK : yk_thread_open(&spec, &pinner->thread);
    pinner->runs = status == YOKE_OK;
    return status;
}

void yk_pinner_start(struct yk_pinner *pinner)
{
    pinner->end = &pinner->first;
    atomic_store(&pinner->moves_to, -1);
    pinner->next = pinners;
    pinners = pinner;
    if (!pinner->device->desc.virtual_clock)
        start_thread(pinner); /* if that fails, the first order tries again */
}

void yk_pinner_stay(struct yk_pinner *pinner, int cpu)
{
    atomic_store(&pinner->moves_to, cpu);
    yk_parker_wake(&pinner->parker);
}

int yk_pinner_is_busy(const struct yk_pinner *pinner)
{
    int is_busy;
    yk_process_lock(&yk_pages_lock);
    is_busy = pinner->busy != NULL;
    yk_process_unlock(&yk_pages_lock);
    return is_busy;
}

/* Returns 0 if there is no memory or no thread for that. */
static int give_order(const struct yk_pin_order *given)
{
    struct yk_pinner *pinner = given->question.pinner;
    struct yk_pin_order *order = yk_calloc(1, sizeof *order);
    if (!order || start_thread(pinner) != YOKE_OK) {
        yk_free(order);
        return 0;
    }
    *order = *given;
    *pinner->end = order;
    pinner->end = &order->next;
    yk_parker_wake(&pinner->parker);
    return 1;
}

void yk_pinner_order(const struct yk_pages_question *question, struct yk_interval gap)
{
    if (!give_order(&(struct yk_pin_order){ .question = *question, .gap = gap }))
        yk_pages_forget(question->pinner, gap);
}

void yk_pinner_expect(const struct yk_pages_question *question, yk_pin_maker *make)
{
    give_order(&(struct yk_pin_order){ .question = *question, .make = make });
}

int yk_pinner_expects(const struct yk_pinner *pinner, const struct yk_pin_range *range)
{
    const struct yk_pin_order *order = pinner->first;
    while (order && (order->question.range != range || !order->make))
        order = order->next;
    return order || (pinner->makes && pinner->busy == range);
}

/* The pinner whose thread pins memory as it is filled; NULL: there is none. Its pins must serve all
 * devices of its kind. There is no thread on a virtual clock, and the child of a fork does not have
 * its parent's threads. */
static struct yk_pinner *filler(void)
{
    struct yk_pinner *pinner = pinners;
    while (pinner && (pinner->device->desc.virtual_clock || pinner->device->desc.pins_alone ||
                      pinner->ill || pinner->forks != yk_fork_count()))
        pinner = pinner->next;
    return pinner;
}

int yk_pinners_are_there(void)
{
    return filler() != NULL;
}

int yk_pinner_fills(const struct yk_pinner *pinner)
{
    return pinner == filler();
}

void yk_pinners_look(void)
{
    struct yk_pinner *pinner = filler();
    struct yk_pin_range *range = NULL;
    while (pinner && (range = yk_regions_next(range)) && !yk_filled_counts(range))
        ;
    if (!pinner || !range || start_thread(pinner) != YOKE_OK)
        return;
    pinner->quiet_since_ns = yk_clock_ns();
    yk_parker_wake(&pinner->parker);
}

void yk_pinners_leave(const struct yk_pin_range *range)
{
    struct yk_pinner *pinner = pinners;
    while (pinner) {
        cancel(pinner, range);
        if (pinner->busy != range) {
            pinner = pinner->next;
            continue;
        }
        yk_process_unlock(&yk_pages_lock);
        yk_clock_sleep_ns(LOOK_AGAIN_NS);
        yk_process_lock(&yk_pages_lock);
        pinner = pinners;
    }
}

void yk_pinner_stop(struct yk_pinner *pinner)
{
    struct yk_pinner **link = &pinners;
    yk_process_lock(&yk_pages_lock);
    while (*link != pinner)
        link = &(*link)->next;
    *link = pinner->next;
    cancel(pinner, NULL);
    pinner->stops = 1;
    yk_process_unlock(&yk_pages_lock);
    yk_parker_wake(&pinner->parker);
    if (pinner->runs)
        yk_thread_join(&pinner->thread);
}
