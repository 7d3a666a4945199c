/* team.c - see team.h. */
#include "team.h"

#include <stdio.h>

/* Jobs before a team's speed counts: the first after a change moves rows. */
#define TRIES 2
/* The experiment costs at most what the others would have contributed: no more than this of the
 * work. */
#define MOST_AT_STAKE 0.35
/* Jobs after which the other team is tried again. */
#define LOOK_AGAIN 100

int yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices, int count)
{
    double total = 0;
    int d, best = 0;
    if (team->together_jobs < TRIES || count < 2)
        return -1;
    if (team->alone_jobs >= TRIES)
        return team->alone_rate > team->together_rate ? team->alone : -1;
    for (d = 0; d < count; d++) {
        total += devices[d].rate;
        if (devices[d].rate > devices[best].rate)
            best = d;
    }
    if (team->alone_jobs > 0)
        return team->alone;
    return devices[best].rate >= (1 - MOST_AT_STAKE) * total ? best : -1;
}

static void smooth(double *rate, int jobs, double now)
{
    /* The first one pays for rows that move, so it does not count for long. */
    *rate = jobs <= 1 ? now : 0.5 * *rate + 0.5 * now;
}

void yk_team_learn(struct yk_team *team, int alone, int64_t items, int64_t ns)
{
    double now = ns > 0 ? (double)items / (double)ns : 0;
    if (now <= 0)
        return;
    if (alone < 0) {
        smooth(&team->together_rate, team->together_jobs, now);
        team->together_jobs++;
    } else {
        if (team->alone != alone)
            team->alone_jobs = 0;
        team->alone = alone;
        smooth(&team->alone_rate, team->alone_jobs, now);
        team->alone_jobs++;
    }
    if (team->together_jobs < TRIES || team->alone_jobs < TRIES)
        return;
    if (++team->settled_jobs < LOOK_AGAIN)
        return;
    team->settled_jobs = 0;
    if (team->alone_rate > team->together_rate)
        team->together_jobs = 0;
    else
        team->alone_jobs = 0;
}

void yk_team_explain(const struct yk_team *team, const char *name, char *text, size_t size)
{
    if (team->alone_jobs < TRIES)
        snprintf(text, size,
                 "left out for once, to see what %s does alone (all together did %.4g "
                 "items/us)",
                 name, team->together_rate * 1e3);
    else
        snprintf(text, size, "does not pay: %s alone does %.4g items/us, all together %.4g", name,
                 team->alone_rate * 1e3, team->together_rate * 1e3);
}
