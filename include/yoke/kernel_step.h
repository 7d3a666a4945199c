/* yoke/kernel_step.h - the step form: a kernel that handles one item and may emit new ones (the
 * consumer-producer kernels of papers/002, sections 3.1 and 4.2).
 *
 *     typedef struct walk { int64_t place; int32_t left, of; } walk_t;
 *     YOKE_STEP_KERNEL(walks, walk_t, w, i, 2, 1000, YOKE_VALUE(int32_t, steps),
 *                      YOKE_ADD(int64_t, visits))
 *     {
 *         YOKE_SEED { w.place = i; w.left = steps; w.of = 0; }
 *         yoke_add(&visits[w.place], 1);
 *         if (--w.left > 0)
 *             YOKE_EMIT(w);
 *     }
 *
 * defines `const yoke_kernel walks`, which jobs use like any other kernel. Each index i of the
 * job's range has one item of the first generation. The job is done when these items and all their
 * descendants have been handled, each exactly once.
 *
 *     YOKE_STEP_KERNEL(name, T, item, i, most, generations, params...)
 *
 * T: the item's type, a struct or a number as in YOKE_IN (fixed widths, no pointers); `item` is the
 * body's own copy. `most`: the most items that one call of the body emits, 1 to 256. `generations`:
 * the most generations, including the first; this detects kernels that do not terminate. Both are
 * constant expressions. Params are those of YOKE_KERNEL. An item may touch what the index that it
 * comes from may touch; the item must contain that index. Items are handled in no defined order. So
 * results go to YOKE_ADD arrays, or to the index's rows if only one item at a time comes from an
 * index (most 1).
 *
 * Inside the body
 *     YOKE_SEED { ... }  done for items of the first generation: `item` is all zero there, and `i`
 *                        is its index; in other items `i` has no meaning
 *     YOKE_EMIT(x);      one more item, of the next generation. The first one stays with the lane
 *                        that emits it and is handled next; the others wait. So emit first an item
 *                        with few descendants, or the one that continues
 * The body may return anywhere. It runs many times at once on every device that takes part.
 *
 * Errors are returned at the end of the job (yoke_run, yoke_wait). The rows that it writes are then
 * lost; sums of mode add are unchanged.
 * YOKE_EINVAL: more items were emitted than declared, or beyond the last generation, or more items
 * had to wait than allowed. The text names the kernel. Devices without memory for the queues leave
 * the job to others.
 *
 * Each lane of a GPU needs device memory for three stacks of `room` items (yoke_step) per
 * work-group, and for (most - 1) * generations more items of one work-group; or for fewer, if a
 * copy of the descriptor limits how many items ever wait (step.waiting). docs/adr/010 explains why
 * this is always enough, docs/kernels.md how to write such kernels. In C++ this header only gives
 * the descriptor's type.
 */
#ifndef YOKE_KERNEL_STEP_H
#define YOKE_KERNEL_STEP_H

#include <yoke/kernel.h>

#if !defined(__cplusplus) || defined(YOKE_FLATTEN)

/* Before a block: done only for items of the first generation. */
#define YOKE_SEED if (yk_fresh)

/* Work-items of a group on devices: as many as a warp of an NVIDIA GPU has. */
#define YK_STEP_LANES 32

#define YK_STEP_CHECK(name, most, generations)                                                     \
    typedef char yk_step_emits_1_to_256_in_1_generation_or_more_##name                             \
        [((most) >= 1) * ((most) <= 256) * ((generations) >= 1) * 2 - 1]
#define YK_STEP_BODY(name, T, item, i, ...)                                                        \
    YOKE_FN void yk_body_##name(T item, YK_INDEX i,                                                \
                                YK_STEP_HIDDEN(T) YK_EACH(YK_FORMAL, __VA_ARGS__))

#if defined(YOKE_FLATTEN)
#include <yoke/kernel_step_device.h>
#else

/* A batch: the body runs over all items, each with its own slots for what it emits. Then the
 * emitted items are moved to where the library wants them. */
#define YK_STEP_HIDDEN(T)                                                                          \
    const int YK_UNUSED yk_fresh, T *YOKE_RESTRICT YK_UNUSED yk_emitted,                           \
        int32_t *YOKE_RESTRICT YK_UNUSED yk_sent, const int32_t YK_UNUSED yk_most
