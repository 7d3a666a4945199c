/* step_queue.h - how step kernels run (yoke/kernel_step.h, docs/adr/010): the plan of a launch, the
 * layout of the queue that its work-groups share, and what its words mean afterwards. Nothing here
 * calls a device.
 *
 * Devices that do a chunk in one launch, such as a CPU's cores, use the words to report errors.
 */
#ifndef YK_BACKEND_STEP_QUEUE_H
#define YK_BACKEND_STEP_QUEUE_H

#include <yoke/kernel_type.h>

/* As in yoke/kernel_step_device.h; passed by value in every launch. */
struct yk_step_plan {
    uint64_t ages; /* byte offset in the queue of the items' generations */
    uint32_t groups, room, reserve, turns, phase, odd;
};

enum yk_step_word {                 /* numbers of the queue's 32-bit words */
                    YK_STEP_SEEDS,  /* indexes taken */
                    YK_STEP_ERRORS, /* YOKE_STEP_TOO_MANY and so on, or YK_STEP_NO_MEMORY */
                    YK_STEP_LEFT, /* items in the outbox; this and the next three: a word a phase */
                    YK_STEP_DEEP = YK_STEP_LEFT + 3,  /* items of group 0 beyond its room */
                    YK_STEP_ENDED = YK_STEP_DEEP + 3, /* groups that have ended */
                    YK_STEP_KEPT = YK_STEP_ENDED + 3, /* indexes that groups keep */
                    YK_STEP_WORDS = 16
};
enum { YK_STEP_NO_MEMORY = 8 };

/* Lanes of a work-group: YK_STEP_LANES of yoke/kernel_step.h. A chunk has fewer than
 * YK_STEP_INDEXES_MOST indexes. */
enum { YK_STEP_WIDTH = 32 };
#define YK_STEP_INDEXES_MOST (INT64_C(1) << 30)

/* The queue of one launch. */
struct yk_step_launch {
    struct yk_buffer *buffer; /* the queue's; unused if kernels work on host memory */
    int64_t offset;           /* position of the queue in the buffer, in bytes, a multiple of 256 */
    struct yk_step_plan plan;
    uint32_t *words; /* the queue's YK_STEP_WORDS words in host memory, if the device's kernels
                      * work on host memory; otherwise unused */
};

/* YOKE_EINVAL if the step kernel's descriptor is invalid; the text names it. */
yoke_status yk_step_check(const yoke_kernel *kernel);

/* Slots of group 0's stack beyond `room`: enough for all items that can wait while one item and its
 * descendants are processed one at a time, depth first. So group 0 can always continue. */
uint64_t yk_step_reserve(const yoke_step *step);

/* Makes the plan of a chunk's first launch, with at most `groups` groups, and returns the bytes of
 * its queue. If these exceed `most_bytes` it uses fewer groups, but at least one. Returns
 * INT64_MAX, without a plan, if 32 bits cannot number the slots. */
int64_t yk_step_plan_make(const yoke_step *step, int64_t groups, int64_t most_bytes,
                          struct yk_step_plan *out);
/* Changes the plan to that of the next launch. */
void yk_step_plan_next(struct yk_step_plan *plan);

/* Bytes of the queue's words, which must be zero before the first launch. */
enum { YK_STEP_HEAD_BYTES = 256 };

/* Call it after the launch of this plan, for a chunk of `indexes` indexes. Returns 1 if the chunk
 * needs another launch. If 0, yk_step_outcome returns its outcome, with a text that names the
 * kernel. */
int yk_step_is_open(const uint32_t *words, const struct yk_step_plan *plan, int64_t indexes);
yoke_status yk_step_outcome(const uint32_t *words, const char *name, const yoke_step *step);

/* step_stack.c: processes the chunk's indexes and all items that descend from them, in the calling
 * thread, on a stack in host memory. Writes words[YK_STEP_ERRORS]. */
struct yk_step_work {
    yoke_cpu_fn *run;
    const yoke_step *step;
    void *const *args;
    const yoke_chunk *chunk;
};
void yk_step_run(const struct yk_step_work *work, uint32_t *words);

#endif
