/* contestant.h - what each program of the comparison supplies, one program per runtime.
 * contestant.c is the rest of the program.
 *
 * A contestant reads one-line commands, does nothing between them, and answers each with one line.
 * So a driver (bench/peers.py) can alternate many contestants:
 *
 *     steps N            sets the steps of item 1 of the uneven loops
 *     open | close       opens or closes the runtime
 *     run LOOP VARIANT   -> seconds, CPU seconds, seconds that its threads waited for a core, calls
 *                        (only for loop nothing), inner (seconds of a part of the run)
 *     idle SECONDS       -> cores that the program uses while its main thread sleeps
 *     startup LOOP VARIANT   opens, runs, closes -> seconds of all three
 *     hush | wake        see struct contestant
 *
 * Between commands the runtime stays idle. From `hush` to `wake` it must use no CPU.
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
    /* Runs the loop in the given variant (a schedule, a partitioner, a number of blocks). */
    void (*run)(const struct loop *loop, const char *variant);
    void (*hush)(void); /* NULL: the runtime uses no CPU when idle */
    void (*wake)(void);
};
extern const struct contestant contestant;

/* Seconds of the last run, without work that a program would do only once for many loops; 0: all of
 * the run. */
extern double contestant_inner;

double contestant_seconds(void);
/* Ends the program with a message. */
void contestant_refuse(const char *what, const char *why);

#ifdef __cplusplus
}
#endif
#endif
