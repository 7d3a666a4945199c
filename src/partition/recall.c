/* recall.c - see recall.h: converts between memory and lessons. */
#include "recall.h"

#include <stdio.h>
#include <string.h>

/* Weight of a time of an earlier process, relative to one of this process. */
#define ELSEWHERE 0.3

/* The team that does such jobs best; 0: it has not been compared with others yet. */
static void teach_team(const struct yk_team *team, struct yk_lesson *out)
{
    const struct yk_explorer *explorer = &team->explorer;
    out->team = !explorer->trying && yk_explore_has_tried(explorer) ? explorer->best : 0;
    out->ns = yk_explore_ns(explorer, explorer->best);
}

/* Values derived for a device, and not measured since, are not stored: others would be derived from
 * them. */
static void teach_device(const struct yk_learned *from, const char *name,
                         struct yk_lesson_device *out)
{
    *out = (struct yk_lesson_device){ .share = from->share };
    snprintf(out->name, sizeof out->name, "%s", name);
    if (from->derived)
        return;
    out->rate = from->rate;
    out->fixed_ns = from->fixed_ns;
    out->copied_bytes = from->copied_bytes;
    out->spread = from->spread;
    out->grain = from->grain;
    out->steady = from->steady;
}

/* The device's line beside the best team. A line of yoke tune has a lesson of its own. */
static void teach_line(const struct yk_learned *from, int d, const struct yk_lesson *lesson,
                       struct yk_line *out)
{
    const uint32_t team = lesson->team ? lesson->team : yk_team_all(lesson->device_count);
    const struct yk_fit_asked asked = { .team = team,
                                        .self = yk_team_bit(d),
                                        .fixed_ns = from->fixed_ns };
    struct yk_fitted fitted;
    yk_fit_line(&from->fit, &asked, &fitted);
    *out = fitted.line;
}

static int stays_of(const struct yk_stays *stays, int d)
{
    if (stays->devices == 0)
        return 0;
    return !(stays->devices & yk_team_bit(d)) ? 2 : stays->tried ? 1 : 3;
}

int yk_recall_teach(const struct yk_remembered *from, struct yk_lesson *out)
{
    int d, known = 0;
    out->device_count = from->count;
    teach_team(from->team, out);
    for (d = 0; d < from->count; d++) {
        teach_device(&from->devices[d], from->names[d], &out->devices[d]);
        if (!from->devices[d].derived && !from->devices[d].tuned)
            teach_line(&from->devices[d], d, out, &out->devices[d].line);
        yk_cost_keep(&from->costs[d], &out->devices[d].cost);
        out->devices[d].stays = stays_of(from->stays, d);
        known |= out->devices[d].rate > 0;
    }
    return known;
}

static int place_of(const struct yk_remembered *into, const char *name)
{
    int d;
    for (d = 0; d < into->count; d++)
        if (strcmp(into->names[d], name) == 0)
            return d;
    return -1;
}

static void learn_device(const struct yk_lesson_device *from, struct yk_learned *out)
{
    yk_learned_open(out);
    out->rate = from->rate;
    out->fixed_ns = from->fixed_ns;
    out->item_ns = from->rate > 0 ? 1 / from->rate : 0;
    out->share = from->share;
    out->copied_bytes = from->copied_bytes;
    out->spread = from->spread;
    out->grain = from->grain;
    out->steady = from->steady;
}

/* Adds a sample that lies on the line, at the size of the device's part. 1 if it counts. */
static int add_line(const struct yk_lesson_device *from, double items, uint32_t team,
                    struct yk_fit *fit)
{
    const double part = from->share > 0 ? from->share * items : items;
    return from->line.item_ns > 0 &&
           yk_fit_add(fit, &(struct yk_fit_sample){ .items = part,
                                                    .ns = yk_line_ns(&from->line, part),
                                                    .item_ns = from->line.item_ns,
                                                    .team = team });
}

/* The sample comes from another process, whose memory lay elsewhere and which may have been slower
 * or faster throughout, so it counts little compared with samples of this one. */
static void learn_line(const struct yk_lesson_device *from, double items, uint32_t team,
                       struct yk_learned *out)
{
    if (add_line(from, items, team, &out->fit))
        yk_fit_fade(&out->fit, ELSEWHERE);
}

/* The lesson's team, or all of its devices, as bits in the order of this process. */
static uint32_t team_here(const struct yk_lesson *lesson, const struct yk_remembered *into)
{
    uint32_t here = 0;
    int i;
    for (i = 0; i < lesson->device_count; i++) {
        const int d = place_of(into, lesson->devices[i].name);
        if (d >= 0 && (lesson->team == 0 || (lesson->team >> i & 1)))
            here |= yk_team_bit(d);
    }
    return here;
}

/* Costs while rows stay. Not for lessons that were derived from other sizes: these are no better
 * than what one job shows. */
static void learn_cost(const struct yk_lesson_device *from, int d, const struct yk_remembered *into)
{
    yk_cost_recall(&into->costs[d], &from->cost);
    if (from->stays == 1 || from->stays == 3)
        into->stays->devices |= yk_team_bit(d);
    into->stays->tried |= from->stays == 1;
}

void yk_recall_learn(const struct yk_lesson *lesson, const struct yk_remembered *into)
{
    const uint32_t here = team_here(lesson, into);
    int i, whole = 1;
    *into->stays = (struct yk_stays){ 0 };
    for (i = 0; i < lesson->device_count; i++) {
        const int d = place_of(into, lesson->devices[i].name);
        if (d >= 0) {
            learn_device(&lesson->devices[i], &into->devices[d]);
            into->devices[d].derived = lesson->origin == YK_ORIGIN_DERIVED;
            learn_line(&lesson->devices[i], lesson->sizes.at[0], here, &into->devices[d]);
            if (!into->devices[d].derived)
                learn_cost(&lesson->devices[i], d, into);
        }
        whole &= d >= 0 || !(lesson->team >> i & 1);
    }
    if (lesson->team && whole) {
        *into->team = (struct yk_team){ .all = yk_team_all(into->count) };
        yk_explore_recall(&into->team->explorer, here, (double)lesson->confirmed);
    }
}

void yk_recall_learn_alone(const struct yk_lesson *lesson, const struct yk_remembered *into)
{
    int i;
    for (i = 0; i < lesson->device_count; i++) {
        const int d = place_of(into, lesson->devices[i].name);
        struct yk_learned *out = d >= 0 ? &into->devices[d] : NULL;
        const int knows_none = out && out->fit.count == 0;
        if (out && add_line(&lesson->devices[i], lesson->sizes.at[0], yk_team_bit(d), &out->fit))
            out->tuned = knows_none;
    }
}
