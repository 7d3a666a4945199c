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

#include "../model/fit.h"
#include "dispatch.h"

struct yk_learned {
    double rate, fixed_ns; /* as in yk_split_outcome; rate 0: nobody knows */
    double item_ns;        /* of its chunks, beside their cost; 0: nobody knows */
    double copied_bytes;   /* for an item */
    double grain;          /* items of a chunk, on average */
    double share;          /* of the last job that was everybody's; -1: there was none */
    int steady;            /* its rate was what it had been, nearly: forecasts can be relied on */
    double spread;         /* as in yk_split_device */
    int crowded;           /* others ran beside the last job it had part in */
    int left_out;          /* jobs in a row in which it got nothing, though its speed was known, */
    int patience;          /* and after how many of them that is forgotten; 0: one */
    int passed_over;       /* jobs in a row that were split by lines and of which it got nothing */
    int asked;             /* jobs that it joined, with a part or without: the first one, and those
                              in which nothing but the job was done; counted up to two */
    int waited;            /* its chunks stood behind other jobs' in the last job it had part in */
    int derived;           /* all of that is from jobs of other sizes, by an earlier process */
    int fit_freely;        /* all of the next one's samples are of jobs that `auto` split */
    struct yk_fit fit; /* its part of whole jobs, from submission to the end of its last chunk */
};

/* The job that ended. */
struct yk_learned_job {
    int64_t items;              /* of its range */
    double told_ns;             /* a chunk's cost as the device's description has it; 0: not told */
    int crowded;                /* others ran beside it */
    int everybodys;             /* all devices were asked, this one too */
    int forgives;               /* the device warms up: its speed may be forgotten */
    int64_t begun_ns, ended_ns; /* from submission to when it was done */
    int by_lines;     /* it was split by such lines: who asks at every chunk cuts parts into more of
                         them */
    int tells_lines;  /* nothing else was done in that time, as making memory ready. Together with
                         the next three, which yk_learned_did fills in: a sample for lines */
    uint32_t workers; /* devices that did a part, as bits */
    int untold;       /* so many of them had a speed that nobody knew: they may have been warming
                         up */
    int64_t latest_ns;    /* when the last of their chunks ended */
    double rates, shifts; /* sums of each part's 1/a and T/a, which yk_learned_sum_up fills in, */
    double most_ns;       /* and the largest T */
};

void yk_learned_open(struct yk_learned *out);
/* For each device of the job, before any is noted. */
void yk_learned_did(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                    const struct yk_split_outcome *outcome);
void yk_learned_note(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                     const struct yk_learned_job *job);
/* Of a job that was split by lines, for each device, after it was noted: what its line, which knows
 * this job now, says of its part. */
void yk_learned_sum_up(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                       const struct yk_split_outcome *outcome);
/* Rate, cost and share, for a device whose fixed_ns is what its description told. */
void yk_learned_tell(const struct yk_learned *learned, struct yk_split_device *out);

/* Lines foretell when each device ends on average; but each is a little late, or early, in each
 * job, and the job ends with the latest of them. What lines did not know before the job they know
 * after it, so that is what its time is compared with: the T of papers/004, eq. 2, which makes of
 * the parts' times one, sum of T/a over sum of 1/a; or with the longest part's, if lines gave that
 * one too much, which they know now. */
enum { YK_LATE_RECENT = 5 };
struct yk_late { /* zero: nothing is known */
    uint32_t jobs;
    double part[YK_LATE_RECENT]; /* a job's time over what lines say, latest at jobs - 1 */
};
/* A job ended, and all its devices were noted. Only those count that were split by lines. */
void yk_late_note(struct yk_late *late, const struct yk_learned_job *job);
/* So many times what lines foretell, such a job takes: the middle one of the latest. 0: none has
 * been seen. */
double yk_late_typical(const struct yk_late *late);

/* Whether these lessons are enough for who splits by nothing else: times for parts of whole jobs,
 * and of each device that, or its speed at least, or that it was asked twice and got nothing. A
 * device that does not get ready is done without after some more jobs. Where all were asked twice
 * and there is no such time yet, as one of them was too slow to show its speed at once, speeds do.
 */
int yk_learned_suffices(const struct yk_learned *learned, int count);
/* Their lines beside each other (yk_split_device.line), after yk_learned_tell. Of a device that
 * never had a part of a whole job that of its chunks. */
void yk_learned_lines(const struct yk_learned *learned, struct yk_split_device *out, int count);

/* Devices of one make have the mean of their speeds, and of their shares if each had one, where
 * jobs ran beside each other. What all of such a job wait for, as rows that each device reads
 * whole, then seems to be the time of whoever has least to do, or of who came when nothing stood
 * before it: it would get less and less. */
void yk_learned_level(struct yk_split_device *out, int count);

#endif
