/* yoke/kernel_step_queue.h - what a work-group of a step kernel does with its queue, whatever the
 * items are. kernel_step_device.h describes the layout and how these functions are used.
 *
 * Only seen while a kernel file is flattened.
 */
#ifndef YOKE_KERNEL_STEP_QUEUE_H
#define YOKE_KERNEL_STEP_QUEUE_H

typedef struct yk_step_plan { /* the same as struct yk_step_plan of src/backend/step_queue.h */
    uint64_t ages;
    uint32_t groups, room, reserve, turns, phase, odd;
} yk_step_plan;

/* Positions of the queue's words (kernel_step_device.h); YK_STEP_ITEMS: bytes before the items. */
/* clang-format off */
enum { YK_STEP_SEEDS = 0, YK_STEP_ERRORS = 1, YK_STEP_LEFT = 2, YK_STEP_DEEP = 5, YK_STEP_ENDED = 8,
       YK_STEP_KEPT = 11, YK_STEP_ITEMS = 256 };
/* clang-format on */
enum { YK_STEP_TOO_MANY = 1, YK_STEP_TOO_OLD = 2, YK_STEP_TOO_DEEP = 4 };
enum { YK_STEP_LOOK = 16 }; /* turns from one look at the others' words to the next */
enum { YK_STEP_BUNDLE = 8 * YK_STEP_LANES }; /* most indexes that a group takes at once */

/* What the lanes of a group share. Each turn (each vote) uses one of three entries and clears the
 * next one. There is only one barrier between two turns, so lanes may still read the previous
 * entry. */
typedef struct yk_step_group {
    uint32_t pushed[3], stop[3];
    uint32_t back;                 /* items put back while lanes are filled */
    uint32_t votes[3], told[2][2]; /* only used by OpenCL */
} yk_step_group;

/* What a lane knows. Fields are equal in all lanes of a group, except those marked "its own". */
typedef struct yk_step {
    YOKE_GLOBAL uint32_t *words, *range; /* range: where the group keeps next and end */
    YOKE_SHARED yk_step_group *group;
    uint64_t bottom;           /* slot of the lowest item of the stack */
    uint64_t from, to;         /* slots of its share of the old outbox, and of its part of the new
                                * one */
    uint32_t number, count;    /* number of the group; number of items on its stack */
    uint32_t held, width;      /* number of lanes that have an item; number that may have one this
                                * turn */
    uint32_t turn, third;      /* number of turns done; the same modulo 3 */
    uint32_t length, dry;      /* number of indexes of the chunk; 1: all are taken */
    uint32_t next, end;        /* indexes that the group has taken and not begun */
    uint32_t stop;             /* 1: no more turns, because of other groups or an error */
    uint32_t votes, tells;     /* OpenCL: number of votes so far modulo 3, of tells modulo 2 */
    uint32_t lane, has;        /* its own: number of the lane; whether it has an item */
    uint32_t fresh, pops;      /* its own: whether the item is new; whether to take it from the
                                * stack */
    uint64_t slot;             /* its own: slot of that item */
    uint32_t index;            /* its own: of a new item, its index within the chunk */
    YOKE_SHARED uint32_t *top; /* counter for pushed items */
} yk_step;

#include <yoke/kernel_step_vote.h>

YOKE_FN uint32_t yk_step_word(YOKE_GLOBAL uint32_t *word)
{
    return *(volatile YOKE_GLOBAL uint32_t *)word; /* others may be changing it */
}

/* The group's share of what the previous launch left: `count` items from slot `from` on; or, for
 * group 0, what is on its stack already. */
YOKE_FN void yk_step_share(yk_step *s, const yk_step_plan *plan)
{
    const uint32_t before = (plan->phase + 2) % 3;
    const uint64_t left = s->words[YK_STEP_LEFT + before];
    const uint32_t deep = s->words[YK_STEP_DEEP + before];
    const uint64_t sharers = plan->groups - (deep != 0), which = s->number - (deep != 0);
    const uint64_t outboxes = (uint64_t)plan->groups * plan->room;
    uint64_t first;
    if (deep && s->number == 0) {
        s->count = deep;
        s->from = s->bottom;
        return;
    }
    first = (left * which + sharers - 1) / sharers; /* group 0 gets one if there is any */
    s->count = (uint32_t)((left * (which + 1) + sharers - 1) / sharers - first);
    s->from = outboxes + plan->reserve + (plan->odd ? 0 : outboxes) + first;
}

