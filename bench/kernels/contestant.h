/* contestant.h - a program that solves problems: plain OpenMP, plain CUDA, or yoke on a set of
 * devices.
 *
 * A failure ends the program with a message.
 */
#ifndef CONTESTANT_H
#define CONTESTANT_H

#include "loop.h"

struct contestant {
    const char *name;
    /* Prepares a filled problem and its loop. The problem is borrowed until `detach`. */
    void (*attach)(struct contestant *self, const struct problem *problem, const struct loop *loop);
    void (*run)(struct contestant *self);  /* runs the loop once; on a GPU the data stay there */
    void (*home)(struct contestant *self); /* copies the results to the problem's memory */
    void (*detach)(struct contestant *self);
    void (*close)(struct contestant *self);
};

/* Opens a problem and fills it. */
void contestant_problem(const struct problem_kind *kind, int64_t items, struct problem *out);
/* Waits for 10 ms, because OpenMP's threads spin after a loop and would take cores from others. */
void contestant_rest(void);

/* `file`: the shared object with a struct plain. */
struct contestant *contestant_plain(const char *file);
/* `devices` is as in YOKE_DEVICES, "cpu" or "cuda:0"; NULL: those of YOKE_DEVICES. */
struct contestant *contestant_yoke(const char *devices);

#endif
