/* contestant.h - what a program of the comparison supplies, one for each runtime; contestant.c is
 * the rest of it.
 *
 * A contestant obeys one-line commands, does nothing between them, and answers each with one line,
 * so that a driver (bench/peers.py) can let many take turns:
 *
 *     steps N             of item 1 of the uneven loops
 *     open | close        the runtime
 *     run LOOP VARIANT    -> seconds, CPU seconds, seconds its threads waited for a core, calls
 *                         (loop nothing), inner (where it says)
 *     idle SECONDS        -> cores used meanwhile by this program, whose main thread sleeps
 *     startup LOOP VARIANT   opens, runs, closes -> seconds of all three
 *
 * Between commands the runtime is as it lies when nothing is asked of it, but after `hush` it may
 * use no CPU until `wake`.
 */
#ifndef BENCH_PEERS_CONTESTANT_H
#define BENCH_PEERS_CONTESTANT_H

#include "loops.h"

#ifdef __cplusplus
extern "C" {
#endif

struct contestant {
    void (*open)(int threads);
    void (*close)(void);
    /* The loop as the variant says (a schedule, a partitioner, a number of blocks). */
    void (*run)(const struct loop *loop, const char *variant);
    void (*hush)(void); /* NULL: it uses no CPU anyway */
    void (*wake)(void);
};
extern const struct contestant contestant;

/* Seconds of the last run without what a program would do once for many loops; 0: all of it. */
extern double contestant_inner;

double contestant_seconds(void);
/* Ends the program with the reason. */
void contestant_refuse(const char *what, const char *why);

#ifdef __cplusplus
}
#endif
#endif
