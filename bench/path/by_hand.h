/* by_hand.h - the path tracer's plain kernel on a GPU without yoke, with NVRTC and the driver only.
 * A thread follows the paths of a pixel, one after another.
 *
 * The kernel's text is the one that the build made for CUDA from apps/path/path_kernels.c. A
 * failure ends the program with a message.
 */
#ifndef BENCH_PATH_BY_HAND_H
#define BENCH_PATH_BY_HAND_H

#include "path/path_state.h"

/* Separate products and sums, as in yoke, so that all devices agree; or fused where the compiler
 * chooses: faster, but another picture. */
enum by_hand_sums { BY_HAND_EXACT, BY_HAND_FUSED, BY_HAND_SUMS };

struct by_hand_kernel {
    void *function;
    int registers, local_bytes; /* per thread; -1: unknown */
};

struct by_hand {
    const struct path_state *state;
    char gpu[128];
    int arch;
    struct by_hand_kernel kernels[BY_HAND_SUMS];
    pixel_t *pixels; /* in memory that the GPU can access */
    void *context, *stream, *before, *after;
    unsigned long long nodes, triangles, materials, lights, on_gpu;
};

struct by_hand_seconds {
    double upload; /* sending the scene */
    double run;    /* the kernel, and the picture's copy to the host */
    double kernel; /* the kernel alone, by the GPU's clock */
};

/* Opens the first GPU; `state` is that of an open application. */
void by_hand_open(const struct path_state *state, struct by_hand *out);
void by_hand_close(struct by_hand *hand);
/* Computes the whole picture into `pixels`. */
struct by_hand_seconds by_hand_run(struct by_hand *hand, enum by_hand_sums sums, int block);

#endif
