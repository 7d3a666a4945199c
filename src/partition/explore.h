/* explore.h - PURE. Which sets of devices ("teams") to try for jobs that repeat many times.
 *
 * A team has overhead beyond its parts (it wakes threads and launches on several devices, notices
 * their ends, and devices slow each other). No model of single devices predicts that: only jobs of
 * that team show it. So each team that might be better is tried for some rounds. (A round is one
 * job, or all kernels of a decomposition.) A trial starts when the most that it can lose is a small
 * part of the total time so far, or less than the team might have saved so far. Its result holds
 * until the machine changes. A team that lost is tried again after a long time, and each time more
 * rarely. A team that could not win even without any overhead is not tried.
 */
#ifndef YK_PARTITION_EXPLORE_H
#define YK_PARTITION_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

enum { YK_EXPLORE_TEAMS = 12, YK_EXPLORE_ROUNDS = 5 };

struct yk_tried_team {
    uint32_t devices;             /* bits; 0: no more teams */
    uint32_t rounds;              /* rounds that counted */
    double ns[YK_EXPLORE_ROUNDS]; /* the latest of them, at rounds % YK_EXPLORE_ROUNDS */
    int recut;                    /* 1: its bounds have changed since these rounds */
    double until_ns;              /* it is not tried again before all_ns reaches this */
};

/* Zero: nothing is known. */
struct yk_explorer {
    struct yk_tried_team team[YK_EXPLORE_TEAMS];
    uint32_t best;   /* the best team; 0: none yet */
    double best_ns;  /* time of its round when it last won a trial; 0: it has won none */
    uint32_t trying; /* the team of the present trial; 0: there is no trial */
    int left;        /* rounds left in the trial */
    int moves;       /* 1: it moves rows */
    int waits;       /* its rounds so far that told nothing about the team */
    double rests;    /* number of rounds without trials, because an earlier process made them */
    int returning;   /* 1: the next round moves the rows back */
    double loses_ns; /* loss of the trial so far */
    double most_ns;  /* loss at which it is given up */
    double all_ns;   /* total time of all rounds */
    double told_ns;  /* that of the rounds that counted: the first ones are cold and move rows */
    double spent_ns; /* part of it that trials lost */
};

/* The team of the next round; 0: use the plan for all devices. */
uint32_t yk_explore_team(const struct yk_explorer *explorer);
/* Sets the first team. */
void yk_explore_begin(struct yk_explorer *explorer, uint32_t devices);
/* Sets the first team to one that an earlier process found best, by trials, in `rounds` rounds. */
void yk_explore_recall(struct yk_explorer *explorer, uint32_t devices, double rounds);
/* Call it if only these devices of the best team did anything in its rounds: from now on they are
 * the best team, with its times. */
void yk_explore_narrow(struct yk_explorer *explorer, uint32_t devices);
/* The team's bounds have changed, so its times so far say little about it. They are used until it
 * has a round with the new bounds. */
void yk_explore_recut(struct yk_explorer *explorer, uint32_t devices);
/* The best team; 0: it had too few rounds. */
uint32_t yk_explore_settled(const struct yk_explorer *explorer);
/* 1: a trial compared it with another one, in this process or an earlier one. */
int yk_explore_has_tried(const struct yk_explorer *explorer);
/* Adds the time of a round that tells nothing about a team: there was no plan yet, or memory was
 * pinned, mapped or a kernel loaded, which later rounds need not do again. What a trial loses by
 * it is charged to the budget, but is no reason to give the team up. */
void yk_explore_wait(struct yk_explorer *explorer, double ns);
/* A round of that team took `ns` in total. */
void yk_explore_note(struct yk_explorer *explorer, uint32_t devices, double ns);
/* The prediction for another team. */
struct yk_explore_offer {
    uint32_t devices;
    double round_ns; /* time of a round, with the present overhead */
    double parts_ns; /* time of its parts alone, without overhead */
    double least_ns; /* parts_ns if uncertain costs were one standard error lower */
    double relief;   /* factor by which its parts may be shorter than with the present devices */
    double move_ns;  /* time to move rows there, and back if it is not expected to win */
};
/* Returns 1 if the budget allows a trial of the team, or if the team might have saved more in the
 * rounds so far than this trial costs and all trials have lost (ski rental). If it moves rows, only
 * rounds that counted are meant. */
int yk_explore_pays(struct yk_explorer *explorer, const struct yk_explore_offer *offer);
/* Starts a trial of a team that pays, or whose predicted gain pays for the move. If the best team
 * has not had a round that tells its time, the other one replaces it without a trial. Returns 0 if
 * another trial runs, if the team was tried and lost, or if an earlier process found the best team
 * and it has had no round yet. */
int yk_explore_try(struct yk_explorer *explorer, uint32_t devices, double move_ns);
/* The ns that trials may still lose. */
double yk_explore_budget(const struct yk_explorer *explorer);
/* A device without a part in a job of the team `asked`. */
struct yk_left_out {
    uint32_t asked;
    int device;
};
/* Writes why the device has no part, by the rounds that were measured. */
void yk_explore_explain(const struct yk_explorer *explorer, const struct yk_left_out *out,
                        char *text, size_t size);
/* Median time of the latest rounds of a team; 0: it has none. */
double yk_explore_ns(const struct yk_explorer *explorer, uint32_t devices);

#endif
