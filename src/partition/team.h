/* team.h - PURE. Which devices should do a job together, learned from whole jobs.
 *
 * Devices slow each other down: they share memory, caches, power, links, even execution units, and
 * whoever drives a GPU needs a core. Speeds measured while all work hide that, so a split by them
 * can end evenly and still be slower than fewer devices would be. What tells is an experiment: once
 * the speed of all together is known, some are left out of a few jobs (team_next.h), as long as
 * that puts a small part of the work at stake. Times of jobs vary by a tenth, so a trial is over
 * after a job or two if these tell, and else takes turns with the best team known. If it is no
 * slower they stay out, and it goes on from there, down to one device; now and then all are asked
 * again, for machines change.
 */
#ifndef YK_PARTITION_TEAM_H
#define YK_PARTITION_TEAM_H

#include "dispatch.h"

enum { YK_TEAM_RECENT = 5 };

/* Devices are bits, the first one's is 1. */
struct yk_team_figure {
    uint32_t devices;
    int jobs;                  /* it did; */
    int since;                 /* those before this one do not count any more */
    double ns[YK_TEAM_RECENT]; /* for an item, in the latest of them, at jobs % YK_TEAM_RECENT */
};

/* What is remembered of one kernel, range and set of devices. Zero: nothing. */
struct yk_team {
    uint32_t all;
    struct yk_team_figure best;   /* who is asked */
    struct yk_team_figure tried;  /* who is tried instead; no jobs: nobody */
    struct yk_team_figure before; /* a larger team that `best` was found in; no jobs: none */
    uint32_t kept; /* of the best team: without them all it was slower; of some of a make: so it was
                      without half of them */
    int between;   /* a team between the best and the one before may be better than both */
    int rest;      /* jobs of the best team before the trial goes on */
    int gaining;   /* the latest job of the best was faster than the one before */
    int sole, sole_jobs;   /* who did all of the latest jobs, and of how many in a row */
    int unasked;           /* others are not asked since they got nothing */
    int settled_jobs;      /* done by the best team since the latest experiment */
    int looking;           /* all are asked again, to see whether that has become better, */
    int looks_less;        /* and so many times as seldom: it was in vain */
    uint32_t idle;         /* cores that got nothing in the latest job of the best team, */
    int idle_jobs;         /* and in how many in a row */
    uint32_t crowded_jobs; /* beside which others ran */
    int excused;           /* held jobs in a row that did not count */
};

struct yk_team_job {
    uint32_t asked;
    int crowded; /* others ran beside it */
    int sole;    /* the device that did all of it, though others may have been asked; -1: several */
    uint32_t idle; /* of those asked, cores whose speed is known and who got nothing */
    int64_t items, ns;
};
/* One of a job's devices did so many items of it: `sole` and `idle` of a job that begins with -1
 * and none. known_cores: it is cores, and their speed had been known. */
void yk_team_did(struct yk_team_job *job, int device, int known_cores, int64_t items);

/* Those who should do the next job. 32 devices at most. */
uint32_t yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices,
                        int count);
/* The same without experiments: for a job beside which others run, which show nothing. */
uint32_t yk_team_settled(const struct yk_team *team, int count);
/* Idle cores: waking dozens of them costs more than they will add, so after a few such jobs they
 * are not asked. Of every job, also of crowded ones, which teach no more than this; before
 * yk_team_learn. */
void yk_team_note_idle(struct yk_team *team, const struct yk_team_job *job);
/* A whole job that taught: the speed of each that was asked had been known before, and no other
 * job ran meanwhile. */
void yk_team_learn(struct yk_team *team, const struct yk_team_job *job);
/* Rows that such a job moved to devices may be all that made it slow, and where they stay the next
 * one does not move them. That shows when the next one begins: until then it is not learned from,
 * and not at all where moving them took a noticeable part of its time, stays_ns. 1: then it counts.
 * But not every job of a row is excused: rows that go to and fro for ever are what a team costs. */
int yk_team_counts(struct yk_team *team, const struct yk_team_job *job, double stays_ns);
/* Why a device is not among those asked, in a sentence. */
void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size);

static inline uint32_t yk_team_bit(int device)
{
    return (uint32_t)1 << device;
}
/* All of so many devices. */
static inline uint32_t yk_team_all(int count)
{
    return count < 32 ? yk_team_bit(count) - 1 : UINT32_MAX;
}
/* The only one of a team; -1: there are more, or none. */
static inline int yk_team_only(uint32_t devices)
{
    int d = 0;
    if (!devices || (devices & (devices - 1)))
        return -1;
    while (!(devices & yk_team_bit(d)))
        d++;
    return d;
}

#endif
