/* loops.h - the loops that every runtime of the comparison runs: the same functions over the same
 * memory. So only the distribution of the items differs.
 *
 *     saxpy        y = a x + y. The vectors may be shared with the other programs (a file, given by
 *                  number), so that all read and write the same pages
 *     uneven-up    item i costs in proportion to i: chains of dependent integer steps, which do not
 *     uneven-down  slow down on cores that share execution units. up: the last item costs most
 *     nothing      a call of a function that only counts
 */
#ifndef BENCH_PEERS_LOOPS_H
#define BENCH_PEERS_LOOPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LANES_MAX = 256 };

/* Runs items first .. last - 1; `lane` is the thread's number (0 .. LANES_MAX - 1). */
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
    double steps; /* steps of item 1; item i has i times as many */
    struct loop saxpy, up, down, nothing;
};
extern struct loops loops;

/* `file`: number of an open file to map the vectors from; -1: private memory. Ends the program if
 * there is no memory. */
void loops_open(int64_t floats, int64_t uneven_items, int64_t nothings, int file);
/* NULL: there is no such loop. */
const struct loop *loop_find(const char *name);

/* Call them before and after a run. loop_verify ends the program with a message unless every item
 * was done exactly once. It returns the number of calls of the body (for loop nothing; otherwise
 * 0). */
void loop_prepare(const struct loop *loop);
int64_t loop_verify(const struct loop *loop);

#ifdef __cplusplus
}
#endif
#endif
