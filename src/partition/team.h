/* team.h - PURE. Which devices should do a job together, learned from whole jobs.
 *
 * Devices slow each other down: they share memory, caches, power, links, even execution units, and
 * the thread that drives a GPU needs a core. Speeds measured while all work hide that, so a split
 * by them can end evenly and still be slower than fewer devices would be. Only an experiment shows
 * it: once the speed of all together is known, some devices are left out of a few jobs
 * (team_next.h), as long as that puts a small part of the work at stake. Times of jobs vary by a
 * tenth, so a trial ends after a job or two if these are clear; otherwise it alternates with the
 * best team known. If the smaller team is no slower, the others stay out, and the search continues
 * from there, down to one device. From time to time all are asked again, because machines change.
 */
#ifndef YK_PARTITION_TEAM_H
#define YK_PARTITION_TEAM_H

#include "dispatch.h"

enum { YK_TEAM_RECENT = 5 };

/* Devices are bits, the first one's is 1. */
struct yk_team_figure {
    uint32_t devices;
    int jobs;                  /* jobs that it did */
    int since;                 /* jobs before this one no longer count */
    double ns[YK_TEAM_RECENT]; /* per item, in the latest jobs, at jobs % YK_TEAM_RECENT */
};

/* What is remembered of one kernel, range and set of devices. Zero: nothing. */
struct yk_team {
    uint32_t all;
    struct yk_team_figure best;   /* the devices that are asked */
    struct yk_team_figure tried;  /* the devices that are tried instead; no jobs: no trial */
    struct yk_team_figure before; /* the larger team in which `best` was found; no jobs: none */
    uint32_t kept; /* devices of the best team that stay: without all of them it was slower; if
                    * only some of a make: without half of that make it was slower */
    int between;   /* 1: a team between the best and the one before may be better than both */
    int rest;      /* jobs of the best team before the trial continues */
    int gaining;   /* 1: the latest job of the best team was faster than the one before */
    int sole, sole_jobs;   /* the device that did all of the latest jobs, and the number of
                            * these jobs in a row */
    int unasked;           /* 1: others are not asked because they got nothing */
    int settled_jobs;      /* jobs of the best team since the latest experiment */
    int looking;           /* 1: all are asked again, to see whether that has become better */
    int looks_less;        /* back-off factor of such looks after a fruitless one */
    uint32_t idle;         /* cores that got nothing in the latest job of the best team */
    int idle_jobs;         /* number of these jobs in a row */
    uint32_t crowded_jobs; /* jobs beside which others ran */
    int excused;           /* deferred jobs in a row that did not count */
};

struct yk_team_job {
    uint32_t asked;
    int crowded;   /* 1: other jobs ran beside it */
    int sole;      /* the device that did all of it, even if others were asked; -1: several did */
    uint32_t idle; /* asked cores whose speed is known and that got nothing */
    int64_t items, ns;
};
/* Notes that a device did `items` items of the job: sets `sole` and `idle`, which start as -1 and
 * none. known_cores: the device is cores whose speed was known. */
void yk_team_did(struct yk_team_job *job, int device, int known_cores, int64_t items);

/* The devices that should do the next job. At most 32 devices. */
uint32_t yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices,
                        int count);
/* The same without experiments: for a job beside others, from which nothing can be learned. */
uint32_t yk_team_settled(const struct yk_team *team, int count);
/* Notes idle cores: waking dozens of them costs more than they add, so after a few such jobs they
 * are not asked. Call for every job, also for crowded ones, which teach only this; before
 * yk_team_learn. */
void yk_team_note_idle(struct yk_team *team, const struct yk_team_job *job);
/* A whole job that taught: the speed of each asked device was known before, and no other job ran
 * meanwhile. */
void yk_team_learn(struct yk_team *team, const struct yk_team_job *job);
/* A job may be slow only because it moved rows to devices; if the rows stay there the next job does
 * not move them. That is known only when the next job begins, so learning from this one is
 * deferred. It does not count if moving rows that stay took a noticeable part of its time
 * (stays_ns). Returns 1 if it counts. Not every job of a row is excused: rows that move back and
 * forth for ever are a cost of the team. */
int yk_team_counts(struct yk_team *team, const struct yk_team_job *job, double stays_ns);
/* Why a device is not among those asked, in one sentence. */
void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size);

static inline uint32_t yk_team_bit(int device)
{
    return (uint32_t)1 << device;
}
/* The team of all `count` devices. */
static inline uint32_t yk_team_all(int count)
{
    return count < 32 ? yk_team_bit(count) - 1 : UINT32_MAX;
}
/* The only device of a team; -1: it has several or none. */
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
