/* learned.h - PURE. What is remembered about a device from one job to the next similar one: the
 * runtime's memory of a kernel, and the simulator's memory of its runs.
 *
 * A wrong speed could stay for ever: measured while a driver warmed up, it makes a device look so
 * slow that it gets nothing, and so it is never measured again. Hence the speed of a device with
 * memory of its own that got nothing is forgotten after a job, the next time after two jobs, then
 * four: it then begins with a small chunk, like a new device.
 */
#ifndef YK_PARTITION_LEARNED_H
#define YK_PARTITION_LEARNED_H

#include "../model/fit.h"
#include "dispatch.h"

struct yk_learned {
    double rate, fixed_ns; /* as in yk_split_outcome; rate 0: unknown */
    double cold_ns;        /* what may have been a cold start in its latest job (yk_cold_ns); 0: it
                            * had no part yet */
    double cold;           /* as in yk_split_device */
    double item_ns;        /* of its chunks, without their overhead; 0: unknown */
    double copied_bytes;   /* per item */
    double copying;        /* as in yk_split_device */
    double grain;          /* mean items of a chunk */
    double part;           /* items that it did in the job that showed its rate */
    double share;          /* in the last job for which all devices were asked; -1: there was
                            * none */
    int steady;            /* 1: its rate was nearly the same as before, so predictions are
                            * reliable */
    double spread;         /* as in yk_split_device */
    int crowded;           /* 1: other jobs ran beside the last job in which it had a part */
    int left_out;          /* jobs in a row in which it asked for items and got none although its
                            * speed was known */
    int patience;          /* number of such jobs after which its speed is forgotten; 0 means 1 */
    double core_item_ns;   /* time of an item on one core; 0: unknown, or no CPU */
    int passed_over;       /* jobs in a row that were split by lines and gave it nothing */
    int asked;             /* jobs that it joined, with a part or without: the first one, and
                            * those in which nothing but the job was done; counted up to two */
    int waited;            /* 1: in the last job in which it had a part, its chunks waited
                            * behind those of other jobs */
    int derived;           /* 1: all values are derived from jobs of other sizes, by an earlier
                            * process */
    int tuned;         /* 1: the only sample of `fit` is the device's line alone, which yoke tune
                        * measured; nothing was measured since */
    int fit_freely;    /* 1: all samples of `fit` are of jobs that `auto` split */
    struct yk_fit fit; /* time of its part of whole jobs, from submission to the end of its last
                        * chunk */
};

/* The finished job. */
struct yk_learned_job {
    int64_t items;              /* of its range */
    double told_ns;             /* a chunk's cost in the device's description; 0: not given */
    int crowded;                /* 1: other jobs ran beside it */
    int all_asked;              /* 1: all devices were asked, including this one */
    int forgives;               /* 1: the device warms up, so its speed may be forgotten */
    int64_t begun_ns, ended_ns; /* submission and end */
    int readied;  /* 1: it made memory of the device ready, so that the device is as cold as in its
                   * second job at least */
    int by_lines; /* 1: it was split by lines (`auto` cuts parts into more chunks) */
    int tells_lines;   /* 1: nothing else was done in that time, like making memory ready. A
                        * sample for lines, together with the next three fields, which
                        * yk_learned_did fills in */
    uint32_t workers;  /* devices that did a part, as bits */
    int untold;        /* number of them whose speed was unknown: they may have been warming up */
    int64_t latest_ns; /* end of the last of their chunks */
    double rates, shifts; /* sums over the parts of 1/a and T/a, filled in by yk_learned_sum_up */
    double most_ns;       /* and the largest T */
};

void yk_learned_open(struct yk_learned *out);
/* Call for each device of the job before any is noted. */
void yk_learned_did(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                    const struct yk_split_outcome *outcome);
void yk_learned_note(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                     const struct yk_learned_job *job);
/* For a job that was split by lines: call for each device after all were noted. Adds the time of
 * its part by its line, which includes this job. */
void yk_learned_sum_up(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                       const struct yk_split_outcome *outcome);
/* Writes rate, cost and share for a device whose fixed_ns is the value of its description. */
void yk_learned_tell(const struct yk_learned *learned, struct yk_split_device *out);
/* Returns the part of the copies' time in which a thread was busy with them in the job that showed
 * the device's speed: little if memory is pinned, all of it if rows go through staging buffers, or
 * if nothing is known. */
double yk_learned_bringing(const struct yk_learned *learned, double link_bytes_per_ns);

/* Lines predict the mean end of each device. But each device is a little late or early in each job,
 * and the job ends with the latest of them. A job's time is compared with the lines after the job,
 * so that errors which they have learned do not count: with the T of papers/004, eq. 2, which
 * combines the parts' times into one, sum of T/a over sum of 1/a; or with the time of the longest
 * part, if the lines gave that device too much. */
enum { YK_LATE_RECENT = 5 };
struct yk_late { /* zero: nothing is known */
    uint32_t jobs;
    double part[YK_LATE_RECENT]; /* ratios of a job's time to its time by the lines, latest at
                                  * jobs - 1 */
};
/* A job ended, and all its devices were noted. Only jobs split by lines count. */
void yk_late_note(struct yk_late *late, const struct yk_learned_job *job);
/* Median of the latest ratios of measured to predicted time; 0: none yet. */
double yk_late_typical(const struct yk_late *late);

/* 1: the lessons suffice for a partitioner that splits by lessons alone: times for parts of whole
 * jobs are known, and for each device such a time, or at least its speed, or that it was asked
 * twice and got nothing. A device that does not get ready is ignored after some more jobs. If all
 * were asked twice and there is no such time yet, because one of them was too slow to show its
 * speed at once, speeds suffice. */
int yk_learned_suffices(const struct yk_learned *learned, int count);
/* Sets the devices' lines beside each other (yk_split_device.line); call after yk_learned_tell. A
 * device that never had a part of a whole job gets the line of its chunks. */
void yk_learned_lines(const struct yk_learned *learned, struct yk_split_device *out, int count);

/* If jobs ran beside each other, gives devices of one make the mean of their speeds, and of their
 * shares if each had one. The time that all such chunks wait, for example for rows that each device
 * reads whole, would otherwise count for the device with the least work, or for the one that came
 * when nothing was queued before it: its share would shrink from job to job. */
void yk_learned_level(struct yk_split_device *out, int count);

#endif
