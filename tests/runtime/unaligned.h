/* unaligned.h - arrays that begin and end within a page, and jobs that copy them both ways. */
#ifndef UNALIGNED_H
#define UNALIGNED_H

#include <stdint.h>
#include <yoke/yoke.h>

enum { PAGE = 4096, N = 7 * 1024, BINS = 5, SHIFT = 5 };

/* Some bytes before the first whole page and after the last. */
struct unaligned {
    _Alignas(PAGE) float room[3][N + 16];
    int32_t keys[N];
    uint32_t h[BINS];
    float w[BINS];
    float *x, *y, *z;
};
extern struct unaligned unaligned;

void unaligned_fill(struct unaligned *unaligned);
/* y += 2 * x, in chunks; home = 1: results come home as each chunk ends. */
yoke_status unaligned_saxpy(yoke_runtime *rt, yoke_array *x, yoke_array *y, int home);
/* z = sum of x and its neighbours; results come home as each chunk ends. */
yoke_status unaligned_blur(yoke_runtime *rt, yoke_array *x, yoke_array *z);

/* Setup of a group of tests: devices are checked, sizes are small, and pinning costs next to
 * nothing. */
int unaligned_sizes(void **state);

#endif
