/* by_hand.h - saxpy on every GPU as a CUDA program has it: one launch on each, then a wait for
 * each. by_hand.cu has it, in a shared object of its own. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Memory for `items` floats in each of two arrays, an equal part on each of the first `gpus`. 0:
 * there are fewer GPUs, or there is no memory. */
typedef int by_hand_open_fn(int gpus, int64_t items);
typedef void by_hand_run_fn(void);
typedef void by_hand_close_fn(void);
by_hand_open_fn by_hand_open;
by_hand_run_fn by_hand_run;
by_hand_close_fn by_hand_close;
#ifdef __cplusplus
}
#endif

#endif
