/* team_next.c - see team_next.h: chooses the devices to leave out in a trial. */
#include "team_next.h"

#include <math.h>

/* A trial costs at most what the omitted devices would have contributed: no more than this part of
 * the work. */
#define MOST_AT_STAKE 0.35
/* A larger part, for GPUs that keep COPIES of a link busy: they work in the host's memory, like the
 * cores, and certainly slow each other. Not for cores: without them the GPUs first have to pin the
 * memory of the cores' rows. */
#define COPIES           0.5
#define MOST_WITH_COPIES 0.55
/* A still larger part if other devices of their make were left out before without a loss. */
#define MOST_AFTER_OTHERS 0.65

/* Speeds are those of devices at work. They do not include the overhead of a team (waking threads,
 * bringing home and adding up what each device has summed), which for short jobs exceeds what some
 * devices add. If the devices that remain would outdo the team's measured speed by this factor,
 * leaving out the others costs nothing, however large their part is. */
#define OUTDONE 1.05

struct crew { /* all devices; sets are subsets of them */
    const struct yk_split_device *devices;
    int count;
};

static int is_in(uint32_t set, int d)
{
    return (set & yk_team_bit(d)) != 0;
}

static double rate_of(const struct crew *crew, uint32_t set)
{
    double sum = 0;
    int d;
    for (d = 0; d < crew->count; d++)
        if (is_in(set, d))
            sum += crew->devices[d].rate;
    return sum;
}

static int all_known(const struct crew *crew, uint32_t set)
{
    int d;
    for (d = 0; d < crew->count; d++)
        if (is_in(set, d) && crew->devices[d].rate <= 0)
            return 0;
    return 1;
}

/* Number of links that the set's copies keep busy. */
static double links_of(const struct crew *crew, uint32_t set)
{
    double sum = 0;
    int d;
    for (d = 0; d < crew->count; d++)
        if (is_in(set, d))
            sum += crew->devices[d].copy_item_ns * crew->devices[d].rate;
    return sum;
}

/* Device d and those of its make in the set. */
static uint32_t make_of(const struct crew *crew, uint32_t set, int d)
{
    uint32_t make = yk_team_bit(d);
    int other;
    for (other = 0; other < crew->count; other++)
        if (is_in(set, other) && yk_split_alike(&crew->devices[other], &crew->devices[d]))
            make |= yk_team_bit(other);
    return make;
}

static int size_of(uint32_t set)
{
    int size = 0;
    for (; set; set &= set - 1)
        size++;
    return size;
}

/* Speed that may be left out because the rest would still outdo the team's measured speed; <= 0:
 * none. */
static double idle_rate(const struct yk_team *team, const struct crew *crew)
{
    const double typical = yk_team_typical_ns(&team->best);
    return typical > 0 ? rate_of(crew, team->best.devices) - OUTDONE / typical : 0;
}

int yk_team_is_outdone(const struct yk_team *team, const struct yk_split_device *devices, int count)
{
    const double typical = yk_team_typical_ns(&team->best);
    int d;
    for (d = 0; d < count; d++)
        if (is_in(team->best.devices, d) && devices[d].rate * typical > OUTDONE)
            return team->best.devices != yk_team_bit(d);
    return 0;
}

/* The slowest devices of a set, at most half of them, that together do no more than `most`. */
static uint32_t some_of(const struct crew *crew, uint32_t set, double most)
{
    uint32_t some = 0;
    int left, d, slowest;
    for (left = size_of(set) / 2; left > 0; left--) {
        for (d = 0, slowest = -1; d < crew->count; d++)
            if (is_in(set & ~some, d) &&
                (slowest < 0 || crew->devices[d].rate <= crew->devices[slowest].rate))
                slowest = d;
        if (rate_of(crew, some | yk_team_bit(slowest)) > most)
            break;
        some |= yk_team_bit(slowest);
    }
    return some;
}

/* GPUs are no faster than their links, or than their measured speed if that is higher. */
static double most_rate(const struct yk_split_device *device)
{
    double copy_ns = device->copy_item_ns * fmax(device->busier_part, 0.5);
    return device->host_memory || copy_ns <= 0 ? INFINITY : fmax(device->rate, 1 / copy_ns);
}

/* The rest could do as much as the whole team if no device slowed another. */
static int can_replace(const struct crew *crew, uint32_t rest, uint32_t team)
{
    double most = 0;
    int d;
    for (d = 0; d < crew->count; d++)
        if (is_in(rest, d))
            most += most_rate(&crew->devices[d]);
    return most >= rate_of(crew, team);
}

static int may_go(const struct crew *crew, uint32_t team, uint32_t leave, double most)
{
    return leave && leave != team && rate_of(crew, leave) <= most * rate_of(crew, team) &&
           can_replace(crew, team & ~leave, team);
}

static int is_idle(const struct crew *crew, uint32_t team, uint32_t leave, double idle)
{
    return leave && leave != team && rate_of(crew, leave) <= idle;
}

/* The devices of d's make to leave out in a trial: all; or, if they copy, half of them if all are
 * too many or were slower (then all are kept). If half was slower (only some are kept), none:
 * without all of them it would be slower too. */
static uint32_t whom_to_leave(const struct yk_team *team, const struct crew *crew, int d)
{
    uint32_t best = team->best.devices, make = make_of(crew, best, d), kept = team->kept & make;
    int copies = links_of(crew, make) > COPIES;
    int others = make_of(crew, team->all, d) != make;
    double most = copies ? (others ? MOST_AFTER_OTHERS : MOST_WITH_COPIES) : MOST_AT_STAKE;
    const double idle = idle_rate(team, crew);
    uint32_t some;
    if (kept && kept != make)
        return 0;
    if (!kept && (may_go(crew, best, make, most) || is_idle(crew, best, make, idle)))
        return make;
    some = copies ? some_of(crew, make, MOST_AT_STAKE * rate_of(crew, best)) : 0;
    if (may_go(crew, best, some, most))
        return some;
    some = some_of(crew, make, idle);
    return is_idle(crew, best, some, idle) ? some : 0;
}

/* A team between the best one and the one before it, if several of a make were left out at once. */
static uint32_t between(const struct yk_team *team, const struct crew *crew)
{
    uint32_t best = team->best.devices, out = team->before.devices & ~best;
    double most = MOST_AT_STAKE * rate_of(crew, team->before.devices);
    uint32_t slower = team->between ? some_of(crew, out, most) : 0;
    return slower ? best | (out & ~slower) : best;
}

uint32_t yk_team_next(const struct yk_team *team, const struct yk_split_device *devices, int count)
{
    const struct crew crew = { devices, count };
    uint32_t best = team->best.devices, leave = 0;
    int d;
    if (!all_known(&crew, best))
        return best;
    for (d = 0; d < count; d++) {
        uint32_t some = is_in(best, d) ? whom_to_leave(team, &crew, d) : 0;
        if (some && (!leave || rate_of(&crew, some) < rate_of(&crew, leave)))
            leave = some;
    }
    return leave ? best & ~leave : between(team, &crew);
}
