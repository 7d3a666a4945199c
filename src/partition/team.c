/* team.c - see team.h. */
#include "team.h"

#include <stdio.h>

/* Jobs before a team's speed counts: the first after a change moves rows. */
#define TRIES 2
/* All together also have to find their shares, and pin what the GPUs get: as long as the latest job
 * was faster than the ones before by this much they get another try, up to so many. */
#define STILL_GAINING 1.1
#define TRIES_MOST    8
/* What a job's speed is still worth after the next one. */
#define FADE 0.99
/* One alone has to be faster by this much, or noise would decide. */
#define CLEARLY 1.01
/* The experiment costs at most what the others would have contributed: no more than this of the
 * work. */
#define MOST_AT_STAKE 0.35
/* Jobs after which the other team is tried again. */
#define LOOK_AGAIN 100

static int is_better_alone(const struct yk_team *team)
{
    return team->alone_rate > CLEARLY * team->together_rate;
}

/* Asked all together, one did it all by itself: whoever else is called to such a job only costs. */
static int is_solo(const struct yk_team *team)
{
    return team->together_jobs < TRIES && team->alone_jobs >= TRIES && !team->looking;
}

int yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices, int count)
{
    double total = 0;
    int d, best = 0;
    if (is_solo(team))
        return team->alone;
    if (team->together_jobs < TRIES || count < 2 || (team->gaining && team->alone_jobs == 0))
        return -1;
    if (team->alone_jobs >= TRIES)
        return is_better_alone(team) ? team->alone : -1;
    for (d = 0; d < count; d++) {
        total += devices[d].rate;
        if (devices[d].rate > devices[best].rate)
            best = d;
    }
    if (team->alone_jobs > 0)
        return team->alone;
    return devices[best].rate >= (1 - MOST_AT_STAKE) * total ? best : -1;
}

/* What delays a job comes and goes, and hardly anything makes one faster than it is: the fastest of
 * a team's jobs says most, as long as it is not too long ago. */
static void note_fastest(double *rate, int jobs, double now)
{
    *rate = jobs == 0 || now > FADE * *rate ? now : FADE * *rate;
}

void yk_team_learn(struct yk_team *team, int alone, int64_t items, int64_t ns)
{
    double now = ns > 0 ? (double)items / (double)ns : 0;
    if (now <= 0)
        return;
    if (alone < 0) {
        team->gaining = team->together_jobs > 0 && team->together_jobs < TRIES_MOST &&
                        now > STILL_GAINING * team->latest;
        /* What was before the gain says nothing any more. */
        note_fastest(&team->together_rate, team->gaining ? 0 : team->together_jobs, now);
        team->latest = now;
        team->together_jobs++;
        team->looking = team->together_jobs < TRIES;
    } else {
        team->looking = 0;
        if (team->alone != alone)
            team->alone_jobs = 0;
        team->alone = alone;
        note_fastest(&team->alone_rate, team->alone_jobs, now);
        team->alone_jobs++;
    }
    if (!is_solo(team) && (team->together_jobs < TRIES || team->alone_jobs < TRIES))
        return;
    if (++team->settled_jobs < LOOK_AGAIN)
        return;
    team->settled_jobs = 0;
    if (is_better_alone(team) || is_solo(team)) {
        team->together_jobs = 0;
        team->looking = 1;
    } else {
        team->alone_jobs = 0;
    }
}

void yk_team_explain(const struct yk_team *team, const char *name, char *text, size_t size)
{
    if (team->alone_jobs < TRIES)
        snprintf(text, size,
                 "left out for once, to see what %s does alone (all together did %.4g "
                 "items/us)",
                 name, team->together_rate * 1e3);
    else if (team->together_jobs < TRIES)
        snprintf(text, size, "not asked: %s did all of such jobs by itself, at %.4g items/us", name,
                 team->alone_rate * 1e3);
    else
        snprintf(text, size, "does not pay: %s alone does %.4g items/us, all together %.4g", name,
                 team->alone_rate * 1e3, team->together_rate * 1e3);
}
