/* explore.h - PURE. Which sets of devices ("teams") to try for jobs that come again and again.
 *
 * What a team takes beside its parts (to wake and launch on several devices, to notice their ends,
 * what they cost each other) no model of single devices tells: only jobs of that team do. So each
 * team that might be better is tried, for some rounds of all kernels of a decomposition, as soon as
 * the most that this can lose is no more than a small part of all time so far, or than what the
 * team might have saved so far. What is found holds until the machine changes; long afterwards it
 * is tried again, ever more seldom. A team that could not win even if it were free of all that is
 * on top of its parts is not tried.
 */
#ifndef YK_PARTITION_EXPLORE_H
#define YK_PARTITION_EXPLORE_H

#include <stdint.h>

enum { YK_EXPLORE_TEAMS = 12, YK_EXPLORE_ROUNDS = 5 };

struct yk_tried_team {
    uint32_t devices;             /* bits; 0: no more teams */
    uint32_t rounds;              /* that told, */
    double ns[YK_EXPLORE_ROUNDS]; /* the latest of them, at rounds % YK_EXPLORE_ROUNDS */
    double until_ns; /* it is not tried again before all rounds took so long together */
};

/* Zero: nothing is known. */
struct yk_explorer {
    struct yk_tried_team team[YK_EXPLORE_TEAMS];
    uint32_t best;   /* that team; 0: none yet */
    double best_ns;  /* a round of it took so long when it last won; 0: it never had to */
    uint32_t trying; /* another one instead; 0: none */
    int left;        /* rounds that the trial goes on, the first of which only moves rows */
    int returning;   /* the next round moves them back */
    double loses_ns; /* the trial has lost so much, */
    double most_ns;  /* and is given up when that is more than this */
    double all_ns;   /* all rounds took, */
    double spent_ns; /* and what trials lost of it */
};

/* The team of the next round; 0: whatever the plan for all devices says. */
uint32_t yk_explore_team(const struct yk_explorer *explorer);
/* The first one. */
void yk_explore_begin(struct yk_explorer *explorer, uint32_t devices);
/* Jobs that are no round of a team, as those before there was a plan, took so long. */
void yk_explore_wait(struct yk_explorer *explorer, double ns);
/* A round of that team took so long, all of it. */
void yk_explore_note(struct yk_explorer *explorer, uint32_t devices, double ns);
/* What is foreseen of another team. */
struct yk_explore_offer {
    uint32_t devices;
    double round_ns; /* of a round, with what comes on top of parts now; */
    double parts_ns; /* its parts alone, */
    double relief;   /* by which factor these may be shorter than with the devices of now */
    double move_ns;  /* to move rows there and back */
};
/* It is tried from now on, and 1 returned, if the budget allows that, or if it might have saved in
 * all rounds so far what the trial costs (ski rental). */
int yk_explore_offer(struct yk_explorer *explorer, const struct yk_explore_offer *offer);
/* The same where a gain is foreseen that pays for the move. 0: it was tried, and lost. */
int yk_explore_try(struct yk_explorer *explorer, uint32_t devices, double move_ns);
/* What a trial may lose by now. */
double yk_explore_budget(const struct yk_explorer *explorer);
/* Of a team that was tried, the middle one of its latest rounds; 0: it was not. */
double yk_explore_ns(const struct yk_explorer *explorer, uint32_t devices);

#endif
