/* team.c - see team.h: learns from whole jobs which devices to ask. */
#include "team.h"

#include <math.h>
#include <stdio.h>

#include "../base/words.h"
#include "team_next.h"

/* Jobs of a team in a row: the first one after a change moves rows. */
enum { TRIES = 2 };
/* Jobs of the best team before a trial, to have something to compare with. */
enum { TRIES_FIRST = 3 };
/* While all devices find their shares and pin the GPUs' memory: as long as a job is faster than all
 * before by this factor there is another one, up to TRIES_MOST. */
#define STILL_GAINING 1.15
enum { TRIES_MOST = 8 };
/* Later, a job faster than all before by this factor, after at least KNOWN_JOBS, means that the
 * machine has changed: another program's load has ended. */
#define CHANGED 1.15
enum { KNOWN_JOBS = 3 };
/* A smaller difference is noise. */
#define CLEARLY 1.01
/* A trial ends at once with a job slower than the slowest recent one by this factor, ... */
#define HOPELESS 1.1
/* ... and after two jobs if the faster one was slower than usual by this factor. */
#define SLOWER 1.02
/* If a smaller team gained this factor, teams between it and the larger one are not tried: they
 * could hardly gain more. */
#define GAINED 1.05
/* A smaller team that later turns out to be slower by this factor had won by luck. */
#define LUCKY 1.03
/* Jobs after which all devices are asked again; twice as many after each fruitless time, up to
 * LOOK_LESS_MOST times as many. */
enum { LOOK_AGAIN = 100, LOOK_LESS_MOST = 8 };

/* The part of a job's time that counts as noticeable, and the most jobs in a row that are excused.
 */
#define NOTICEABLE 0.05
enum { EXCUSED_MOST = 4 };

/* Number of the latest jobs that count. */
static int recent(const struct yk_team_figure *figure)
{
    int jobs = figure->jobs - figure->since;
    return jobs < YK_TEAM_RECENT ? jobs : YK_TEAM_RECENT;
}

/* Delays come and go, and some teams are delayed more than others, so the median of the latest jobs
 * says most; of an even number the faster of the two, because a team's first job moves rows. */
double yk_team_typical_ns(const struct yk_team_figure *figure)
{
    int count = recent(figure), i, j;
    for (i = 1; i <= count; i++) {
        double one = figure->ns[(figure->jobs - i) % YK_TEAM_RECENT];
        int below = 0, equal = 0;
        for (j = 1; j <= count; j++) {
            double other = figure->ns[(figure->jobs - j) % YK_TEAM_RECENT];
            below += other < one;
            equal += other == one;
        }
        if (below <= (count - 1) / 2 && below + equal > (count - 1) / 2)
            return one;
    }
    return 0;
}

static double latest_ns(const struct yk_team_figure *figure)
{
    return figure->jobs > 0 ? figure->ns[(figure->jobs - 1) % YK_TEAM_RECENT] : 0;
}

/* The fastest of the latest jobs (fmin), or the slowest (fmax). */
static double extreme_ns(const struct yk_team_figure *figure, double further(double, double))
{
    double found = latest_ns(figure);
    int i;
    for (i = 2; i <= recent(figure); i++)
        found = further(found, figure->ns[(figure->jobs - i) % YK_TEAM_RECENT]);
    return found;
}

static double slowest_ns(const struct yk_team_figure *figure)
{
    return extreme_ns(figure, fmax);
}

static struct yk_words items_us(const struct yk_team_figure *figure)
{
    double ns = yk_team_typical_ns(figure);
    return yk_number_words(ns > 0 ? 1e3 / ns : 0);
}

/* Jobs of a microsecond reach JOBS_MOST in a quarter of an hour: the count is then reduced, at the
 * same place of the ring. */
enum { JOBS_MOST = 1 << 30, JOBS_LESS = JOBS_MOST / 2 / YK_TEAM_RECENT * YK_TEAM_RECENT };

static void note(struct yk_team_figure *figure, double ns)
{
    if (figure->jobs >= JOBS_MOST) {
        figure->jobs -= JOBS_LESS;
        figure->since = figure->since > JOBS_LESS ? figure->since - JOBS_LESS : 0;
    }
    figure->ns[figure->jobs++ % YK_TEAM_RECENT] = ns;
}

