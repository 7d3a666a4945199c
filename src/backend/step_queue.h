/* step_queue.h - how step kernels run (yoke/kernel_step.h, docs/adr/010): the plan of a launch, the
 * layout of the queue that its work-groups share, what its words say afterwards. Nothing here
 * touches a device.
 *
 * The words are also how devices that do a chunk in one go, as a CPU's cores do, say what went
 * wrong.
 */
#ifndef YK_BACKEND_STEP_QUEUE_H
#define YK_BACKEND_STEP_QUEUE_H

#include <yoke/kernel_type.h>

/* As in yoke/kernel_step_device.h, by value in every launch. */
struct yk_step_plan {
    uint64_t ages; /* byte offset of the items' generations in the queue */
    uint32_t groups, room, reserve, turns, phase, odd;
};

enum yk_step_word { /* numbers of the queue's 32-bit words */
                    YK_STEP_SEEDS,
                    YK_STEP_ERRORS, /* YOKE_STEP_TOO_MANY and its like, or YK_STEP_NO_MEMORY */
                    YK_STEP_LEFT,   /* of three launches, by phase, as are all that follow */
                    YK_STEP_DEEP = YK_STEP_LEFT + 3,
                    YK_STEP_ENDED = YK_STEP_DEEP + 3,
                    YK_STEP_KEPT = YK_STEP_ENDED + 3,
                    YK_STEP_WORDS = 16
};
enum { YK_STEP_NO_MEMORY = 8 };

/* Lanes of a work-group: YK_STEP_LANES of yoke/kernel_step.h. A chunk has fewer indexes than this
 * many. */
enum { YK_STEP_WIDTH = 32 };
#define YK_STEP_INDEXES_MOST (INT64_C(1) << 30)

/* One launch. */
struct yk_step_launch {
    struct yk_buffer *buffer; /* of the queue; unused where kernels work on host memory */
    int64_t offset;           /* of its first byte there, a multiple of 256 */
    struct yk_step_plan plan;
    uint32_t
        *words; /* YK_STEP_WORDS of the host's, where kernels work on its memory; else unused */
};

/* YOKE_EINVAL if no kernel can be like that; the text names it. */
yoke_status yk_step_check(const yoke_kernel *kernel);

/* Items that the stack on which nobody waits for room has beyond the others' room: all that one
 * item and what comes of it can occupy, done one at a time. */
uint64_t yk_step_reserve(const yoke_step *step);

/* The plan of a chunk's first launch with at most so many groups, and bytes of the queue, within
 * `most_bytes` if that can be with fewer groups, one at least. INT64_MAX, and no plan: of more
 * slots than can be counted. */
int64_t yk_step_plan_make(const yoke_step *step, int64_t groups, int64_t most_bytes,
                          struct yk_step_plan *out);
/* That of the launch after it. */
void yk_step_plan_next(struct yk_step_plan *plan);

/* Words of the queue that are zero before the first launch, in bytes. */
enum { YK_STEP_HEAD_BYTES = 256 };

/* After the launch of this plan, of a chunk of so many indexes. 1: launch again. Else *status says
 * how it went, with a text that names the kernel. */
int yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes);
yoke_status yk_step_outcome(const uint32_t *words, const char *name, const yoke_step *step);

/* step_stack.c: all that comes of the chunk's indexes, by the calling thread, on a stack of the
 * host's. Writes words[YK_STEP_ERRORS]. */
struct yk_step_work {
    yoke_cpu_fn *run;
    const yoke_step *step;
    void *const *args;
    const yoke_chunk *chunk;
};
void yk_step_run(const struct yk_step_work *work, uint32_t *words);

#endif
