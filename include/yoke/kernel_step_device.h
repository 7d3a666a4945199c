/* yoke/kernel_step_device.h - the step form on devices: one launch of a chunk's series (docs/adr/010).
 *
 * Only seen while a kernel file is flattened. A work-group has a stack in the queue's memory; each
 * of its lanes holds one item in registers. A turn: lanes without an item take one from the stack,
 * else an index of the chunk; every lane that has one does the body, keeps the first item it emits
 * and pushes the others. Groups meet in atomics of the queue's words only, and none waits for
 * another.
 *
 * Launch          groups of YK_STEP_LANES lanes, plan.groups of them, work_dim 1. Groups 0: nothing.
 * Arguments       first, last, size2, size3 as of other kernels, then the queue's memory, a 64-bit
 *                 byte shift of the queue in it, a yk_step_plan by value, then the parameters.
 * The queue       YK_STEP_ITEMS bytes of words, then slots of items, and at plan.ages the items'
 *                 generations. Slots: `groups` stacks of `room` (group 0 has the last one, and
 *                 `reserve` more behind it), then two outboxes of groups * room each.
 * Words           seeds taken, errors, and by launch % 3 (`phase`): items left in the outbox
 *                 launch % 2 (`odd`), items that group 0 keeps on its stack because they are more
 *                 than `room`, groups that have ended. All zero before the first launch. Each
 *                 launch reads those of the one before it, writes its own, clears the next one's.
 */
#ifndef YOKE_KERNEL_STEP_DEVICE_H
#define YOKE_KERNEL_STEP_DEVICE_H

typedef struct yk_step_plan { /* the same as struct yk_step_plan of src/backend/step_queue.h */
    uint64_t ages;
    uint32_t groups, room, reserve, turns, phase, odd;
} yk_step_plan;

/* clang-format off */
enum { YK_STEP_SEEDS = 0, YK_STEP_ERRORS = 1, YK_STEP_LEFT = 2, YK_STEP_DEEP = 5, YK_STEP_ENDED = 8,
       YK_STEP_ITEMS = 256 };
/* clang-format on */
enum { YK_STEP_TOO_MANY = 1, YK_STEP_TOO_OLD = 2 };
enum { YK_STEP_LOOK = 16 }; /* turns from one look at what other groups do to the next */

#if defined(YOKE_OPENCL)
#define YK_ATOMIC_ADD(p, v) atomic_add(p, v)
#define YK_STEP_LOCAL       __local
#define YK_STEP_GROUP       (uint32_t) get_group_id(0)
#define YK_STEP_LANE        (uint32_t) get_local_id(0)
#define YK_STEP_START       __attribute__((reqd_work_group_size(YK_STEP_LANES, 1, 1))) __kernel void
#define YK_STEP_NOTHING     { 0 }
#else
#define YK_ATOMIC_ADD(p, v) atomicAdd(p, (unsigned)(v))
#define YK_STEP_LOCAL       __shared__
#define YK_STEP_GROUP       (uint32_t) blockIdx.x
#define YK_STEP_LANE        (uint32_t) threadIdx.x
#define YK_STEP_START       extern "C" __global__ void __launch_bounds__(YK_STEP_LANES)
#define YK_STEP_NOTHING     {}
#endif

/* What the lanes of a group share. Of three, a turn uses one (turn modulo 3) and clears the next:
 * between two turns there is only one barrier, so the one before may still be read. */
typedef struct yk_step_group {
    uint32_t pushed[3], held[3], stop[3];
    uint32_t back, want;         /* items put back, lanes that want one: while lanes are filled */
    uint32_t seeds, first, base; /* from lane 0 to all */
} yk_step_group;

/* What a lane knows. The same in all lanes of a group, but for what is its own. */
typedef struct yk_step {
    YOKE_GLOBAL uint32_t *words;
    YOKE_SHARED yk_step_group *group;
    uint64_t bottom;          /* slot of the stack's lowest item */
    uint64_t from, to;        /* slots of its share of the old outbox, and of its part of the new */
    uint32_t number, count;   /* of the group; of items on its stack */
    uint32_t held, width;     /* lanes that have an item; that may have one this turn */
    uint32_t turn, third;     /* turns done; that modulo 3 */
    uint32_t length, dry;     /* indexes of the chunk; 1: all are taken */
    uint32_t stop;            /* 1: no more turns, for others' sake or for an error */
    uint32_t lane, has;       /* its own: number, whether it has an item, */
    uint32_t fresh, pops;     /* whether that is new; whether it takes one from the stack, */
    uint64_t slot;            /* which lies there, */
    uint32_t index;           /* or of which index of the chunk it is */
    YOKE_SHARED uint32_t *top; /* where to count what is pushed */
} yk_step;

