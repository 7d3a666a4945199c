/* step_stack.c - a step kernel on a core: batches from the top of a stack that grows as needed.
 *
 * The items on top are of the latest generations, so the stack stays low: new indexes are taken
 * only while it has less than a batch. When the stack approaches its room, batches get smaller,
 * down to one item; from then on it grows only by the items that wait while one is done.
 */
#include <string.h>

#include "../base/alloc.h"
#include "step_queue.h"

enum { BATCH = 64, ROOM_BATCHES = 16 };

struct stack {
    const yoke_step *step;
    char *items;
    uint32_t *ages;
    int64_t count, capacity, room, reserve;
    char *emitted;       /* scratch memory: items that the batch emits */
    int32_t sent[BATCH]; /* number of items that each of the batch's items emits */
    uint32_t batch_ages[BATCH];
};

static int stack_open(struct stack *stack, const yoke_step *step)
{
    const int64_t batch = (int64_t)BATCH * step->most;
    *stack = (struct stack){ .step = step, .capacity = 2 * batch };
    stack->room = step->room ? step->room : ROOM_BATCHES * batch;
    stack->reserve = (int64_t)yk_step_reserve(step);
    stack->items = yk_alloc_aligned((size_t)stack->capacity * step->size, 0);
    stack->ages = yk_calloc((size_t)stack->capacity, sizeof *stack->ages);
    stack->emitted = yk_alloc_aligned((size_t)batch * step->size, 0);
    return stack->items && stack->ages && stack->emitted;
}

static void stack_close(struct stack *stack)
{
    yk_free(stack->items);
    yk_free(stack->ages);
    yk_free(stack->emitted);
}

/* Makes room for the items that one batch can emit. Returns 0 or an error word. */
static uint32_t stack_need(struct stack *stack)
{
    const int64_t least = stack->count + (int64_t)BATCH * stack->step->most;
    const size_t size = stack->step->size;
    char *items;
    uint32_t *ages;
    if (stack->count + stack->step->most - 1 > stack->room + stack->reserve)
        return YOKE_STEP_TOO_DEEP;
    if (least <= stack->capacity)
        return 0;
    items = yk_alloc_aligned((size_t)(2 * least) * size, 0);
    ages = yk_realloc(stack->ages, (size_t)(2 * least), sizeof *ages);
    if (ages)
        stack->ages = ages;
    if (!items || !ages) {
        yk_free(items);
        return YK_STEP_NO_MEMORY;
    }
    memcpy(items, stack->items, (size_t)stack->count * size);
    yk_free(stack->items);
    stack->items = items;
    stack->capacity = 2 * least;
    return 0;
}

/* Number of items in the next batch. */
static int64_t width_of(const struct stack *stack)
{
    int64_t width = (stack->room - stack->count) / stack->step->most;
    width = width > BATCH ? BATCH : width < 1 ? 1 : width;
    return width;
}

/* Runs `count` of the chunk's indexes from `seed` on or, if `seed` is the chunk's end, `count`
 * items from the top of the stack. Returns the batch's error word. */
static uint32_t run_batch(const struct yk_step_work *work, struct stack *stack, int64_t count,
                          int64_t seed)
{
    const int is_new = seed < work->chunk->last;
    yoke_chunk chunk = *work->chunk;
    yoke_batch batch = { .count = count, .emitted = stack->emitted, .sent = stack->sent };
    if (!is_new) {
        stack->count -= count;
        memcpy(stack->batch_ages, &stack->ages[stack->count], (size_t)count * sizeof(uint32_t));
        batch.items = stack->items + stack->count * stack->step->size;
        batch.ages = stack->batch_ages;
    }
    batch.out = stack->items + stack->count * stack->step->size;
    batch.out_ages = &stack->ages[stack->count];
    chunk.first = seed;
    chunk.batch = &batch;
    work->run(work->args, &chunk);
    stack->count += batch.made;
    return batch.errors;
}

void yk_step_run(const struct yk_step_work *work, uint32_t *words)
{
    const yoke_chunk *chunk = work->chunk;
    struct stack stack;
    int64_t seed = chunk->first, count;
    uint32_t errors = 0;
    if (!stack_open(&stack, work->step))
        errors = YK_STEP_NO_MEMORY;
    while (!errors && (seed < chunk->last || stack.count)) {
        const int64_t width = width_of(&stack);
        const int is_new = seed < chunk->last && stack.count < width;
        const int64_t there = is_new ? chunk->last - seed : stack.count;
        count = there < width ? there : width;
        errors = stack_need(&stack);
        if (!errors)
            errors = run_batch(work, &stack, count, is_new ? seed : chunk->last);
        seed += is_new ? count : 0;
    }
    stack_close(&stack);
    words[YK_STEP_ERRORS] = errors;
}
