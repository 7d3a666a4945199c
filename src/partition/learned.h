/* learned.h - PURE. What is remembered of a device from one job to the next like it: the runtime's
 * memory of a kernel, and the simulator's of its runs.
 *
 * A speed can be wrong for good: measured while a driver warmed up, it makes a device look so slow
 * that it gets nothing, and so it is never measured again. Hence the speed of a device with memory
 * of its own that got nothing is forgotten after a job, the next time after two, then four: it then
 * begins with a small chunk, as if it were new.
 */
#ifndef YK_PARTITION_LEARNED_H
#define YK_PARTITION_LEARNED_H

#include "dispatch.h"

struct yk_learned {
    double rate, fixed_ns; /* as in yk_split_outcome; rate 0: nobody knows */
    double copied_bytes;   /* for an item */
    double grain;          /* items of a chunk, on average */
    double share;          /* of the last job that was everybody's; -1: there was none */
    int steady;            /* its rate was what it had been, nearly: forecasts can be relied on */
    double spread;         /* as in yk_split_device */
    int crowded;           /* others ran beside the last job it had part in */
    int left_out;          /* jobs in a row in which it got nothing, though its speed was known, */
    int patience;          /* and after how many of them that is forgotten; 0: one */
    int waited;            /* its chunks stood behind other jobs' in the last job it had part in */
};

/* The job that ended. */
struct yk_learned_job {
    int64_t items;  /* of its range */
    double told_ns; /* a chunk's cost as the device's description has it; 0: not told */
    int crowded;    /* others ran beside it */
    int everybodys; /* all devices were asked, this one too */
    int forgives;   /* the device warms up: its speed may be forgotten */
};

void yk_learned_open(struct yk_learned *out);
void yk_learned_note(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                     const struct yk_learned_job *job);
/* Rate, cost and share, for a device whose fixed_ns is what its description told. */
void yk_learned_tell(const struct yk_learned *learned, struct yk_split_device *out);

/* Devices of one make have the mean of their speeds, and of their shares if each had one, where
 * jobs ran beside each other. What all of such a job wait for, as rows that each device reads
 * whole, then seems to be the time of whoever has least to do, or of who came when nothing stood
 * before it: it would get less and less. */
void yk_learned_level(struct yk_split_device *out, int count);

#endif
