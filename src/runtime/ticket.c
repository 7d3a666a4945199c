/* ticket.c - tickets, which stay recognisable after they are gone: waiting for a job twice is an
 * error with a name, not a crash.
 *
 * A ticket is no address: it has the number of a slot, plus one, in its lower half and in its upper
 * half how often that slot was given before. The lock of the slots is outside of all runtimes'.
 */
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "job.h"

struct slot {
    struct yk_job *job; /* NULL: not given */
    uint32_t times;     /* it was given */
    uint32_t next;      /* not given: the next one that is not, plus one; 0: none */
};

static yk_mutex lock = YK_MUTEX_INITIAL;
/* From here on under the lock. Kept: slots remember old tickets for as long as the process lives.
 */
static struct slot *slots;
static uint32_t capacity, first_free; /* plus one; 0: none */

_Static_assert(sizeof(yoke_ticket *) == sizeof(uint64_t), "a ticket has two halves of 32 bits");

static yoke_status grow(void)
{
    uint32_t wanted = capacity ? 2 * capacity : 64, i;
    struct slot *grown = wanted > capacity ? yk_alloc_kept((size_t)wanted * sizeof *grown) : NULL;
    if (!grown)
        return yk_fail(YOKE_ENOMEM,
                       "no memory for another ticket; %u jobs were submitted and not "
                       "waited for",
                       capacity);
    if (capacity)
        memcpy(grown, slots, (size_t)capacity * sizeof *grown);
    yk_free_kept(slots);
    slots = grown;
    for (i = capacity; i < wanted; i++)
        slots[i] = (struct slot){ .next = i + 1 < wanted ? i + 2 : 0 };
    first_free = capacity + 1;
    capacity = wanted;
    return YOKE_OK;
}

yoke_status yk_ticket_open(struct yk_job *job, yoke_ticket **out)
{
    yoke_status status = YOKE_OK;
    uint32_t number;
    yk_lock(&lock);
    if (!first_free)
        status = grow();
    if (status == YOKE_OK) {
        number = first_free;
        first_free = slots[number - 1].next;
        slots[number - 1].times++;
        slots[number - 1].job = job;
        *out = (yoke_ticket *)((uint64_t)slots[number - 1].times << 32 | number);
    }
    yk_unlock(&lock);
    return status;
}

/* Lock held. NULL: never given, or gone. */
static struct slot *slot_of(const yoke_ticket *ticket)
{
    uint64_t bits = (uint64_t)(uintptr_t)ticket;
    uint32_t number = (uint32_t)bits;
    if (number == 0 || number > capacity || slots[number - 1].times != (uint32_t)(bits >> 32))
        return NULL;
    return &slots[number - 1];
}

static void put_back(struct slot *slot)
{
    slot->job = NULL;
    slot->next = first_free;
    first_free = (uint32_t)(slot - slots) + 1;
}

void yk_ticket_close(const yoke_ticket *ticket)
{
    yk_lock(&lock);
    put_back(slot_of(ticket));
    yk_unlock(&lock);
}

static struct yk_job *unknown(const yoke_ticket *ticket, const char *call)
{
    if (!ticket) {
        yk_fail(YOKE_EINVAL, "%s: the ticket is NULL", call);
        return NULL;
    }
    yk_fail(YOKE_EINVAL,
            "%s: no job has this ticket (any more); each job is waited for once, with the "
            "ticket that yoke_submit gave",
            call);
    return NULL;
}

/* The ticket's job with the ticket's own hold, which ends, or with one more. */
static struct yk_job *find(const yoke_ticket *ticket, int ends, const char *call)
{
    struct yk_job *job = NULL;
    struct slot *slot;
    yk_lock(&lock);
    slot = slot_of(ticket);
    if (slot)
        job = slot->job;
    if (job && ends)
        put_back(slot);
    else if (job)
        yk_job_hold(job);
    yk_unlock(&lock);
    return job ? job : unknown(ticket, call);
}

struct yk_job *yk_ticket_take(const yoke_ticket *ticket, const char *call)
{
    return find(ticket, 1, call);
}

struct yk_job *yk_ticket_hold(const yoke_ticket *ticket, const char *call)
{
    return find(ticket, 0, call);
}

void yk_tickets_forget(const yoke_runtime *runtime)
{
    uint32_t i;
    yk_lock(&lock);
    for (i = 0; i < capacity; i++)
        if (slots[i].job && slots[i].job->runtime == runtime) {
            yk_job_forsake(slots[i].job);
            put_back(&slots[i]);
        }
    yk_unlock(&lock);
}
