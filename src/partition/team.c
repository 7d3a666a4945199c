/* team.c - see team.h. */
#include "team.h"

#include <stdio.h>

/* Jobs before a team's speed counts: the first after a change moves rows. */
enum { TRIES = 2 };
/* All together also have to find their shares, and pin what the GPUs get: as long as the latest job
 * was faster than the one before by this much they get another try, up to so many. */
#define STILL_GAINING 1.1
enum { TRIES_MOST = 8 };
/* What gained once may have been lucky: the one in the middle of so many is less so. */
enum { TRIES_AFTER_GAIN = 3 };
/* A smaller team has to be faster by this much, or noise would decide. */
#define CLEARLY 1.01
/* The experiment costs at most what those left out would have contributed: no more than this of the
 * work. */
#define MOST_AT_STAKE 0.35
/* More where a GPU copies for this part of its time: it works in the host's memory then, as the
 * cores do, and they slow each other for certain. */
#define COPIES           0.5
#define MOST_WITH_COPIES 0.5
/* Jobs after which all are asked again. */
enum { LOOK_AGAIN = 100 };

/* Of the latest jobs, how many count. */
static int recent(const struct yk_team_figure *figure)
{
    int jobs = figure->jobs - figure->since;
    return jobs < YK_TEAM_RECENT ? jobs : YK_TEAM_RECENT;
}

/* What delays a job comes and goes, and some teams are delayed more than others: of the latest jobs
 * the one in the middle says most, of an even number the faster one, as a team's first job moves
 * rows. */
static double typical_ns(const struct yk_team_figure *figure)
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

static double items_us(const struct yk_team_figure *figure)
{
    double ns = typical_ns(figure);
    return ns > 0 ? 1e3 / ns : 0;
}

static void note(struct yk_team_figure *figure, double ns)
{
    figure->ns[figure->jobs++ % YK_TEAM_RECENT] = ns;
}

/* What leaving out device d and all others of its make in the team puts at stake, as a part of the
 * team's speed; 1 if nobody would be left or the speed of one is not known. */
static double at_stake(uint32_t team, const struct yk_split_device *devices, int count, int d,
                       uint32_t *class)
{
    double all = 0, theirs = 0;
    int other;
    *class = 0;
    for (other = 0; other < count; other++) {
        if (!(team & yk_team_bit(other)))
            continue;
        if (devices[other].rate <= 0)
            return 1;
        all += devices[other].rate;
        if (other != d && !yk_split_alike(&devices[other], &devices[d]))
            continue;
        *class |= yk_team_bit(other);
        theirs += devices[other].rate;
    }
    return theirs / all;
}

static double most_at_stake(uint32_t team, const struct yk_split_device *devices, int count)
{
    int d;
    for (d = 0; d < count; d++)
        if ((team & yk_team_bit(d)) && devices[d].copy_item_ns * devices[d].rate > COPIES)
            return MOST_WITH_COPIES;
    return MOST_AT_STAKE;
}

/* The best team without those who contribute least to it, of all whose leaving out was not tried.
 */
static uint32_t next_team(const struct yk_team *team, const struct yk_split_device *devices,
                          int count)
{
    uint32_t best = team->best.devices, leave = 0, class;
    double least = most_at_stake(best, devices, count);
    int d;
    for (d = 0; d < count; d++) {
        double stake;
        if (!(best & ~team->kept & yk_team_bit(d)))
            continue;
        stake = at_stake(best, devices, count, d, &class);
        if (stake <= least && stake < 1) {
            least = stake;
            leave = class;
        }
    }
    return best & ~leave;
}

static uint32_t all_of(int count)
{
    return count < 32 ? yk_team_bit(count) - 1 : UINT32_MAX;
}

uint32_t yk_team_settled(const struct yk_team *team, int count)
{
    int looks = team->crowded_jobs % LOOK_AGAIN == LOOK_AGAIN - 1;
    return count < 2 || team->all != all_of(count) || looks ? all_of(count) : team->best.devices;
}

uint32_t yk_team_choose(const struct yk_team *team, const struct yk_split_device *devices,
                        int count)
{
    uint32_t all = all_of(count);
    if (count < 2 || team->all != all || team->looking)
        return all;
    if (team->tried.jobs > 0)
        return team->tried.devices;
    if (team->gaining || recent(&team->best) < (team->best.since ? TRIES_AFTER_GAIN : TRIES))
        return team->best.devices;
    return next_team(team, devices, count);
}