uint32_t yk_team_settled(const struct yk_team *team, int count)
{
    int looks = team->crowded_jobs % LOOK_AGAIN == LOOK_AGAIN - 1;
    return count < 2 || team->all != yk_team_all(count) || looks ? yk_team_all(count)
                                                                 : team->best.devices;
}

uint32_t yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices,
                        int count)
{
    uint32_t all = yk_team_all(count);
    if (count < 2 || team->all != all)
        return all;
    if (team->tried.jobs > 0)
        return team->rest > 0 ? team->best.devices : team->tried.devices;
    if (team->looking)
        return all;
    if ((team->gaining || recent(&team->best) < TRIES_FIRST) &&
        !yk_team_is_outdone(team, devices, count))
        return team->best.devices;
    return yk_team_next(team, devices, count);
}

static void settle(struct yk_team *team)
{
    team->tried = (struct yk_team_figure){ 0 };
    team->settled_jobs = team->looking = team->rest = 0;
}

static int looks_after(const struct yk_team *team)
{
    return LOOK_AGAIN * (team->looks_less > 1 ? team->looks_less : 1);
}

static void lose(struct yk_team *team)
{
    uint32_t left = team->best.devices & ~team->tried.devices;
    if (team->looking)
        team->looks_less = looks_after(team) < LOOK_LESS_MOST * LOOK_AGAIN
                               ? 2 * looks_after(team) / LOOK_AGAIN
                               : LOOK_LESS_MOST;
    if (left)
        team->kept ^= left; /* if all of a make had been kept, half of it still is */
    else
        team->between = 0;
    settle(team);
}

static void win(struct yk_team *team)
{
    uint32_t left = team->best.devices & ~team->tried.devices;
    team->between =
        left && GAINED * yk_team_typical_ns(&team->tried) > yk_team_typical_ns(&team->best);
    if (left) {
        team->kept &= team->tried.devices;
        team->before = team->best;
    } else if (team->looking) {
        team->looks_less = 0;
        team->kept = 0;
        team->before = (struct yk_team_figure){ 0 };
    } else {
        team->kept |= team->tried.devices & ~team->best.devices;
    }
    team->best = team->tried;
    team->sole_jobs = team->unasked = 0;
    settle(team);
}

/* Decides after two jobs of the tried team. If they are not clear, after two more, with two of the
 * best team between. A device that gains nothing is left out: it costs power, and with more devices
 * more can be late. */
static void judge(struct yk_team *team)
{
    const struct yk_team_figure *tried = &team->tried;
    int smaller = (tried->devices & ~team->best.devices) == 0;
    double usual = yk_team_typical_ns(&team->best), now = yk_team_typical_ns(tried);
    if (tried->jobs >= 2 * TRIES) {
        if ((smaller ? 1 : CLEARLY) * now <= usual)
            win(team);
        else
            lose(team);
    } else if (latest_ns(tried) > HOPELESS * slowest_ns(&team->best)) {
        lose(team);
    } else if (tried->jobs == TRIES) {
        if (now > SLOWER * usual)
            lose(team);
        else if (CLEARLY * (now + slowest_ns(tried)) / 2 < usual)
            win(team);
        else
            team->rest = TRIES;
    }
}

/* A smaller team must stay as fast as its first jobs were. */
static void check_promise(struct yk_team *team)
{
    uint32_t left_out = team->before.devices & ~team->best.devices;
    if (team->unasked || team->best.jobs != YK_TEAM_RECENT || team->before.jobs == 0 ||
        yk_team_typical_ns(&team->best) <= LUCKY * yk_team_typical_ns(&team->before))
        return;
    team->best = team->before;
    team->before = (struct yk_team_figure){ 0 };
    team->kept = left_out;
    team->between = 0;
    settle(team);
}

/* The other devices get nothing of such jobs, so calling them to one only costs. */
static void leave_to(struct yk_team *team, uint32_t devices)
{
    team->before = team->best;
    team->best.devices = devices;
    team->unasked = 1;
    team->between = 0;
    settle(team);
}

/* Several devices were asked, and one did the whole job alone, twice. */
static void note_sole(struct yk_team *team, int sole)
{
    team->sole_jobs =
        sole >= 0 && (team->sole_jobs == 0 || sole == team->sole) ? team->sole_jobs + 1 : sole >= 0;
    team->sole = sole;
    if (team->sole_jobs >= TRIES)
        leave_to(team, yk_team_bit(sole));
}

