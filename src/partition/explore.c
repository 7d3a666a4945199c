/* explore.c - see explore.h: tries teams of devices within a budget. */
#include "explore.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/words.h"
#include "../model/cost.h"
#include "trial.h"

/* All teams may be tried again when a round of the best team takes SLOWER times as long as when it
 * won: then the machine has changed. */
#define SLOWER 1.15
/* Standard deviation of a normal distribution beside its median absolute deviation. */
#define MEDIAN_TO_DEVIATION 1.4826

/* The team's entry; NULL: it has none. */
static const struct yk_tried_team *look_up(const struct yk_explorer *explorer, uint32_t devices)
{
    int i;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++)
        if (explorer->team[i].devices == devices)
            return &explorer->team[i];
    return NULL;
}

/* A place for a new entry: a free one, or that of the team that may be tried again first. The best
 * team and the one on trial keep theirs. */
static int place_of(const struct yk_explorer *explorer)
{
    int i, found = -1;
    for (i = 0; i < YK_EXPLORE_TEAMS; i++) {
        const struct yk_tried_team *team = &explorer->team[i];
        if (!team->devices)
            return i;
        if (team->devices != explorer->best && team->devices != explorer->trying &&
            (found < 0 || team->until_ns < explorer->team[found].until_ns))
            found = i;
    }
    return found;
}

/* The team's entry, which is made if there is none. */
static struct yk_tried_team *find(struct yk_explorer *explorer, uint32_t devices)
{
    const struct yk_tried_team *known = look_up(explorer, devices);
    const int place = known ? (int)(known - explorer->team) : place_of(explorer);
    if (!known)
        explorer->team[place] = (struct yk_tried_team){ .devices = devices };
    return &explorer->team[place];
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
    const struct yk_tried_team *team = look_up(explorer, devices);
    return team ? typical(team) : 0;
}

uint32_t yk_explore_team(const struct yk_explorer *explorer)
{
    return explorer->trying ? explorer->trying : explorer->best;
}

double yk_explore_budget(const struct yk_explorer *explorer)
{
    return YK_TRIAL_BUDGET * explorer->all_ns - explorer->spent_ns;
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
    explorer->rests = (YK_TRIAL_AGAIN - 1) * rounds;
}

void yk_explore_narrow(struct yk_explorer *explorer, uint32_t devices)
{
    struct yk_tried_team *before = find(explorer, explorer->best), *rest;
    const struct yk_tried_team times = *before;
    before->until_ns = YK_TRIAL_AGAIN * explorer->all_ns;
    rest = find(explorer, devices);
    *rest = times;
    rest->devices = devices;
    yk_explore_begin(explorer, devices);
}

void yk_explore_recut(struct yk_explorer *explorer, uint32_t devices)
{
    if (devices)
        find(explorer, devices)->recut = 1;
}

uint32_t yk_explore_settled(const struct yk_explorer *explorer)
{
    const struct yk_tried_team *best = look_up(explorer, explorer->best);
    const int measured = best && best->rounds >= YK_EXPLORE_ROUNDS;
    return measured || yk_explore_has_tried(explorer) ? explorer->best : 0;
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
    tried->until_ns = YK_TRIAL_AGAIN * explorer->all_ns;
    explorer->best_ns = yk_explore_ns(explorer, explorer->best);
    explorer->trying = 0;
    explorer->returning = 1;
}

/* Charges the budget with what a trial's round takes longer than the best team's. Returns that. */
static double charge(struct yk_explorer *explorer, double ns)
{
    const double lost_ns = fmax(0, ns - yk_explore_ns(explorer, explorer->best));
    explorer->spent_ns += lost_ns;
    return lost_ns;
}

/* Adds the loss of a trial's round. Returns 1 if the trial has lost so much that it is given up. */
static int is_hopeless(struct yk_explorer *explorer, double ns)
{
    explorer->loses_ns += charge(explorer, ns);
    return explorer->loses_ns > explorer->most_ns;
}

