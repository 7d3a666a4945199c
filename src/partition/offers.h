/* offers.h - PURE. Sets of devices ("teams"), and which other team to try after one that is known.
 *
 * A team is a bit for each device. Its neighbours are the team without a make of devices (cores are
 * one make), without half of it, without one device of it, with one more make, or another make
 * instead of the team. The fastest device alone is offered, too: where rows are gathered through
 * the host, leaving out one of many devices gains nothing, and leaving out all but one does. If it
 * is predicted to be the fastest of all, it comes first.
 */
#ifndef YK_PARTITION_OFFERS_H
#define YK_PARTITION_OFFERS_H

#include "explore.h"

enum { YK_TEAM_DEVICES = 32 }; /* at most */

static inline uint32_t yk_team_bit(int device)
{
    return (uint32_t)1 << device;
}
/* The team of all `count` devices. */
static inline uint32_t yk_team_all(int count)
{
    return count < YK_TEAM_DEVICES ? yk_team_bit(count) - 1 : UINT32_MAX;
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

/* Factor by which a team may be faster than its speeds beside other devices, when these no longer
 * use the host's memory. host_memory_part: the part of their time for which they used it, added up:
 * cores all the time, GPUs while they copy. */
double yk_team_relief(double host_memory_part);

struct yk_offers {
    uint32_t team;     /* the present one */
    const int *make;   /* of each device: equal numbers for one make */
    int devices;       /* their number */
    double present_ns; /* a round of the present team, predicted like those of others */
    /* Fills in a prediction for another team, all but round_ns; out->devices are those that would
     * have a part. Returns 0 if the team cannot do the work, or that is unknown. */
    int (*predict)(void *context, uint32_t team, struct yk_explore_offer *out);
    /* Optional. Returns 1 if the team that was predicted last must wait until its memory is ready;
     * then no team is tried yet. */
    int (*awaits)(void *context);
    void *context;
};
/* Offers one team after the other. Returns 1 if the explorer starts a trial: the latest call of
 * `predict` was for that team. */
int yk_offer_others(struct yk_explorer *explorer, const struct yk_offers *offers);

#endif
