/* team.h - PURE. Which devices should do a job together, learned from whole jobs.
 *
 * Devices slow each other down: they share memory, caches, power, even execution units. Speeds
 * measured while all work hide that, so a split by them can end evenly and still be slower than the
 * best device alone. What tells is an experiment: once the speed of all together is known, and the
 * best device does most of the work anyway, it does a few jobs alone. The faster team stays, and
 * now and then the other one is tried again, for machines change.
 */
#ifndef YK_PARTITION_TEAM_H
#define YK_PARTITION_TEAM_H

#include "dispatch.h"

/* What is remembered of one kernel, range and set of devices. Zero: nothing. */
struct yk_team {
    int together_jobs, alone_jobs; /* measured since the last look again */
    double together_rate;          /* items per ns, all devices: of the fastest job lately */
    double latest;                 /* the latest of these, */
    int gaining;                   /* which was faster than the one before */
    double alone_rate;             /* the same of `alone` by itself */
    int alone;                     /* the device that was tried */
    int settled_jobs;              /* done by the better team since */
    int looking;                   /* all are asked again, to see whether that has become better */
};

/* The device that should do the next job alone, or -1: all together. */
int yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices, int count);
/* A whole job of `items` took `ns`, done by device `alone` by itself (whether the others had been
 * left out or got nothing) or (-1) by several, the speed of each known before. */
void yk_team_learn(struct yk_team *team, int alone, int64_t items, int64_t ns);
/* Why a device was left out of the next job, in a sentence. */
void yk_team_explain(const struct yk_team *team, const char *name, char *text, size_t size);

#endif