void yk_explore_wait(struct yk_explorer *explorer, double ns)
{
    explorer->all_ns += ns;
    if (!explorer->trying)
        return;
    charge(explorer, ns);
    if (++explorer->waits > YK_TRIAL_TELLING) /* otherwise it might never end */
        lose(explorer, find(explorer, explorer->trying));
}

/* The latest round is number 1, the one before number 2. */
static double round_ago(const struct yk_tried_team *team, uint32_t number)
{
    return team->ns[(team->rounds - number) % YK_EXPLORE_ROUNDS];
}

static double shortest(const struct yk_tried_team *team)
{
    double least = INFINITY;
    int i;
    for (i = 0; i < recent(team); i++)
        least = fmin(least, team->ns[i]);
    return least;
}

/* Whether the team may still become faster than `limit`: it has had a few rounds, and the next one
 * would be as fast if it took as much less than the latest one as that took less than the one
 * before. The first rounds are slower because code, caches and drivers are cold. (Two H200s, jobs
 * of 60 us: 231, 91, 80, 76 us.) */
static int warms_up(const struct yk_tried_team *team, double limit)
{
    double latest;
    if (team->rounds < YK_LASTING || team->rounds >= YK_EXPLORE_ROUNDS)
        return 0;
    latest = round_ago(team, 1);
    return latest <= shortest(team) && 2 * latest - round_ago(team, 2) < limit;
}

static void add(struct yk_tried_team *team, double ns)
{
    if (team->recut)
        team->rounds = 0;
    team->recut = 0;
    team->ns[team->rounds++ % YK_EXPLORE_ROUNDS] = ns;
}

/* Standard error of the difference of two teams' medians. */
static double error_between(const struct yk_tried_team *one, const struct yk_tried_team *other)
{
    const double noise = noise_of(one, other);
    return hypot(error_of(one, noise), error_of(other, noise));
}

/* The difference is so large that more rounds would change nothing. */
static int is_clear(const struct yk_tried_team *best, const struct yk_tried_team *tried)
{
    return tried->rounds >= YK_LASTING &&
           fabs(typical(tried) - typical(best)) > YK_CLEAR * error_between(best, tried);
}

/* Whether the best team, which a trial has beaten, might be faster than it seems: it still warms
 * up, or its only round had the first bounds of its rows. */
static int is_misjudged(const struct yk_explorer *explorer, const struct yk_tried_team *best,
                        double limit)
{
    return (explorer->moves && best->rounds < YK_LASTING) || warms_up(best, limit);
}