/* Times measured so far do not describe the present machine: ends the trial and forgets what larger
 * teams did. */
static void forget_times(struct yk_team *team)
{
    team->best.since = team->best.jobs;
    settle(team);
    team->looking = team->best.devices != team->all;
}

static int has_changed(const struct yk_team_figure *best, double now)
{
    return recent(best) >= KNOWN_JOBS && extreme_ns(best, fmin) > CHANGED * now;
}

static void learn_best(struct yk_team *team, const struct yk_team_job *job, double now)
{
    struct yk_team_figure *best = &team->best;
    int first = team->tried.jobs == 0 && team->before.jobs == 0 && !team->kept;
    team->gaining =
        first && best->jobs < TRIES_MOST && extreme_ns(best, fmin) > STILL_GAINING * now;
    team->rest -= team->rest > 0;
    if (team->gaining)
        best->since = best->jobs; /* times before the gain do not count any more */
    else if (has_changed(best, now))
        forget_times(team);
    note(best, now);
    if (yk_team_only(job->asked) < 0)
        note_sole(team, job->sole);
    check_promise(team);
    if (best->jobs < TRIES || ++team->settled_jobs < looks_after(team))
        return;
    settle(team);
    team->kept = team->between = 0;
    team->looking = best->devices != team->all;
}

/* All were asked again, and one device did the whole job again. */
static int is_sole_again(const struct yk_team *team, const struct yk_team_job *job)
{
    return team->looking && team->unasked && job->sole >= 0 &&
           team->best.devices == yk_team_bit(job->sole);
}

/* Starts anew if nothing is known or there are more devices now. */
static void begin_if_new(struct yk_team *team, uint32_t asked)
{
    if (asked & ~team->all)
        *team = (struct yk_team){ .all = asked, .best = { .devices = asked } };
}

void yk_team_did(struct yk_team_job *job, int device, int known_cores, int64_t items)
{
    if (items == job->items)
        job->sole = device;
    if (known_cores && items == 0)
        job->idle |= job->asked & yk_team_bit(device);
}

void yk_team_note_idle(struct yk_team *team, const struct yk_team_job *job)
{
    begin_if_new(team, job->asked);
    team->crowded_jobs += job->crowded != 0;
    if (job->crowded && job->asked == team->all && team->unasked &&
        !job->idle) { /* all were asked again, and all had a part */
        team->best = (struct yk_team_figure){ .devices = team->all };
        team->unasked = 0;
    }
    if (job->asked != team->best.devices)
        return;
    team->idle_jobs = job->idle && job->idle == team->idle ? team->idle_jobs + 1 : job->idle != 0;
    team->idle = job->idle;
    if (team->idle_jobs < TRIES || !(job->asked & ~job->idle))
        return;
    leave_to(team, job->asked & ~job->idle);
    team->idle_jobs = 0;
}

void yk_team_learn(struct yk_team *team, const struct yk_team_job *job)
{
    double now = job->items > 0 ? (double)job->ns / (double)job->items : 0;
    if (now <= 0)
        return;
    begin_if_new(team, job->asked);
    if (job->asked == team->best.devices) {
        learn_best(team, job, now);
        return;
    }
    if (job->asked != team->tried.devices)
        team->tried = (struct yk_team_figure){ .devices = job->asked };
    note(&team->tried, now);
    if (team->tried.jobs >= TRIES && is_sole_again(team, job))
        settle(team);
    else
        judge(team);
}

int yk_team_counts(struct yk_team *team, const struct yk_team_job *job, double stays_ns)
{
    const int excused = stays_ns > NOTICEABLE * (double)job->ns && team->excused < EXCUSED_MOST;
    team->excused = excused ? team->excused + 1 : 0;
    return !excused;
}

void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size)
{
    if (asked != team->best.devices)
        snprintf(text, size,
                 "left out for once, to see what the others do without it (together they did %s "
                 "items/us)",
                 items_us(&team->best).text);
    else if (team->unasked)
        snprintf(text, size, "not asked: others did all of such jobs by themselves, at %s items/us",
                 items_us(&team->best).text);
    else if (team->before.jobs == 0)
        snprintf(text, size,
                 "not asked: as known from before, others do such jobs best, at %s items/us",
                 items_us(&team->best).text);
    else
        snprintf(text, size, "does not pay: without it %s items/us, with more devices %s",
                 items_us(&team->best).text, items_us(&team->before).text);
}