YOKE_FN uint32_t yk_step_word(YOKE_GLOBAL uint32_t *word)
{
    return *(volatile YOKE_GLOBAL uint32_t *)word; /* others may be changing it */
}

/* Its share of what the launch before left: `count` items from slot `from` on; or, for group 0, what
 * lies on its stack already. */
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

YOKE_FN void yk_step_open(yk_step *s, const yk_step_plan *plan, YOKE_GLOBAL uint32_t *words,
                          YOKE_SHARED yk_step_group *group)
{
    s->words = words;
    s->group = group;
    s->number = YK_STEP_GROUP;
    s->lane = YK_STEP_LANE;
    s->bottom = (uint64_t)(plan->groups - 1 - s->number) * plan->room;
    s->held = s->has = s->fresh = s->turn = s->third = s->dry = s->stop = 0;
    if (s->lane == 0) {
        for (int third = 0; third < 3; ++third)
            group->pushed[third] = group->held[third] = group->stop[third] = 0;
        group->back = group->want = 0;
        if (s->number == 0) {
            words[YK_STEP_LEFT + (plan->phase + 1) % 3] = 0;
            words[YK_STEP_ENDED + (plan->phase + 1) % 3] = 0;
        }
    }
    yk_step_share(s, plan);
}

/* Whether there is another turn, and how wide: all that comes of it has room on the stack. Group 0
 * goes on with one lane where there is none, into its reserve. */
YOKE_FN int yk_step_goes_on(yk_step *s, const yk_step_plan *plan, uint32_t most)
{
    const uint32_t all = s->count + s->held;
    if ((all == 0 && s->dry) || s->turn == plan->turns || s->stop)
        return 0;
    s->width = all < plan->room ? (plan->room - all) / most : 0;
    if (s->width > YK_STEP_LANES)
        s->width = YK_STEP_LANES;
    if (s->width == 0 && s->number == 0)
        s->width = 1;
    return s->width != 0;
}

/* Filling the lanes takes barriers: not while enough of them have items. */
YOKE_FN int yk_step_fills(const yk_step *s)
{
    return s->width < YK_STEP_LANES || (s->held < YK_STEP_LANES && (s->count || !s->dry));
}

/* The slot for an item that its lane gives back. */
YOKE_FN uint64_t yk_step_put_back(yk_step *s)
{
    s->has = 0;
    return s->bottom + s->count + YK_ATOMIC_ADD(&s->group->back, 1);
}

/* Lane 0 takes so many indexes of the chunk for the group. */
YOKE_FN void yk_step_take(yk_step *s, uint32_t need)
{
    YOKE_GLOBAL uint32_t *seeds = &s->words[YK_STEP_SEEDS];
    /* Past the end the word grows by one request of each group at most. */
    uint32_t first = yk_step_word(seeds);
    if (first < s->length)
        first = YK_ATOMIC_ADD(seeds, need);
    s->group->first = first;
    s->group->seeds = first >= s->length ? 0 : s->length - first < need ? s->length - first : need;
}

/* Who has no item gets one, as far as there are some: `pops` or `fresh`. The caller has put back
 * those of lanes that have to rest. */
YOKE_FN void yk_step_fill(yk_step *s)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint32_t wants = !s->has && s->lane < s->width;
    uint32_t rank = 0, want, pops, got = 0;
    if (wants)
        rank = YK_ATOMIC_ADD(&group->want, 1);
    YOKE_BARRIER;
    want = group->want;
    s->count += group->back;
    pops = want < s->count ? want : s->count;
    if (want > pops && !s->dry) {
        if (s->lane == 0)
            yk_step_take(s, want - pops);
        YOKE_BARRIER;
        got = group->seeds;
        s->dry = got < want - pops;
    }
    s->held = s->width - want + pops + got;
    s->pops = wants && rank < pops;
    s->slot = s->bottom + s->count - 1 - rank;
    s->fresh = wants && rank >= pops && rank - pops < got;
    if (s->fresh)
        s->index = group->first + (rank - pops);
    s->has |= s->pops || s->fresh;
    s->count -= pops;
}