/* Restores the indexes that the group had taken, but not begun, when the previous launch ended. */
YOKE_FN void yk_step_resume(yk_step *s, const yk_step_plan *plan)
{
    const uint64_t slots = 3 * (uint64_t)plan->groups * plan->room + plan->reserve;
    YOKE_GLOBAL char *const queue = (YOKE_GLOBAL char *)s->words;
    s->range = (YOKE_GLOBAL uint32_t *)(queue + plan->ages) + slots + 2 * s->number;
    s->next = s->end = 0;
    if (s->words[YK_STEP_KEPT + (plan->phase + 2) % 3]) {
        s->next = s->range[0];
        s->end = s->range[1];
    }
}

YOKE_FN void yk_step_open(yk_step *s, const yk_step_plan *plan, YOKE_GLOBAL uint32_t *words,
                          YOKE_SHARED yk_step_group *group)
{
    const uint32_t next = (plan->phase + 1) % 3;
    s->words = words;
    s->group = group;
    s->number = YK_STEP_GROUP;
    s->lane = YK_STEP_LANE;
    s->bottom = (uint64_t)(plan->groups - 1 - s->number) * plan->room;
    s->held = s->has = s->fresh = s->turn = s->third = s->dry = s->stop = s->votes = s->tells = 0;
    if (s->lane == 0) {
        for (int third = 0; third < 3; ++third)
            group->pushed[third] = group->stop[third] = group->votes[third] = 0;
        group->back = 0;
        if (s->number == 0)
            words[YK_STEP_LEFT + next] = words[YK_STEP_ENDED + next] = words[YK_STEP_KEPT + next] =
                0;
    }
    yk_step_share(s, plan);
    yk_step_resume(s, plan);
}

/* Returns 1 if there is another turn, and sets its width: the number of lanes whose emitted items
 * are sure to fit on the stack. If there is no room for even one lane, group 0 goes on with one
 * lane and uses its reserve; if the reserve is full, too, it ends with an error. */
YOKE_FN int yk_step_goes_on(yk_step *s, const yk_step_plan *plan, uint32_t most)
{
    const uint32_t all = s->count + s->held;
    if ((all == 0 && s->dry) || s->turn == plan->turns || s->stop)
        return 0;
    s->width = all < plan->room ? (plan->room - all) / most : 0;
    if (s->width > YK_STEP_LANES)
        s->width = YK_STEP_LANES;
    if (s->width != 0 || s->number != 0)
        return s->width != 0;
    if (all + most - 1 > plan->room + plan->reserve) {
        if (s->lane == 0)
            *(volatile YOKE_GLOBAL uint32_t *)&s->words[YK_STEP_ERRORS] = YK_STEP_TOO_DEEP;
        return 0;
    }
    s->width = 1;
    return 1;
}

/* Returns 1 if lanes must be filled. Filling needs barriers, so it is not done while all lanes have
 * items and may go on. */
YOKE_FN int yk_step_fills(const yk_step *s)
{
    return s->width < YK_STEP_LANES || (s->held < YK_STEP_LANES && (s->count || !s->dry));
}

/* Returns the slot of the stack for the item that a lane gives up. */
YOKE_FN uint64_t yk_step_put_back(yk_step *s)
{
    s->has = 0;
    return s->bottom + s->count + YK_ATOMIC_ADD(&s->group->back, 1);
}

/* Lane 0 takes indexes of the chunk for the group: as many as its lanes need. While many are left,
 * it takes a fraction of them at once, so that thousands of groups do not use one word at every
 * turn. */
YOKE_FN void yk_step_take(yk_step *s, const yk_step_plan *plan, uint32_t need)
{
    YOKE_GLOBAL uint32_t *seeds = &s->words[YK_STEP_SEEDS];
    /* The word exceeds `length` by at most one request of each group. */
    uint32_t first = yk_step_word(seeds), part;
    if (first < s->length) {
        part = (s->length - first) / (2 * plan->groups);
        need = part < need ? need : part < YK_STEP_BUNDLE ? part : YK_STEP_BUNDLE;
        first = YK_ATOMIC_ADD(seeds, need);
    }
    s->next = first;
    s->end = first >= s->length ? first : s->length - first < need ? s->length : first + need;
}

