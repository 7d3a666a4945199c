/* explore.c - see explore.h: tries teams of devices within a budget. */
#include "explore.h"

#include <math.h>
#include <string.h>

#include "../model/cost.h"

/* Trials may lose this part of the total time. */
#define BUDGET 0.03
/* Rounds of a trial that count; one before them moves rows. */
enum { TELLING = 4 };
/* A team that lost is tried again when the total time has grown by this factor, ... */
#define AGAIN 4.0
/* ... or when a round of the best team takes SLOWER times as long as when it won: then the machine
 * has changed. */
#define SLOWER 1.15
/* A trial is given up when it has lost HOPELESS times the expected time of its move and its rounds.
 */
#define HOPELESS 2.0
/* Standard deviation of a normal distribution beside its median absolute deviation. */
#define MEDIAN_TO_DEVIATION 1.4826

static struct yk_tried_team *find(struct yk_explorer *explorer, uint32_t devices)
{
    int i = 0;
    while (i < YK_EXPLORE_TEAMS - 1 && explorer->team[i].devices &&
           explorer->team[i].devices != devices)
        i++;
    if (explorer->team[i].devices != devices)
        explorer->team[i] = (struct yk_tried_team){ .devices = devices };
    return &explorer->team[i];
}

static int recent(const struct yk_tried_team *team)
{
    return team->rounds < YK_EXPLORE_ROUNDS ? (int)team->rounds : YK_EXPLORE_ROUNDS;
}

/* The lower median; sorts the values. */
static double median(double *values, int count)
{
    int i, j;
    for (i = 1; i < count; i++)
        for (j = i; j > 0 && values[j - 1] > values[j]; j--) {
            const double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
        }
    return count > 0 ? values[(count - 1) / 2] : 0;
}

/* The median of the latest rounds: one round during which the machine was busy with something else
 * has no effect. */
static double typical(const struct yk_tried_team *team)
{
    double ns[YK_EXPLORE_ROUNDS];
    memcpy(ns, team->ns, sizeof ns);
    return median(ns, recent(team));
}

/* Relative distances of a team's latest rounds to their median; returns their number. */
static int distances(const struct yk_tried_team *team, double *out)
{
    const double middle = typical(team);
    int i, count = recent(team);
    for (i = 0; i < count; i++)
        out[i] = fabs(team->ns[i] - middle) / middle;
    return count;
}

/* Relative standard deviation of a round. Noise belongs to the machine, so both teams show it; and
 * the first rounds of a program, which warm it up, are outliers. */
static double noise_of(const struct yk_tried_team *one, const struct yk_tried_team *other)
{
    double all[2 * YK_EXPLORE_ROUNDS];
    const int count = distances(one, all);
    return MEDIAN_TO_DEVIATION * median(all, count + distances(other, all + count));
}

/* Standard error of the median. */
static double error_of(const struct yk_tried_team *team, double noise)
{
    return noise * typical(team) / sqrt(fmax(1, recent(team)));
}

double yk_explore_ns(const struct yk_explorer *explorer, uint32_t devices)
{
    int i;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++)
        if (explorer->team[i].devices == devices)
            return typical(&explorer->team[i]);
    return 0;
}

uint32_t yk_explore_team(const struct yk_explorer *explorer)
{
    return explorer->trying ? explorer->trying : explorer->best;
}

double yk_explore_budget(const struct yk_explorer *explorer)
{
    return BUDGET * explorer->all_ns - explorer->spent_ns;
}

void yk_explore_begin(struct yk_explorer *explorer, uint32_t devices)
{
    explorer->best = devices;
    explorer->trying = 0;
    explorer->rests = 0;
}

void yk_explore_recall(struct yk_explorer *explorer, uint32_t devices, double rounds)
{
    yk_explore_begin(explorer, devices);
    explorer->rests = (AGAIN - 1) * rounds;
}

uint32_t yk_explore_settled(const struct yk_explorer *explorer)
{
    int i;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++)
        if (explorer->team[i].devices == explorer->best &&
            explorer->team[i].rounds >= YK_EXPLORE_ROUNDS)
            return explorer->best;
    return yk_explore_has_tried(explorer) ? explorer->best : 0;
}

int yk_explore_has_tried(const struct yk_explorer *explorer)
{
    int i, tried = explorer->rests > 0;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++)
        tried |= explorer->team[i].until_ns > 0;
    return tried;
}