/* Lanes are filled; their bodies come next. */
YOKE_FN void yk_step_begin(yk_step *s, const yk_step_plan *plan)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint32_t next = s->third == 2 ? 0 : s->third + 1;
    s->top = &group->pushed[s->third];
    if (s->lane != 0)
        return;
    group->back = group->want = 0;
    group->pushed[next] = group->held[next] = group->stop[next] = 0;
    if (s->turn % YK_STEP_LOOK == YK_STEP_LOOK - 1 &&
        (yk_step_word(&s->words[YK_STEP_ERRORS]) ||
         (s->count && yk_step_word(&s->words[YK_STEP_ENDED + plan->phase]) > plan->groups / 2)))
        group->stop[s->third] = 1;
}

/* The lane's item emitted so many. Errors end the group at once, and others at their next look. */
YOKE_FN void yk_step_end(yk_step *s, uint32_t sent, uint32_t most, int is_last)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint32_t error = sent > most ? YK_STEP_TOO_MANY : sent && is_last ? YK_STEP_TOO_OLD : 0;
    if (error) {
        *(volatile YOKE_GLOBAL uint32_t *)&s->words[YK_STEP_ERRORS] = error;
        group->stop[s->third] = 1;
    }
    s->fresh = 0;
    s->has = sent != 0 && !error;
    if (s->has)
        (void)YK_ATOMIC_ADD(&group->held[s->third], 1);
    YOKE_BARRIER;
    s->count += group->pushed[s->third];
    s->held = group->held[s->third];
    s->stop = group->stop[s->third];
    s->third = s->third == 2 ? 0 : s->third + 1;
    ++s->turn;
}

/* All lanes' items are on the stack: where these go. They stay where they are too many. */
YOKE_FN void yk_step_close(yk_step *s, const yk_step_plan *plan)
{
    YOKE_SHARED yk_step_group *group = s->group;
    const uint64_t outboxes = (uint64_t)plan->groups * plan->room;
    uint32_t stays;
    YOKE_BARRIER;
    s->count += group->back;
    stays = s->count > plan->room;
    if (s->lane == 0) {
        if (s->number == 0)
            s->words[YK_STEP_DEEP + plan->phase] = stays ? s->count : 0;
        group->base = stays || !s->count
                          ? 0
                          : YK_ATOMIC_ADD(&s->words[YK_STEP_LEFT + plan->phase], s->count);
        (void)YK_ATOMIC_ADD(&s->words[YK_STEP_ENDED + plan->phase], 1);
    }
    YOKE_BARRIER;
    s->to = outboxes + plan->reserve + (plan->odd ? outboxes : 0) + group->base;
    if (stays)
        s->count = 0;
}

/* ---- the form ---- */

#define YK_STEP_HIDDEN(T)                                                                          \
    const uint32_t yk_fresh, T *yk_next, YOKE_GLOBAL T *yk_more, YOKE_GLOBAL uint32_t *yk_more_ages, \
        const uint32_t yk_age, YOKE_SHARED uint32_t *yk_top, uint32_t *yk_sent, const uint32_t yk_most

#define YOKE_EMIT(...)                                                                             \
    do {                                                                                           \
        if (*yk_sent == 0) {                                                                       \
            *yk_next = (__VA_ARGS__);                                                              \
        } else if (*yk_sent < yk_most) {                                                           \
            const uint32_t yk_slot = YK_ATOMIC_ADD(yk_top, 1);                                     \
            yk_more[yk_slot] = (__VA_ARGS__);                                                      \
            yk_more_ages[yk_slot] = yk_age + 1;                                                    \
        }                                                                                          \
        ++*yk_sent;                                                                                \
    } while (0)

#define YK_STEP_ENTRY(name, ...)                                                                   \
    YK_STEP_START yoke_entry_##name(                                                               \
        int64_t yk_first, int64_t yk_last, int64_t yk_size2, int64_t yk_size3,                     \
        YOKE_GLOBAL char *yk_memory, int64_t yk_shift,                                             \
        yk_step_plan yk_plan YK_EACH(YK_ENTRY_FORMAL, __VA_ARGS__))

