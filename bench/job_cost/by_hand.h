/* by_hand.h - handwritten saxpy in CUDA, in a shared object of its own (by_hand.cu). On all GPUs:
 * on resident data, one launch on each GPU, then a wait for each. On GPU 0: from and to the host's
 * memory. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Allocates `items` floats in each of two arrays, an equal part on each of the first `gpus` GPUs.
 * 0: there are fewer GPUs, or there is no memory. */
typedef int by_hand_open_fn(int gpus, int64_t items);
typedef void by_hand_run_fn(void);
typedef void by_hand_close_fn(void);
by_hand_open_fn by_hand_open;
by_hand_run_fn by_hand_run;
by_hand_close_fn by_hand_close;

enum from_host_way {
    FROM_HOST_PLAIN,    /* cudaMemcpyAsync of both arrays, the kernel, cudaMemcpyAsync back */
    FROM_HOST_PIECES,   /* the same in pieces, in three streams */
    FROM_HOST_REGISTER, /* plain, between cudaHostRegister and cudaHostUnregister */
    FROM_HOST_WAYS
};
struct from_host_data {
    int64_t items;
    float a;
    const float *x;
    float *y;
};
/* Allocates memory on the GPU, once. 0: it failed. */
typedef int from_host_open_fn(int64_t items);
/* 0: it failed. */
typedef int from_host_run_fn(enum from_host_way way, const struct from_host_data *data);
typedef void *from_host_take_fn(int64_t items); /* pinned; NULL: there is none */
typedef void from_host_give_fn(void *memory);
from_host_open_fn from_host_open;
from_host_run_fn from_host_run;
from_host_take_fn from_host_take;
from_host_give_fn from_host_give;
#ifdef __cplusplus
}
#endif

#endif
