/* team.c - see team.h: predicts other teams from speeds, and learns from whole jobs. */
#include "team.h"

#include <math.h>
#include <stdio.h>

#include "../base/words.h"
#include "balance.h"
#include "trial.h"

struct round { /* what predictions are made from */
    const struct yk_team_asks *asks;
    uint32_t team; /* the present one */
};

static int is_in(uint32_t team, int d)
{
    return (team & yk_team_bit(d)) != 0;
}

/* Time of the job if each device of the team is as fast as it was; the devices with a part. 0: the
 * speed of one is unknown. */
static double parts_ns(const struct yk_team_asks *asks, uint32_t team, uint32_t *with_part)
{
    struct yk_taker load[YK_TEAM_DEVICES] = { { 0 } };
    double end;
    int d;
    for (d = 0; d < asks->count; d++) {
        const struct yk_split_device *known = &asks->devices[d];
        if (!is_in(team, d))
            continue;
        if (known->rate <= 0)
            return 0;
        load[d].item = 1 / known->rate;
        if (known->host_memory)
            load[d].least = load[d].item * known->lanes;
        else
            load[d].fixed = load[d].least = known->fixed_ns;
    }
    end = yk_balance(load, asks->count, asks->items);
    *with_part = 0;
    for (d = 0; d < asks->count; d++)
        if (load[d].items > 0)
            *with_part |= yk_team_bit(d);
    return isfinite(end) ? end : 0;
}

/* Part of its time in which it uses the host's memory. */
static double host_memory_part(const struct yk_split_device *device)
{
    return device->host_memory ? 1 : device->copy_item_ns * device->rate;
}

static double relief(const struct round *round, uint32_t team)
{
    double shared = 0;
    int d;
    for (d = 0; d < round->asks->count; d++)
        if (is_in(round->team & ~team, d))
            shared += host_memory_part(&round->asks->devices[d]);
    return yk_team_relief(shared);
}

static int predict(void *context, uint32_t team, struct yk_explore_offer *out)
{
    const struct round *round = context;
    uint32_t with_part;
    const double ns = parts_ns(round->asks, team, &with_part);
    if (!(ns > 0))
        return 0;
    *out = (struct yk_explore_offer){
        .devices = with_part, .parts_ns = ns, .least_ns = ns, .relief = relief(round, with_part)
    };
    return 1;
}

static void offer_others(struct yk_team *team, const struct yk_team_asks *asks)
{
    struct round round = { .asks = asks, .team = team->explorer.best };
    int make[YK_TEAM_DEVICES], d;
    uint32_t with_part;
    const struct yk_offers offers = { .team = round.team,
                                      .make = make,
                                      .devices = asks->count,
                                      .present_ns = parts_ns(asks, round.team, &with_part),
                                      .predict = predict,
                                      .context = &round };
    if (!(offers.present_ns > 0))
        return;
    for (d = 0; d < asks->count; d++)
        make[d] = asks->devices[d].host_memory ? 0 : 1 + asks->devices[d].make;
    /* To predict all teams takes 2 us with three devices and 7 with nine, under a lock that every
     * job takes. So of n jobs only 2 sqrt(n) do it. */
    if (yk_offer_others(&team->explorer, &offers))
        team->vain = 0;
    else
        team->pause = team->vain++ / 2;
}

uint32_t yk_team_choose(struct yk_team *team, const struct yk_team_asks *asks)
{
    const uint32_t all = yk_team_all(asks->count);
    if (asks->count < 2 || team->all != all)
        return all;
    if (asks->crowded)
        return team->explorer.best;
    if (!team->explorer.trying && (team->pause == 0 || --team->pause == 0))
        offer_others(team, asks);
    return yk_explore_team(&team->explorer);
}

/* Devices that get nothing in such jobs are not asked. The same devices do these jobs as before. */
static void note_idle(struct yk_team *team, const struct yk_team_job *job)
{
    if (job->asked != team->explorer.best || (job->idle & job->served))
        return;
    team->idle_jobs = job->idle && job->idle == team->idle ? team->idle_jobs + 1 : job->idle != 0;
    team->idle = job->idle;
    if (team->idle_jobs < YK_LASTING || !(job->asked & ~job->idle))
        return;
    yk_explore_narrow(&team->explorer, job->asked & ~job->idle);
    team->spare |= job->idle;
    team->idle_jobs = 0;
}

void yk_team_note(struct yk_team *team, const struct yk_team_job *job)
{
    if (!(job->ns > 0))
        return;
    if (job->asked & ~team->all) { /* the first job, or there are more devices now */
        *team = (struct yk_team){ .all = job->asked };
        yk_explore_begin(&team->explorer, job->asked);
    }
    if (job->tells && !job->crowded)
        yk_explore_note(&team->explorer, job->asked, job->ns);
    else if (!job->crowded)
        yk_explore_wait(&team->explorer, job->ns);
    note_idle(team, job);
    team->spare &= ~team->explorer.best;
}

void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size)
{
    const double best_ns = yk_explore_ns(&team->explorer, team->explorer.best);
    const double all_ns = yk_explore_ns(&team->explorer, team->all);
    if (asked != team->explorer.best)
        snprintf(text, size,
                 "left out of this job to measure the others without it (the best set of devices "
                 "so far took %s)",
                 yk_time_words(best_ns).text);
    else if (team->spare & ~asked)
        snprintf(text, size, "not asked: other devices did all of such jobs alone, in %s",
                 yk_time_words(best_ns).text);
    else if (!(all_ns > 0))
        snprintf(
            text, size,
            "not asked: by what was learned earlier, the other devices alone are fastest, in %s",
            yk_time_words(best_ns).text);
    else
        snprintf(text, size, "does not pay: without it a job takes %s, with all devices %s",
                 yk_time_words(best_ns).text, yk_time_words(all_ns).text);
}
