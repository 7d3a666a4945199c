/* loops.h - the loops that every runtime of the comparison runs: the same functions over the same
 * memory, so that what differs is who hands out the items.
 *
 *     saxpy        y = a x + y; the vectors may be shared with the other programs (a file given by
 *                  number), so that all read and write the very same pages
 *     uneven-up    item i costs in proportion to i: chains of dependent integer steps, which cores
 *     uneven-down  that share execution units do not slow; up: the last item is the dearest
 *     nothing      a call of a function that only counts
 */
#ifndef BENCH_PEERS_LOOPS_H
#define BENCH_PEERS_LOOPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LANES_MAX = 256 };

/* Items first .. last - 1, by the thread with that number (0 .. LANES_MAX - 1). */
typedef void loop_body(int64_t first, int64_t last, int lane);

struct loop {
    const char *name;
    loop_body *body;
    int64_t items;
};

struct loops {
    float a, *x, *y;
    uint32_t *out;
    int64_t floats, uneven_items;
    double steps; /* of item 1; item i has i times as many */
    struct loop saxpy, up, down, nothing;
};
extern struct loops loops;

/* `file`: number of an open file to map the vectors from; -1: memory of our own. Ends the program
 * if there is no memory. */
void loops_open(int64_t floats, int64_t uneven_items, int64_t nothings, int file);
/* NULL: there is no such loop. */
const struct loop *loop_find(const char *name);

/* Before and after a run: ends the program, with the reason, if not every item was done exactly
 * once. Returns how many calls of the body it took (loop nothing; else 0). */
void loop_prepare(const struct loop *loop);
int64_t loop_verify(const struct loop *loop);

#ifdef __cplusplus
}
#endif
#endif