static void settle(struct yk_team *team)
{
    team->tried = (struct yk_team_figure){ 0 };
    team->settled_jobs = team->looking = 0;
}

/* A smaller team has to be clearly faster, a larger one must not be clearly slower. */
static void judge(struct yk_team *team)
{
    double best = typical_ns(&team->best), tried = typical_ns(&team->tried);
    int smaller = (team->tried.devices & ~team->best.devices) == 0;
    if (smaller ? CLEARLY * tried >= best : tried > CLEARLY * best) {
        if (smaller)
            team->kept |= team->best.devices & ~team->tried.devices;
    } else {
        team->before = smaller ? team->best : (struct yk_team_figure){ 0 };
        team->best = team->tried;
        team->kept = 0;
        team->sole_jobs = team->unasked = 0;
    }
    settle(team);
}

/* What its first jobs promised, a smaller team has to keep. */
static void check_promise(struct yk_team *team)
{
    uint32_t left_out = team->before.devices & ~team->best.devices;
    if (team->unasked || team->best.jobs != YK_TEAM_RECENT || team->before.jobs == 0 ||
        CLEARLY * typical_ns(&team->best) < typical_ns(&team->before))
        return;
    team->best = team->before;
    team->before = (struct yk_team_figure){ 0 };
    team->kept = left_out;
    settle(team);
}

/* Asked together, one did it all by itself, twice: whoever else is called to such a job only costs.
 */
static void note_sole(struct yk_team *team, int sole)
{
    team->sole_jobs =
        sole >= 0 && (team->sole_jobs == 0 || sole == team->sole) ? team->sole_jobs + 1 : sole >= 0;
    team->sole = sole;
    if (team->sole_jobs < TRIES)
        return;
    team->before = team->best;
    team->best.devices = yk_team_bit(sole);
    team->unasked = 1;
    settle(team);
}

static void learn_best(struct yk_team *team, const struct yk_team_job *job, double now)
{
    struct yk_team_figure *best = &team->best;
    double latest = best->jobs > 0 ? best->ns[(best->jobs - 1) % YK_TEAM_RECENT] : 0;
    team->gaining = best->jobs < TRIES_MOST && latest > STILL_GAINING * now;
    if (team->gaining)
        best->since = best->jobs; /* what was before the gain says nothing any more */
    note(best, now);
    if (yk_team_only(job->asked) < 0)
        note_sole(team, job->sole);
    check_promise(team);
    if (best->jobs < TRIES || ++team->settled_jobs < LOOK_AGAIN)
        return;
    settle(team);
    team->kept = 0;
    team->looking = best->devices != team->all;
}

/* In a look all were asked, and again one did it all. */
static int is_sole_again(const struct yk_team *team, const struct yk_team_job *job)
{
    return team->looking && team->unasked && job->sole >= 0 &&
           team->best.devices == yk_team_bit(job->sole);
}

/* Nothing is known, or there are more devices now. */
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
    team->crowded_jobs += job->crowded;
    if (job->crowded && job->asked == team->all && team->unasked &&
        !job->idle) { /* a look, and all had a part */
        team->best = (struct yk_team_figure){ .devices = team->all };
        team->unasked = 0;
    }
    if (job->asked != team->best.devices)
        return;
    team->idle_jobs = job->idle && job->idle == team->idle ? team->idle_jobs + 1 : job->idle != 0;
    team->idle = job->idle;
    if (team->idle_jobs < TRIES || !(job->asked & ~job->idle))
        return;
    team->before = team->best;
    team->best.devices = job->asked & ~job->idle;
    team->unasked = 1;
    team->idle_jobs = 0;
    settle(team);
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
    else if (team->tried.jobs >= TRIES)
        judge(team);
}

void yk_team_explain(const struct yk_team *team, uint32_t asked, char *text, size_t size)
{
    if (asked != team->best.devices)
        snprintf(text, size,
                 "left out for once, to see what the others do without it (together they did %.4g "
                 "items/us)",
                 items_us(&team->best));
    else if (team->unasked)
        snprintf(text, size,
                 "not asked: others did all of such jobs by themselves, at %.4g items/us",
                 items_us(&team->best));
    else
        snprintf(text, size, "does not pay: without it %.4g items/us, with more devices %.4g",
                 items_us(&team->best), items_us(&team->before));
}
