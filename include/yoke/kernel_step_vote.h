/* yoke/kernel_step_vote.h - how the lanes of a step kernel's work-group agree.
 *
 * Only seen while a kernel file is flattened, from kernel_step_queue.h.
 *
 *   yk_step_vote   returns the number of lanes whose `yes` is 1; *rank: this lane's number among
 * them yk_step_tell   gives lane 0's values to all lanes
 *
 * A group in CUDA is a warp, which is its own barrier, and each of these is one instruction. In
 * OpenCL not all devices have these instructions, so local memory is used. Both functions are
 * barriers: after them all lanes see what was written to group or stack before. */
#ifndef YOKE_KERNEL_STEP_VOTE_H
#define YOKE_KERNEL_STEP_VOTE_H

#if defined(YOKE_OPENCL)
#define YK_ATOMIC_ADD(p, v) yk_atomic_add(p, v)
#define YK_STEP_GROUP       (uint32_t) yk_group_id(0)
#define YK_STEP_LANE        (uint32_t) yk_local_id(0)
#define YK_STEP_SYNC        YOKE_BARRIER
#define YK_STEP_MAY(x)      1 /* PoCL doubles all code after a branch with a barrier in it */

YOKE_FN uint32_t yk_step_vote(yk_step *s, uint32_t yes, uint32_t *rank)
{
    const uint32_t at = s->votes, next = at == 2 ? 0 : at + 1;
    *rank = yes ? YK_ATOMIC_ADD(&s->group->votes[at], 1) : 0;
    if (s->lane == 0)
        s->group->votes[next] = 0;
    s->votes = next;
    YOKE_BARRIER;
    return s->group->votes[at];
}

YOKE_FN void yk_step_tell(yk_step *s, uint32_t *a, uint32_t *b)
{
    const uint32_t at = s->tells;
    if (s->lane == 0) {
        s->group->told[at][0] = *a;
        s->group->told[at][1] = *b;
    }
    s->tells = 1 - at;
    YOKE_BARRIER;
    *a = s->group->told[at][0];
    *b = s->group->told[at][1];
}
#else
#define YK_ATOMIC_ADD(p, v) atomicAdd(p, (unsigned)(v))
#define YK_STEP_GROUP       (uint32_t) blockIdx.x
#define YK_STEP_LANE        (uint32_t) threadIdx.x
#define YK_STEP_SYNC        __syncwarp()
#define YK_STEP_MAY(x)      (x)

YOKE_FN uint32_t yk_step_vote(yk_step *s, uint32_t yes, uint32_t *rank)
{
    const unsigned all = __ballot_sync(0xffffffffu, (int)yes);
    __syncwarp();
    *rank = (uint32_t)__popc(all & ((1u << s->lane) - 1u));
    return (uint32_t)__popc(all);
}

YOKE_FN void yk_step_tell(yk_step *s, uint32_t *a, uint32_t *b)
{
    (void)s;
    __syncwarp();
    *a = __shfl_sync(0xffffffffu, *a, 0);
    *b = __shfl_sync(0xffffffffu, *b, 0);
}
#endif

#endif