static void judge(struct yk_explorer *explorer, struct yk_tried_team *tried)
{
    struct yk_tried_team *best = find(explorer, explorer->best);
    const double error = error_between(best, tried);
    if (typical(tried) + error < typical(best)) {
        /* The machine may have changed when the trial began, so it may be tried at once. */
        best->until_ns = explorer->all_ns;
        best->recut |= is_misjudged(explorer, best, typical(tried));
        explorer->best = tried->devices;
        explorer->best_ns = typical(tried);
        explorer->trying = 0;
    } else if (warms_up(tried, typical(best))) {
        explorer->left = 1;
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
    explorer->told_ns += ns;
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
    if (--explorer->left >= YK_TRIAL_TELLING)
        return;
    add(team, ns);
    if (explorer->left == 0 || is_clear(find(explorer, explorer->best), team))
        judge(explorer, team);
}

int yk_explore_try(struct yk_explorer *explorer, uint32_t devices, double move_ns)
{
    const double now = yk_explore_ns(explorer, explorer->best);
    struct yk_tried_team *team;
    if (explorer->trying || !devices || devices == explorer->best)
        return 0;
    team = find(explorer, devices);
    if (explorer->all_ns < team->until_ns || (!(now > 0) && explorer->rests > 0))
        return 0;
    if (!(now > 0)) { /* a trial would have nothing to compare with */
        yk_explore_begin(explorer, devices);
        return 1;
    }
    team->rounds = 0;
    explorer->trying = devices;
    explorer->moves = move_ns > 0;
    explorer->left = YK_TRIAL_TELLING + explorer->moves; /* one moves rows */
    explorer->loses_ns = explorer->waits = 0;
    explorer->most_ns = move_ns + explorer->left * now;
    return 1;
}

/* Rounds after which a team that loses so much in each is clearly slower. */
static double rounds_to_tell(struct yk_explorer *explorer, double loss_ns)
{
    const struct yk_tried_team *best = find(explorer, explorer->best);
    const double noise_ns = noise_of(best, best) * typical(best);
    const double sure = loss_ns > 0 && best->rounds >= YK_LASTING
                            ? pow(YK_CLEAR * noise_ns / loss_ns, 2)
                            : YK_TRIAL_TELLING;
    return fmin(fmax(YK_LASTING, ceil(sure)), YK_TRIAL_TELLING);
}

/* Standard normal distribution: density, and probability of less. */
static double density(double z)
{
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

static double less(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* Expected excess of `limit` over a normally distributed time. */
static double excess(double limit, double mean, double deviation)
{
    const double z = (limit - mean) / deviation;
    return deviation > 0 ? (limit - mean) * less(z) + deviation * density(z)
                         : fmax(0, limit - mean);
}

/* Expected gain of a round (the "expected improvement" of Bayesian optimisation): the excess of the
 * present time over the other team's, which is not negative. Half of what relief promises is
 * expected. */
static double expected_gain(const struct yk_explore_offer *offer, double now)
{
    const double mean = 2 * offer->parts_ns / (1 + offer->relief);
    const double deviation = offer->parts_ns * log(offer->parts_ns / offer->least_ns);
    return excess(now, mean, deviation) - excess(0, mean, deviation);
}

int yk_explore_pays(struct yk_explorer *explorer, const struct yk_explore_offer *offer)
{
    const double now = yk_explore_ns(explorer, explorer->best);
    const struct yk_tried_team *tried = look_up(explorer, offer->devices);
    const double before = tried && !tried->recut ? typical(tried) : 0;
    const double loss_ns = fmax(0, fmax(offer->round_ns, before) - now);
    const double rounds = (offer->move_ns > 0) + rounds_to_tell(explorer, loss_ns);
    const double seen_ns = offer->move_ns > 0 ? explorer->told_ns : explorer->all_ns;
    double gain_ns, most_ns = yk_explore_budget(explorer);
    if (explorer->rests > 0 || !(now > 0) || offer->least_ns / offer->relief >= now)
        return 0;
    gain_ns = before > 0 ? fmax(0, now - before) : expected_gain(offer, now);
    most_ns = fmax(most_ns, seen_ns * gain_ns / now - explorer->spent_ns);
    return offer->move_ns + rounds * loss_ns < most_ns;
}

/* The shortest measured round of a team with the device; 0: none was measured. */
static double shortest_with(const struct yk_explorer *explorer, int device)
{
    double shortest = 0;
    int t;
    for (t = 0; t < YK_EXPLORE_TEAMS; t++) {
        const struct yk_tried_team *team = &explorer->team[t];
        const double ns = team->devices >> device & 1 ? typical(team) : 0;
        if (ns > 0 && (shortest <= 0 || ns < shortest))
            shortest = ns;
    }
    return shortest;
}

void yk_explore_explain(const struct yk_explorer *explorer, const struct yk_left_out *out,
                        char *text, size_t size)
{
    const double best = yk_explore_ns(explorer, explorer->best);
    const double with = shortest_with(explorer, out->device);
    if (out->asked != explorer->best && best > 0)
        snprintf(text, size,
                 "left out for a trial: with the best devices so far the kernels on these arrays "
                 "took %s",
                 yk_time_words(best).text);
    else if (best > 0 && with > 0)
        snprintf(text, size,
                 "does not pay: the kernels on these arrays take %s without it, %s with it",
                 yk_time_words(best).text, yk_time_words(with).text);
    else
        snprintf(text, size,
                 "no part of these arrays: by what is known of the devices, the kernels end sooner "
                 "without it");
}