/* Gives each lane without an item one, as long as there are any: from the stack (`pops`) or a new
 * one (`fresh`). The caller has put back the items of lanes that must pause. */
YOKE_FN void yk_step_fill(yk_step *s, const yk_step_plan *plan)
{
    const uint32_t wants = !s->has && s->lane < s->width;
    uint32_t rank, want, pops, need, takes, got;
    want = yk_step_vote(s, wants, &rank);
    s->count += s->group->back;
    pops = want < s->count ? want : s->count;
    need = want - pops;
    takes = need && s->next == s->end && !s->dry;
    if (YK_STEP_MAY(takes)) {
        if (takes && s->lane == 0)
            yk_step_take(s, plan, need);
        yk_step_tell(s, &s->next, &s->end);
        s->dry |= takes && s->next == s->end;
    }
    got = s->end - s->next < need ? s->end - s->next : need;
    s->held = s->width - want + pops + got;
    s->pops = wants && rank < pops;
    s->slot = s->bottom + s->count - 1 - rank;
    s->fresh = wants && rank >= pops && rank - pops < got;
    s->index = s->next + (rank - pops);
    s->next += got;
    s->has |= s->pops || s->fresh;
    s->count -= pops;
}

/* Called when the lanes are filled, before their bodies run. */
YOKE_FN void yk_step_begin(yk_step *s, const yk_step_plan *plan)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint32_t next = s->third == 2 ? 0 : s->third + 1;
    s->top = &group->pushed[s->third];
    if (s->lane != 0)
        return;
    group->back = 0;
    group->pushed[next] = group->stop[next] = 0;
    if (s->turn % YK_STEP_LOOK == YK_STEP_LOOK - 1 &&
        (yk_step_word(&s->words[YK_STEP_ERRORS]) ||
         (s->count && yk_step_word(&s->words[YK_STEP_ENDED + plan->phase]) > plan->groups / 2)))
        group->stop[s->third] = 1;
}

/* The lane's item emitted `sent` items. An error ends the group at once, and other groups at their
 * next look. */
YOKE_FN void yk_step_end(yk_step *s, uint32_t sent, uint32_t most, int is_last)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint32_t error = sent > most ? YK_STEP_TOO_MANY : sent && is_last ? YK_STEP_TOO_OLD : 0;
    uint32_t rank;
    if (error) {
        *(volatile YOKE_GLOBAL uint32_t *)&s->words[YK_STEP_ERRORS] = error;
        group->stop[s->third] = 1;
    }
    s->fresh = 0;
    s->has = sent != 0 && !error;
    s->held = yk_step_vote(s, s->has, &rank);
    s->count += group->pushed[s->third];
    s->stop = group->stop[s->third];
    s->third = s->third == 2 ? 0 : s->third + 1;
    ++s->turn;
}

/* Called when all lanes' items are on the stack. Determines where they go; more than `room` items
 * stay where they are. */
YOKE_FN void yk_step_close(yk_step *s, const yk_step_plan *plan)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint64_t outboxes = (uint64_t)plan->groups * plan->room;
    uint32_t stays, base = 0;
    YK_STEP_SYNC;
    s->count += group->back;
    stays = s->count > plan->room;
    if (s->lane == 0) {
        s->range[0] = s->next;
        s->range[1] = s->end;
        if (s->next != s->end)
            (void)YK_ATOMIC_ADD(&s->words[YK_STEP_KEPT + plan->phase], s->end - s->next);
        if (s->number == 0)
            s->words[YK_STEP_DEEP + plan->phase] = stays ? s->count : 0;
        if (!stays && s->count)
            base = YK_ATOMIC_ADD(&s->words[YK_STEP_LEFT + plan->phase], s->count);
        (void)YK_ATOMIC_ADD(&s->words[YK_STEP_ENDED + plan->phase], 1);
    }
    yk_step_tell(s, &base, &stays);
    s->to = outboxes + plan->reserve + (plan->odd ? outboxes : 0) + base;
    if (stays)
        s->count = 0;
}

#endif
