/* offers.c - see offers.h: lists the neighbours of a team and offers them to the explorer. */
#include "offers.h"

#include <math.h>

/* Devices that use the host's memory slow each other to 1 / (1 + SHARED) at most: two that use it
 * equally get a half each. */
#define SHARED 0.8

double yk_team_relief(double host_memory_part)
{
    return 1 + fmin(SHARED, host_memory_part);
}

/* Three for each device, the fastest one, and all. */
enum { OTHERS_MOST = 3 * YK_TEAM_DEVICES + 2 };

/* Teams that may be tried, each once. */
struct others {
    uint32_t team[OTHERS_MOST];
    int count;
};

static void add(struct others *others, uint32_t team)
{
    int i = 0;
    while (i < others->count && others->team[i] != team)
        i++;
    if (team && i == others->count)
        others->team[others->count++] = team;
}

/* The devices of a team that are of the same make as `device`. */
static uint32_t of_make(const struct yk_offers *offers, uint32_t team, int device)
{
    uint32_t found = 0;
    int d;
    for (d = 0; d < offers->devices; d++)
        if ((team >> d & 1) && offers->make[d] == offers->make[device])
            found |= yk_team_bit(d);
    return found;
}

/* The last `count` devices of a team. */
static uint32_t last_of(uint32_t team, int count)
{
    while (__builtin_popcount(team) > count)
        team &= team - 1;
    return team;
}

/* The team without the make of a device, without half of it, and without one of it; or with that
 * make, and that make instead. */
static void add_neighbours(const struct yk_offers *offers, int device, struct others *others)
{
    const uint32_t team = offers->team;
    const uint32_t make = of_make(offers, team, device);
    if (make >> device & 1) {
        add(others, team & ~make);
        add(others, team & ~last_of(make, __builtin_popcount(make) / 2));
        add(others, team & ~last_of(make, 1));
    } else {
        const uint32_t other = of_make(offers, yk_team_all(offers->devices), device);
        add(others, team | other);
        add(others, other);
    }
}

/* Predictions for the teams that may be offered. */
struct list {
    struct yk_explore_offer offer[OTHERS_MOST];
    int count;
};

/* The overhead beyond the parts is assumed to be the same for both teams, until it has been
 * measured. */
static void predict(const struct yk_explorer *explorer, const struct yk_offers *offers,
                    uint32_t team, struct list *list)
{
    struct yk_explore_offer *found = &list->offer[list->count];
    if (team == offers->team || !offers->predict(offers->context, team, found) ||
        found->devices == offers->team)
        return;
    found->round_ns =
        yk_explore_ns(explorer, explorer->best) + fmax(0, found->parts_ns - offers->present_ns);
    list->count++;
}

/* The device that would be the fastest alone, as a team; 0: unknown. */
static uint32_t fastest_alone(const struct yk_offers *offers)
{
    struct yk_explore_offer offer;
    double least_ns = INFINITY;
    uint32_t found = 0;
    int d;
    for (d = 0; d < offers->devices; d++)
        if (offers->predict(offers->context, yk_team_bit(d), &offer) && offer.parts_ns < least_ns) {
            least_ns = offer.parts_ns;
            found = yk_team_bit(d);
        }
    return found;
}

/* 1: the explorer tries one, which was predicted again: the caller has what was predicted last. */
static int offer_all(struct yk_explorer *explorer, const struct yk_offers *offers,
                     const struct list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct yk_explore_offer offer = list->offer[i];
        if (!yk_explore_pays(explorer, &offer))
            continue;
        if (!offers->predict(offers->context, offer.devices, &offer) ||
            (offers->awaits && offers->awaits(offers->context)))
            return 0;
        if (yk_explore_try(explorer, offer.devices, offer.move_ns))
            return 1;
    }
    return 0;
}

/* The device alone comes first if it is predicted to be the fastest of all. */
static void order(struct list *list, uint32_t alone)
{
    int i, best = 0;
    for (i = 1; i < list->count; i++)
        if (list->offer[i].parts_ns < list->offer[best].parts_ns)
            best = i;
    if (list->count > 0 && list->offer[best].devices == alone) {
        const struct yk_explore_offer first = list->offer[0];
        list->offer[0] = list->offer[best];
        list->offer[best] = first;
    }
}

int yk_offer_others(struct yk_explorer *explorer, const struct yk_offers *offers)
{
    const uint32_t alone = fastest_alone(offers);
    struct others others = { .count = 0 };
    struct list list = { .count = 0 };
    int d, i;
    add_neighbours(offers, 0, &others);
    add(&others, alone);
    for (d = 1; d < offers->devices; d++)
        add_neighbours(offers, d, &others);
    add(&others, yk_team_all(offers->devices));
    for (i = 0; i < others.count; i++)
        predict(explorer, offers, others.team[i], &list);
    order(&list, alone);
    return offer_all(explorer, offers, &list);
}
