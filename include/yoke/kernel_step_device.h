/* yoke/kernel_step_device.h - the step form on devices: one launch of a chunk's series
 * (docs/adr/010).
 *
 * Only seen while a kernel file is flattened. A work-group has a stack in the queue's memory; each
 * of its lanes keeps one item in registers. In a turn, lanes without an item take one from the
 * stack, or otherwise an index of the chunk. Every lane with an item runs the body, keeps the first
 * item it emits and pushes the others. Groups interact only through atomics on the queue's words,
 * and none waits for another.
 *
 *   - Launch: plan.groups groups of YK_STEP_LANES lanes, in one dimension; nothing if there are 0.
 *   - Arguments: a yk_space as for other kernels, then the queue's memory, a 64-bit
 *     byte shift of the queue in it, a yk_step_plan by value, then the parameters.
 *   - The queue: YK_STEP_ITEMS bytes of words, then slots of items; at plan.ages the items'
 *     generations, then for each group the range of indexes that it has taken and not begun.
 *   - Slots: `groups` stacks of `room` (group 0 has the last one, with `reserve` more slots after
 *     it), then two outboxes of groups * room each.
 *   - Words: number of indexes taken; errors; and, in one set for each value of launch % 3
 *     (`phase`): number of items left in outbox launch % 2 (`odd`), of items that group 0 keeps on
 *     its stack because they are more than `room`, of groups that have ended, and of indexes that
 *     groups keep. All are zero before the first launch. Each launch reads the set of the previous
 *     one, writes its own, and clears that of the next.
 */
#ifndef YOKE_KERNEL_STEP_DEVICE_H
#define YOKE_KERNEL_STEP_DEVICE_H

#include <yoke/kernel_step_queue.h>

#if defined(YOKE_OPENCL)
#define YK_STEP_LOCAL __local
#define YK_STEP_START __attribute__((reqd_work_group_size(YK_STEP_LANES, 1, 1))) __kernel void
#define YK_STEP_NOTHING                                                                            \
    {                                                                                              \
        0                                                                                          \
    }
#else
#define YK_STEP_LOCAL __shared__
#define YK_STEP_START extern "C" __global__ void __launch_bounds__(YK_STEP_LANES)
#define YK_STEP_NOTHING                                                                            \
    {                                                                                              \
    }
#endif

#define YK_STEP_HIDDEN(T)                                                                          \
    const uint32_t yk_fresh, T *yk_next, YOKE_GLOBAL T *yk_more,                                   \
        YOKE_GLOBAL uint32_t *yk_more_ages, const uint32_t yk_age, YOKE_SHARED uint32_t *yk_top,   \
        uint32_t *yk_sent, const uint32_t yk_most

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
    YK_STEP_START yoke_entry_##name(const yk_space yk_part, YOKE_GLOBAL char *yk_memory,           \
                                    int64_t yk_shift,                                              \
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
        T yk_mine = yk_zero;                                                                       \
        uint32_t yk_age = 0, yk_sent;                                                              \
        int64_t yk_index = -1;                                                                     \
        yk_step yk_s;                                                                              \
        if (yk_plan.groups == 0)                                                                   \
            return;                                                                                \
        yk_step_open(&yk_s, &yk_plan, (YOKE_GLOBAL uint32_t *)yk_queue, &yk_group);                \
        yk_s.length = (uint32_t)(yk_part.last - yk_part.first);                                    \
        if (yk_s.from != yk_s.bottom)                                                              \
            YK_STEP_MOVE(yk_s.bottom, yk_s.from)                                                   \
        YK_STEP_SYNC;                                                                              \
        while (yk_step_goes_on(&yk_s, &yk_plan, most)) {                                           \
            T yk_next = yk_zero; /* kept across turns, it would take an item's registers */        \
            if (yk_step_fills(&yk_s)) {                                                            \
                if (yk_s.has && yk_s.lane >= yk_s.width)                                           \
                    YK_STEP_PUT_BACK                                                               \
                yk_step_fill(&yk_s, &yk_plan);                                                     \
                if (yk_s.pops) {                                                                   \
                    yk_mine = yk_items[yk_s.slot];                                                 \
                    yk_age = yk_ages[yk_s.slot];                                                   \
                } else if (yk_s.fresh) {                                                           \
                    yk_mine = yk_zero;                                                             \
                    yk_age = 0;                                                                    \
                    yk_index = yk_part.first + yk_s.index;                                         \
                }                                                                                  \
                YK_STEP_SYNC;                                                                      \
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
