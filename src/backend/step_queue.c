/* step_queue.c - see step_queue.h. */
#include "step_queue.h"

#include "../base/status.h"

/* A group's stack has room, for each lane, for ROOM_FACTOR times the items that one item may emit.
 * All lanes can work as long as a quarter of the room is free. A launch has at most TURNS turns. */
enum { ROOM_FACTOR = 4, TURNS = 4096 };

/* Limits that keep slot numbers within 32 bits. */
enum { RESERVE_MOST = INT32_MAX / 2, ROOM_MOST = INT32_MAX / 2, GROUPS_MOST = 1 << 16 };

/* Whether the kernel has the form that YOKE_STEP_KERNEL makes. */
static int is_made(const yoke_kernel *kernel)
{
    return kernel->dimensions <= 1 && kernel->lanes == YK_STEP_WIDTH && kernel->unit <= 1 &&
           !kernel->cpu.team && !kernel->opencl.native && !kernel->cuda.native &&
           !kernel->opencl.source.entry && !kernel->cuda.source.entry;
}

yoke_status yk_step_check(const yoke_kernel *kernel)
{
    const yoke_step *step = &kernel->step;
    if (!step->size || !step->alignment || !step->type || step->most < 1 ||
        step->most > YOKE_STEP_MOST || step->generations < 1)
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: items of %u bytes, at most %u emitted by one, %u "
                       "generations; define it with YOKE_STEP_KERNEL, 1 to %d emitted",
                       kernel->name, step->size, step->most, step->generations, YOKE_STEP_MOST);
    if ((step->room && step->room < step->most) || step->room > ROOM_MOST)
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: stacks with room for %u items, of which one may emit %u; "
                       "make step.room that or more, at most %d, or 0",
                       kernel->name, step->room, step->most, ROOM_MOST);
    if (!is_made(kernel))
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: of one dimension and without implementations by hand is "
                       "what a step kernel has to be; define it with YOKE_STEP_KERNEL",
                       kernel->name);
    return YOKE_OK;
}

static uint32_t room_of(const yoke_step *step)
{
    return step->room ? step->room : ROOM_FACTOR * YK_STEP_WIDTH * step->most;
}

uint64_t yk_step_reserve(const yoke_step *step)
{
    /* Items of the last generation emit none. */
    const uint64_t always = (uint64_t)(step->most - 1) * (step->generations - 1);
    return (step->waiting ? step->waiting : always) + step->most - 1;
}

/* Returns the bytes of the queue of a plan that has its groups, room and reserve; sets
 * plan->ages. */
static int64_t layout(const yoke_step *step, struct yk_step_plan *plan)
{
    const uint64_t slots = 3 * (uint64_t)plan->groups * plan->room + plan->reserve;
    plan->ages = (YK_STEP_HEAD_BYTES + slots * step->size + 3) / 4 * 4;
    return (int64_t)((plan->ages + (slots + 2 * (uint64_t)plan->groups) * sizeof(uint32_t) + 255) /
                     256 * 256);
}

int64_t yk_step_plan_make(const yoke_step *step, int64_t groups, int64_t most_bytes,
                          struct yk_step_plan *out)
{
    const uint64_t reserve = yk_step_reserve(step);
    struct yk_step_plan plan = { .room = room_of(step),
                                 .reserve = (uint32_t)reserve,
                                 .turns = step->turns ? step->turns : TURNS };
    int64_t bytes;
    if (reserve > RESERVE_MOST)
        return INT64_MAX; /* no device has that much memory */
    if (step->groups && step->groups < groups)
        groups = step->groups;
    plan.groups = (uint32_t)(groups < 1 ? 1 : groups > GROUPS_MOST ? GROUPS_MOST : groups);
    while ((bytes = layout(step, &plan)) > most_bytes && plan.groups > 1)
        plan.groups /= 2;
    *out = plan;
    return bytes;
}

void yk_step_plan_next(struct yk_step_plan *plan)
{
    plan->phase = (plan->phase + 1) % 3;
    plan->odd ^= 1;
}

int yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes)
{
    return !words[YK_STEP_ERRORS] &&
           (words[YK_STEP_SEEDS] < indexes || words[YK_STEP_LEFT + plan->phase] ||
            words[YK_STEP_DEEP + plan->phase] || words[YK_STEP_KEPT + plan->phase]);
}

yoke_status yk_step_outcome(const uint32_t *words, const char *name, const yoke_step *step)
{
    if (words[YK_STEP_ERRORS] & YK_STEP_NO_MEMORY)
        return yk_fail(YOKE_ENOMEM, "step kernel %s: no memory for the stack of a core", name);
    if (words[YK_STEP_ERRORS] & YOKE_STEP_TOO_MANY)
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: an item emitted more than the %u that are declared; "
                       "declare as many as it may emit",
                       name, step->most);
    if (words[YK_STEP_ERRORS] & YOKE_STEP_TOO_DEEP)
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: more items wait than the %u that step.waiting allows; emit "
                       "first what has the smaller tree, or allow more",
                       name, step->waiting);
    if (words[YK_STEP_ERRORS])
        return yk_fail(YOKE_EINVAL,
                       "step kernel %s: items of the last of its %u generations emitted more; "
                       "see why it does not stop, or declare more generations",
                       name, step->generations);
    return YOKE_OK;
}
