/* by_hand.h - the path tracer's plain kernel on a GPU without yoke: a thread follows the paths of a
 * pixel, one after another; NVRTC, the driver, and nothing between them.
 *
 * The text is what the build made of apps/path/path_kernels.c for CUDA. Every failure ends the
 * program, with the reason.
 */
#ifndef BENCH_PATH_BY_HAND_H
#define BENCH_PATH_BY_HAND_H

#include "path/path_state.h"

/* Separate products and sums, as yoke has them so that all devices agree, or fused where the
 * compiler likes: faster, and another picture. */
enum by_hand_sums { BY_HAND_EXACT, BY_HAND_FUSED, BY_HAND_SUMS };

struct by_hand_kernel {
    void *function;
    int registers, local_bytes; /* of a thread; -1: not told */
};

struct by_hand {
    const struct path_state *state;
    char gpu[128];
    int arch;
    struct by_hand_kernel kernels[BY_HAND_SUMS];
    pixel_t *pixels; /* in memory that the GPU reaches */
    void *context, *stream, *before, *after;
    unsigned long long nodes, triangles, materials, lights, on_gpu;
};

struct by_hand_seconds {
    double upload; /* of the scene */
    double run;    /* kernel and picture back on the host */
    double kernel; /* by the GPU's clock */
};

/* On the first GPU; the state is that of an open application. */
void by_hand_open(const struct path_state *state, struct by_hand *out);
void by_hand_close(struct by_hand *hand);
/* All of the picture into `pixels`. */
struct by_hand_seconds by_hand_run(struct by_hand *hand, enum by_hand_sums sums, int block);

#endif