/* The team is not tried again for a long time. */
static void lose(struct yk_explorer *explorer, struct yk_tried_team *tried)
{
    tried->until_ns = AGAIN * explorer->all_ns;
    explorer->best_ns = yk_explore_ns(explorer, explorer->best);
    explorer->trying = 0;
    explorer->returning = 1;
}

/* Adds the loss of a trial's round. Returns 1 if the trial has lost so much that it is given up. */
static int is_hopeless(struct yk_explorer *explorer, double ns)
{
    const double lost_ns = fmax(0, ns - yk_explore_ns(explorer, explorer->best));
    explorer->spent_ns += lost_ns;
    explorer->loses_ns += lost_ns;
    return explorer->loses_ns > explorer->most_ns;
}

void yk_explore_wait(struct yk_explorer *explorer, double ns)
{
    explorer->all_ns += ns;
    if (explorer->trying && is_hopeless(explorer, ns))
        lose(explorer, find(explorer, explorer->trying));
}

static void add(struct yk_tried_team *team, double ns)
{
    team->ns[team->rounds++ % YK_EXPLORE_ROUNDS] = ns;
}

static void judge(struct yk_explorer *explorer, struct yk_tried_team *tried)
{
    struct yk_tried_team *best = find(explorer, explorer->best);
    const double noise = noise_of(best, tried);
    const double error = YK_SURE * hypot(error_of(best, noise), error_of(tried, noise));
    if (typical(tried) + error < typical(best)) {
        best->until_ns = AGAIN * explorer->all_ns;
        explorer->best = tried->devices;
        explorer->best_ns = typical(tried);
        explorer->trying = 0;
    } else {
        lose(explorer, tried);
    }
}

/* All teams may be tried again if the best one has become slower. */
static void watch(struct yk_explorer *explorer, const struct yk_tried_team *best)
{
    int i;
    if (recent(best) < YK_EXPLORE_ROUNDS)
        return;
    if (explorer->rests > 0 && explorer->best_ns <= 0)
        explorer->best_ns = typical(best); /* it won in an earlier process */
    if (explorer->best_ns <= 0 || typical(best) < SLOWER * explorer->best_ns)
        return;
    explorer->rests = 0;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++)
        explorer->team[i].until_ns = 0;
    explorer->best_ns = typical(best);
}

void yk_explore_note(struct yk_explorer *explorer, uint32_t devices, double ns)
{
    struct yk_tried_team *team;
    if (!devices || !(ns > 0))
        return;
    team = find(explorer, devices);
    explorer->all_ns += ns;
    explorer->rests = fmax(0, explorer->rests - 1);
    if (devices != explorer->trying) {
        if (explorer->returning)
            explorer->spent_ns += fmax(0, ns - typical(team));
        else if (devices == explorer->best)
            add(team, ns);
        explorer->returning = 0;
        watch(explorer, team);
        return;
    }
    if (is_hopeless(explorer, ns)) {
        lose(explorer, team);
        return;
    }
    if (--explorer->left < TELLING)
        add(team, ns);
    if (explorer->left == 0)
        judge(explorer, team);
}

int yk_explore_try(struct yk_explorer *explorer, uint32_t devices, double move_ns)
{
    struct yk_tried_team *team;
    if (explorer->trying || !devices || devices == explorer->best)
        return 0;
    team = find(explorer, devices);
    if (explorer->all_ns < team->until_ns)
        return 0;
    team->rounds = 0;
    explorer->trying = devices;
    explorer->left = TELLING + 1;
    explorer->loses_ns = 0;
    explorer->most_ns =
        HOPELESS * (move_ns + (TELLING + 1) * yk_explore_ns(explorer, explorer->best));
    return 1;
}

int yk_explore_offer(struct yk_explorer *explorer, const struct yk_explore_offer *offer)
{
    const double now = yk_explore_ns(explorer, explorer->best);
    const double most_ns = offer->move_ns + (TELLING + 1) * fmax(0, offer->round_ns - now);
    double saved_ns;
    if (explorer->rests > 0)
        return 0;
    if (!(now > 0) || offer->parts_ns / offer->relief >= now)
        return 0; /* it cannot win */
    saved_ns = explorer->all_ns * (1 - offer->parts_ns / now) - explorer->spent_ns;
    return most_ns <= fmax(yk_explore_budget(explorer), saved_ns) &&
           yk_explore_try(explorer, offer->devices, offer->move_ns);
}
