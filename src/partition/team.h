/* team.h - PURE. Which devices do a job without a plan (plan.h), learned from whole jobs.
 *
 * Devices slow each other: they share memory, links, power, even execution units, and the thread
 * that drives a GPU needs a core. Speeds measured while all work do not show that, so a split by
 * them can end evenly and still be slower than fewer devices would be. So other sets of devices
 * ("teams", offers.h) are tried, as often and as long as explore.h allows. Devices that got nothing
 * in two jobs in a row take no more part: waking them costs time.
 */
#ifndef YK_PARTITION_TEAM_H
#define YK_PARTITION_TEAM_H

#include "dispatch.h"
#include "offers.h"

/* What is remembered of one kernel, range and set of devices. Zero: nothing. */
struct yk_team {
    uint32_t all; /* all devices, as bits: bit d is device d */
    struct yk_explorer explorer;
    uint32_t idle;  /* devices of the best team that got nothing in its latest job */
    int idle_jobs;  /* number of such jobs in a row */
    uint32_t spare; /* devices that take no part because they were idle */
    int vain;       /* times in a row that other teams were offered in vain */
    int pause;      /* jobs until other teams are offered again */
};

/* The next job. */
struct yk_team_asks {
    const struct yk_split_device *devices;
    int count; /* at most YK_TEAM_DEVICES */
    double items;
    int crowded; /* 1: other jobs run beside it: nothing is tried */
};
/* The devices that should do it, as bits. */
uint32_t yk_team_choose(struct yk_team *team, const struct yk_team_asks *asks);

/* A finished job. */
struct yk_team_job {
    uint32_t asked;
    uint32_t idle;     /* asked devices that got nothing (yk_team_did) */
    uint32_t hindered; /* devices that could not work for it all the time, so that it tells nothing
                        * if they got nothing: other jobs may have kept them busy, or their kernel
                        * was not ready */
    int crowded;       /* 1: other jobs ran beside it */
    int tells;         /* 1: its time tells how fast the team is: no device was tried (yk_team_did),
                        * and nothing else was done */
    double ns;
};
/* Notes the items that a device did in the job. rate: its speed before the job; 0: unknown, so that
 * its first chunks were a trial. */
static inline void yk_team_did(struct yk_team_job *job, int device, double rate, int64_t items)
{
    if (items == 0)
        job->idle |= job->asked & yk_team_bit(device);
    else if (!(rate > 0))
        job->tells = 0;
}
void yk_team_note(struct yk_team *team, const struct yk_team_job *job);

/* Writes a sentence: why a device is not in the team `asked`. */
void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size);

#endif
