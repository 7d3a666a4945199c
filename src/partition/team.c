/* team.c - see team.h: predicts other teams from speeds, and learns from whole jobs. */
#include "team.h"

#include <math.h>
#include <stdio.h>

#include "../base/words.h"
#include "../model/cost.h"
#include "balance.h"
#include "speed.h"
#include "trial.h"

struct round { /* what predictions are made from */
    const struct yk_team_asks *asks;
    uint32_t team; /* the present one */
};

static int is_in(uint32_t team, int d)
{
    return (team & yk_team_bit(d)) != 0;
}

struct parts { /* of the devices in a job */
    uint32_t devices;
    double ns;    /* expected time of the job; 0: the speed of one is unknown */
    double least; /* the same if all that is uncertain is in favour of the devices */
};

/* Returns the time of an item of a device whose speed was not measured, because such jobs were over
 * before it could begin; 0: unknown. It is assumed to be as fast as its theoretical peak promises
 * beside the others, but no faster than its copies. */
static double promised_ns(const struct yk_team_asks *asks, const struct yk_split_device *device)
{
    double ns = INFINITY;
    int d;
    for (d = 0; d < asks->count && yk_peak_is_known(device->peak); d++)
        if (asks->devices[d].rate > 0 && yk_peak_is_known(asks->devices[d].peak))
            ns = fmin(ns, asks->devices[d].peak / (asks->devices[d].rate * device->peak));
    return isinf(ns) ? 0 : fmax(ns, device->copy_item_ns);
}

/* Returns the time of an item in the run that showed the device's speed; 0: unknown. */
static double item_ns(const struct yk_team_asks *asks, const struct yk_split_device *device)
{
    if (!(device->rate > 0))
        return promised_ns(asks, device);
    return device->part > 0 ? yk_speed_item_ns(device, device->part) : 1 / device->rate;
}

/* Describes the devices of a team. Returns 0 if the speed of one is unknown. */
static int describe(const struct yk_team_asks *asks, uint32_t team, struct yk_taker *load)
{
    int d;
    for (d = 0; d < asks->count; d++) {
        const struct yk_split_device *known = &asks->devices[d];
        if (!is_in(team, d))
            continue;
        load[d].item = item_ns(asks, known);
        if (!(load[d].item > 0))
            return 0;
        if (known->host_memory)
            load[d].least = load[d].item * known->lanes;
        else
            load[d].fixed = load[d].least = known->fixed_ns;
    }
    return 1;
}

/* Returns how many times as fast a GPU that was not full does a larger part: that takes between as
 * long as its latest part and as long for each item. The square root (speed.h) is the middle. */
static double faster_when_full(const struct yk_split_device *gpu, double items)
{
    const int larger = items > gpu->part && gpu->part > 0 && !gpu->host_memory;
    return larger ? yk_underfilled(gpu, gpu->part, items) : 1;
}

/* How fast a device was, and may be. */
struct measured {
    double item_ns; /* as it was measured */
    double faster;  /* how many times as fast it does its part, if that fills it better */
    double cold;    /* what may have been a cold start, as a part of that time */
    double link_ns; /* of its copies in the direction in which more is copied: the least time */
};

/* Between nothing and all that it may be was a cold start: on average half of it. */
static double expected_ns(const struct measured *device)
{
    return fmax(device->link_ns, device->item_ns * (1 - device->cold / 2) / device->faster);
}

/* Not 0 even if all of its time was a cold start: an item takes some time. How little does not
 * matter (0.99 and 0.9999 give the same figures in tests/unit/test_team_cold.c). */
static double least_ns(const struct measured *device)
{
    const double warm_ns = device->item_ns * (1 - 0.999 * device->cold);
    return fmax(device->link_ns, warm_ns / (device->faster * device->faster));
}

static void predict_parts(const struct yk_team_asks *asks, uint32_t team, struct parts *out)
{
    struct yk_taker load[YK_TEAM_DEVICES] = { { 0 } };
    struct measured measured[YK_TEAM_DEVICES];
    int d;
    *out = (struct parts){ 0 };
    if (!describe(asks, team, load) || !isfinite(yk_balance(load, asks->count, asks->items)))
        return;
    for (d = 0; d < asks->count; d++) {
        const struct yk_split_device *known = &asks->devices[d];
        const double link_ns = is_in(team, d) ? known->copy_item_ns * known->busier_part : 0;
        out->devices |= load[d].items > 0 ? yk_team_bit(d) : 0;
        measured[d] = (struct measured){ .item_ns = load[d].item,
                                         .faster = faster_when_full(known, load[d].items),
                                         .cold = known->cold,
                                         .link_ns = link_ns };
        load[d].item = expected_ns(&measured[d]);
    }
    out->ns = yk_balance(load, asks->count, asks->items);
    for (d = 0; d < asks->count; d++)
        load[d].item = least_ns(&measured[d]);
    out->least = yk_balance(load, asks->count, asks->items);
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
    struct parts parts;
    predict_parts(round->asks, team, &parts);
    *out = (struct yk_explore_offer){ .devices = parts.devices,
                                      .parts_ns = parts.ns,
                                      .least_ns = parts.least,
                                      .relief = relief(round, parts.devices) };
    return parts.ns > 0;
}

static void offer_others(struct yk_team *team, const struct yk_team_asks *asks)
{
    struct round round = { .asks = asks, .team = team->explorer.best };
    int make[YK_TEAM_DEVICES], d;
    struct parts present;
    struct yk_offers offers = { .team = round.team,
                                .make = make,
                                .devices = asks->count,
                                .predict = predict,
                                .context = &round };
    predict_parts(asks, round.team, &present);
    if (!(present.ns > 0))
        return;
    offers.present_ns = present.ns;
    for (d = 0; d < asks->count; d++)
        make[d] = asks->devices[d].host_memory ? 0 : 1 + asks->devices[d].make;
    /* To predict all teams takes 3 us with three devices and 8 with nine, under a lock that every
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
    if (job->asked != team->explorer.best || (job->idle & job->hindered))
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
