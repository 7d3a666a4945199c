/* contestant.h - who solves problems: plain OpenMP, plain CUDA, or yoke on a set of devices.
 *
 * Failures end the program, with the reason.
 */
#ifndef CONTESTANT_H
#define CONTESTANT_H

#include "loop.h"

struct contestant {
    const char *name;
    /* A filled problem, which is borrowed until `detach`, and its loop. */
    void (*attach)(struct contestant *self, const struct problem *problem, const struct loop *loop);
    void (*run)(struct contestant *self);  /* all steps once; on a GPU with data resident there */
    void (*home)(struct contestant *self); /* brings the arrays to the problem's memory */
    void (*detach)(struct contestant *self);
    void (*close)(struct contestant *self);
};

/* `file`: the shared object of a struct plain. */
struct contestant *contestant_plain(const char *file);
/* As YOKE_DEVICES says them, "cpu" or "cuda:0". */
struct contestant *contestant_yoke(const char *devices);

#endif