/* Emits an item of the next generation. */
#define YOKE_EMIT(...)                                                                             \
    do {                                                                                           \
        if (*yk_sent < yk_most)                                                                    \
            yk_emitted[*yk_sent] = (__VA_ARGS__);                                                  \
        ++*yk_sent;                                                                                \
    } while (0)

#define YK_STEP_DO(name, item, index, fresh, most, k, ...)                                         \
    {                                                                                              \
        int32_t yk_count = 0;                                                                      \
        yk_body_##name(item, index, fresh, &yk_emitted[(k) * (most)], &yk_count,                   \
                       most YK_EACH(YK_ACTUAL, __VA_ARGS__));                                      \
        yk_sent[k] = yk_count;                                                                     \
    }
#define YK_STEP_PACK(T, most, generations)                                                         \
    T *const yk_out = (T *)yk_batch->out;                                                          \
    int64_t yk_made = 0;                                                                           \
    YK_FOR(yk_k, 0, yk_batch->count)                                                               \
    {                                                                                              \
        const uint32_t yk_age = (yk_batch->ages ? yk_batch->ages[yk_k] : 0) + 1;                   \
        int32_t yk_keep = yk_sent[yk_k];                                                           \
        if (yk_keep > (most))                                                                      \
            yk_batch->errors |= YOKE_STEP_TOO_MANY;                                                \
        else if (yk_keep > 0 && yk_age >= (uint32_t)(generations))                                 \
            yk_batch->errors |= YOKE_STEP_TOO_OLD;                                                 \
        if (yk_batch->errors)                                                                      \
            yk_keep = 0;                                                                           \
        YK_FOR(yk_j, 0, yk_keep)                                                                   \
        {                                                                                          \
            yk_batch->out_ages[yk_made] = yk_age;                                                  \
            yk_out[yk_made++] = yk_emitted[yk_k * (most) + yk_keep - 1 - yk_j];                    \
        }                                                                                          \
    }                                                                                              \
    yk_batch->made = yk_made;

#define YK_STEPS(attributes, v, name, T, most, generations, ...)                                   \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        static const T yk_zero;                                                                    \
        yoke_batch *const yk_batch = yk_chunk->batch;                                              \
        const T *const yk_items = (const T *)yk_batch->items;                                      \
        T *const yk_emitted = (T *)yk_batch->emitted;                                              \
        int32_t *const yk_sent = yk_batch->sent;                                                   \
        const int64_t yk_first = yk_chunk->first;                                                  \
        YK_UNPACK_ALL(__VA_ARGS__)                                                                 \
        yk_batch->errors = 0;                                                                      \
        if (yk_items) {                                                                            \
            YK_LOOP(__VA_ARGS__)                                                                   \
            YK_FOR(yk_k, 0, yk_batch->count)                                                       \
            YK_STEP_DO(name, yk_items[yk_k], -1, 0, most, yk_k, __VA_ARGS__)                       \
        } else {                                                                                   \
            YK_LOOP(__VA_ARGS__)                                                                   \
            YK_FOR(yk_k, 0, yk_batch->count)                                                       \
            YK_STEP_DO(name, yk_zero, yk_first + yk_k, 1, most, yk_k, __VA_ARGS__)                 \
        }                                                                                          \
        YK_STEP_PACK(T, most, generations)                                                         \
    }

/* This macro's parameters must not be named like the fields that they set. */
#define YOKE_STEP_KERNEL(name, T, item, i, at_most, ages, ...)                                     \
    YK_STEP_CHECK(name, at_most, ages);                                                            \
    YK_STEP_BODY(name, T, item, i, __VA_ARGS__);                                                   \
    YK_VARIANTS(YK_STEPS, name, T, at_most, ages, __VA_ARGS__)                                     \
    YK_DESCRIBE_KIND(name,                                                                         \
                     (.kind = YOKE_KERNEL_STEP, .step = { .type = #T,                              \
                                                          .size = (uint32_t)sizeof(T),             \
                                                          .alignment = (uint32_t) _Alignof(T),     \
                                                          .most = (at_most),                       \
                                                          .generations = (ages) }),                \
                     1, YK_STEP_LANES, 1, __VA_ARGS__)                                             \
    YK_STEP_BODY(name, T, item, i, __VA_ARGS__)

#endif
#endif
#endif