#define YK_STEP_MOVE(to_slot, from_slot)                                                           \
    for (uint32_t yk_j = yk_s.lane; yk_j < yk_s.count; yk_j += YK_STEP_LANES) {                    \
        yk_items[(to_slot) + yk_j] = yk_items[(from_slot) + yk_j];                                 \
        yk_ages[(to_slot) + yk_j] = yk_ages[(from_slot) + yk_j];                                   \
    }
#define YK_STEP_PUT_BACK                                                                           \
    {                                                                                              \
        const uint64_t yk_slot = yk_step_put_back(&yk_s);                                          \
        yk_items[yk_slot] = yk_mine;                                                               \
        yk_ages[yk_slot] = yk_age;                                                                 \
    }

#define YOKE_STEP_KERNEL(name, T, item, i, most, generations, ...)                                 \
    YK_STEP_CHECK(name, most, generations);                                                        \
    YK_STEP_BODY(name, T, item, i, __VA_ARGS__);                                                   \
    YK_STEP_ENTRY(name, __VA_ARGS__)                                                               \
    {                                                                                              \
        YK_STEP_LOCAL yk_step_group yk_group;                                                      \
        YOKE_GLOBAL char *const yk_queue = yk_memory + yk_shift;                                   \
        YOKE_GLOBAL T *const yk_items = (YOKE_GLOBAL T *)(yk_queue + YK_STEP_ITEMS);               \
        YOKE_GLOBAL uint32_t *const yk_ages = (YOKE_GLOBAL uint32_t *)(yk_queue + yk_plan.ages);   \
        const T yk_zero = YK_STEP_NOTHING;                                                         \
        T yk_mine = yk_zero, yk_next = yk_zero;                                                    \
        uint32_t yk_age = 0, yk_sent;                                                              \
        int64_t yk_index = -1;                                                                     \
        yk_step yk_s;                                                                              \
        if (yk_plan.groups == 0)                                                                   \
            return;                                                                                \
        yk_step_open(&yk_s, &yk_plan, (YOKE_GLOBAL uint32_t *)yk_queue, &yk_group);                \
        yk_s.length = (uint32_t)(yk_last - yk_first);                                              \
        if (yk_s.from != yk_s.bottom)                                                              \
            YK_STEP_MOVE(yk_s.bottom, yk_s.from)                                                   \
        YOKE_BARRIER;                                                                              \
        while (yk_step_goes_on(&yk_s, &yk_plan, most)) {                                           \
            if (yk_step_fills(&yk_s)) {                                                            \
                if (yk_s.has && yk_s.lane >= yk_s.width)                                           \
                    YK_STEP_PUT_BACK                                                               \
                yk_step_fill(&yk_s);                                                               \
                if (yk_s.pops) {                                                                   \
                    yk_mine = yk_items[yk_s.slot];                                                 \
                    yk_age = yk_ages[yk_s.slot];                                                   \
                } else if (yk_s.fresh) {                                                           \
                    yk_mine = yk_zero;                                                             \
                    yk_age = 0;                                                                    \
                    yk_index = yk_first + yk_s.index;                                              \
                }                                                                                  \
                YOKE_BARRIER;                                                                      \
            }                                                                                      \
            yk_step_begin(&yk_s, &yk_plan);                                                        \
            yk_sent = 0;                                                                           \
            if (yk_s.has)                                                                          \
                yk_body_##name(yk_mine, yk_index, yk_s.fresh, &yk_next,                            \
                               yk_items + yk_s.bottom + yk_s.count,                                \
                               yk_ages + yk_s.bottom + yk_s.count, yk_age, yk_s.top, &yk_sent,     \
                               most YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                        \
            yk_mine = yk_next;                                                                     \
            ++yk_age;                                                                              \
            yk_step_end(&yk_s, yk_sent, most, yk_age >= (generations));                            \
        }                                                                                          \
        if (yk_s.has)                                                                              \
            YK_STEP_PUT_BACK                                                                       \
        yk_step_close(&yk_s, &yk_plan);                                                            \
        YK_STEP_MOVE(yk_s.to, yk_s.bottom)                                                         \
    }                                                                                              \
    YK_STEP_BODY(name, T, item, i, __VA_ARGS__)

#endif
