/* split.c - see split.h: rounds the ideal split to whole units, and compares sets of devices. */
#include "split.h"

#include <math.h>
#include <stddef.h>

/* Rounding: a part within this relative error of a whole number of units counts as whole. */
#define WHOLE 1e-9
/* If least parts have several units, sets are compared for at most this many devices. */
enum { COMPARED_MOST = 32 };

static int64_t units_in(double items, const struct yk_work *work)
{
    double units = floor(items / (double)work->unit * (1 + WHOLE) + WHOLE);
    return units < 9e18 ? (int64_t)units : INT64_MAX;
}

static int64_t all_units(const struct yk_work *work)
{
    return work->items / work->unit + (work->items % work->unit > 0);
}

static int64_t least_units(const struct yk_part *part, const struct yk_work *work)
{
    double least = ceil(part->least / (double)work->unit * (1 - WHOLE));
    int64_t all = all_units(work);
    return least < 1 ? 1 : least < (double)all ? (int64_t)least : all;
}

static int64_t most_units(const struct yk_part *part, const struct yk_work *work)
{
    return part->most > 0 ? units_in(part->most, work) : INT64_MAX;
}

static double unit_ns(const struct yk_part *part, const struct yk_work *work, int64_t units)
{
    const double items = (double)units * (double)work->unit;
    return part->curve ? yk_curve_ns(part->curve, items) : yk_line_ns(&part->line, items);
}

/* --- a heap of devices, the one with the smallest key on top --- */

static int comes_before(const struct yk_part *parts, int a, int b)
{
    return parts[a].key < parts[b].key || (parts[a].key == parts[b].key && a < b);
}

static void sink(struct yk_part *parts, int count, int at)
{
    int top = parts[at].heap;
    for (;;) {
        int child = 2 * at + 1;
        if (child + 1 < count && comes_before(parts, parts[child + 1].heap, parts[child].heap))
            child++;
        if (child >= count || !comes_before(parts, parts[child].heap, top))
            break;
        parts[at].heap = parts[child].heap;
        at = child;
    }
    parts[at].heap = top;
}

static void order(struct yk_part *parts, int count)
{
    int i;
    for (i = 0; i < count; i++)
        parts[i].heap = i;
    for (i = count / 2 - 1; i >= 0; i--)
        sink(parts, count, i);
}

/* --- which device gets how much --- */

static void begin(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    struct yk_taker *takers = split->takers;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    /* a least part of one unit is no limit here: rounding to whole units comes later */
    int i;
    for (i = 0; i < count; i++) {
        struct yk_part *part = &parts[i];
        const int64_t least = least_units(part, work), most = most_units(part, work);
        const int takes = !part->barred && part->line.item_ns > 0 && isfinite(part->line.item_ns) &&
                          isfinite(part->line.fixed_ns) && least <= most;
        part->units = 0;
        part->barred = !takes;
        takers[i] =
            (struct yk_taker){ .fixed = part->line.fixed_ns,
                               .item = takes ? part->line.item_ns : 0,
                               .fewest =
                                   least > 1 ? (double)least * (double)work->unit * (1 - WHOLE) : 0,
                               .most = part->most > 0 ? (double)most * (double)work->unit : 0,
                               .curve = part->curve,
                               .items = takes ? YK_TAKER_IN : YK_TAKER_NEVER };
    }
}

static void admit_all(struct yk_taker *takers, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (takers[i].items == YK_TAKER_OUT)
            takers[i].items = YK_TAKER_IN;
}

/* A time just before `end`, at which a device that ends its least part exactly at `end` has no part
 * yet. */
static double before(double end)
{
    return end * (1 - 1e-9);
}

/* A newcomer can just do its least part by `end`, but the others do not leave it that many items.
 * It gets exactly its least part, and *items is what remains for the others; if its least part
 * exceeds *items, it stays out. Returns 1 if there was a newcomer: then the other parts must be
 * computed again. */
static int settle_newcomers(const struct yk_split *split, double end, double *items)
{
    struct yk_part *parts = split->parts;
    struct yk_taker *takers = split->takers;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    double others = 0;
    int i, found = 0;
    for (i = 0; i < count; i++)
        if (takers[i].items == YK_TAKER_IN)
            others += yk_finish_part(&takers[i], before(end));
    for (i = 0; i < count && others < *items * (1 - WHOLE); i++) {
        const int64_t least = least_units(&parts[i], work);
        const double fewest = (double)least * (double)work->unit;
        if (takers[i].items != YK_TAKER_IN || least < 2 ||
            yk_finish_part(&takers[i], before(end)) > 0)
            continue;
        found = 1;
        takers[i].items = YK_TAKER_NEVER;
        if (fewest > *items)
            continue;
        parts[i].units = least;
        *items -= fewest;
    }
    return found;
}

/* Gives each device the whole units that it can do by `end`. Returns the number of units left;
 * negative if the parts add up to too much. */
static int64_t round_down(const struct yk_split *split, double end)
{
    struct yk_part *parts = split->parts;
    struct yk_taker *takers = split->takers;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    int64_t left = all_units(work);
    int i;
    for (i = 0; i < count; i++) {
        if (takers[i].items == YK_TAKER_IN) {
            parts[i].units = units_in(yk_finish_part(&takers[i], end), work);
            if (parts[i].units < least_units(&parts[i], work))
                parts[i].units = 0;
        }
        left -= parts[i].units;
    }
    return left;
}

/* Sets the key to the time at which the device would end one unit more (its first part: its least);
 * infinite if it cannot take that. */
static void note_next(struct yk_part *part, const struct yk_work *work, int64_t left)
{
    const int64_t least = least_units(part, work);
    const int64_t next = part->units > 0 ? part->units + 1 : least;
    const int takes = !part->barred && next <= most_units(part, work) && next - part->units <= left;
    part->key = takes ? unit_ns(part, work, next) : INFINITY;
}

/* Hands out the units that are left, each to the device that would end it first. Returns the number
 * of units that no device can take. */
static int64_t hand_out(const struct yk_split *split, int64_t left)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    int i;
    for (i = 0; i < count; i++)
        note_next(&parts[i], work, left);
    order(parts, count);
    while (left > 0) {
        struct yk_part *first = &parts[parts[0].heap];
        int64_t more = first->units > 0 ? 1 : least_units(first, work);
        if (isinf(first->key))
            break;
        if (more <= left) {
            first->units += more;
            left -= more;
        }
        note_next(first, work, left);
        sink(parts, count, 0);
    }
    return left;
}

/* The parts add up to too much if the number of items that a device can do jumps at the end time.
 * Takes units back from the devices that end last. */
static int64_t take_back(const struct yk_split *split, int64_t left)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    while (left < 0) {
        struct yk_part *latest = NULL;
        double ns = -1;
        int64_t less;
        int i;
        for (i = 0; i < count; i++)
            if (parts[i].units > least_units(&parts[i], work) &&
                unit_ns(&parts[i], work, parts[i].units) > ns) {
                latest = &parts[i];
                ns = unit_ns(latest, work, latest->units);
            }
        if (!latest)
            break;
        less = latest->units - least_units(latest, work);
        if (less > -left)
            less = -left;
        latest->units -= less;
        left += less;
    }
    return left;
}

static double latest_ns(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    double latest = 0;
    int i;
    for (i = 0; i < count; i++)
        if (parts[i].units > 0)
            latest = fmax(latest, unit_ns(&parts[i], work, parts[i].units));
    return latest;
}

/* The best split over all devices that are not barred. */
static double solve(const struct yk_split *split)
{
    struct yk_taker *takers = split->takers;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    double items = (double)all_units(work) * (double)work->unit, end = 0;
    int64_t left;
    begin(split);
    while (items > 0) {
        admit_all(takers, count);
        end = yk_finish(takers, count, items);
        if (isinf(end))
            return INFINITY;
        if (!settle_newcomers(split, end, &items))
            break;
        end = 0;
    }
    left = round_down(split, end);
    left = left > 0 ? hand_out(split, left) : take_back(split, left);
    return left == 0 ? latest_ns(split) : INFINITY;
}

/* --- comparing sets --- */

static void keep(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    int i;
    for (i = 0; i < count; i++)
        parts[i].items = parts[i].units;
}

static int is_coarse(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    int i, coarse = 0;
    for (i = 0; i < count; i++)
        coarse |= !parts[i].barred && least_units(&parts[i], work) > 1;
    return coarse;
}

/* A device with a large least part may keep out two others. So as long as the job ends earlier
 * without some device, removes the one whose removal gains most. */
static double compare_sets(const struct yk_split *split, double best)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    int i, worst;
    do {
        worst = -1;
        for (i = 0; i < count; i++) {
            double ns;
            if (parts[i].barred)
                continue;
            parts[i].barred = 1;
            ns = solve(split);
            parts[i].barred = 0;
            if (ns < best * (1 - WHOLE)) {
                best = ns;
                worst = i;
                keep(split);
            }
        }
        if (worst >= 0)
            parts[worst].barred = 1;
    } while (worst >= 0);
    return best;
}

/* --- energy --- */

/* Gives the cheapest devices as much as they can do by `end`. Returns 0 if items are left. */
static int fill_cheapest(const struct yk_split *split, double end)
{
    struct yk_part *parts = split->parts;
    struct yk_taker *takers = split->takers;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    int64_t left = all_units(work);
    int i, waiting = count;
    begin(split);
    for (i = 0; i < count; i++)
        parts[i].key = parts[i].barred ? INFINITY : parts[i].joules;
    order(parts, count);
    while (waiting > 0 && left > 0 && !isinf(parts[parts[0].heap].key)) {
        struct yk_part *part = &parts[parts[0].heap];
        int64_t units = units_in(yk_finish_part(&takers[parts[0].heap], end), work);
        units = units < left ? units : left;
        if (units >= least_units(part, work)) {
            part->units = units;
            left -= units;
        }
        part->key = INFINITY;
        sink(parts, count, 0);
    }
    return left == 0;
}

static double joules_of_units(const struct yk_split *split, int chosen)
{
    double joules = 0;
    int i;
    for (i = 0; i < split->count; i++) {
        const struct yk_part *part = &split->parts[i];
        joules += part->joules * (double)(chosen ? part->items : part->units);
    }
    return joules;
}

static double save_energy(const struct yk_split *split, double best)
{
    if (!fill_cheapest(split, best * (1 + split->work.slower)) ||
        joules_of_units(split, 0) >= joules_of_units(split, 1))
        return best;
    keep(split);
    return latest_ns(split);
}

/* Converts units to items; the range may end within the last unit. */
static void tell(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    const struct yk_work *work = &split->work;
    int i, last = -1;
    for (i = 0; i < count; i++) {
        if (parts[i].items > 0)
            last = i;
        parts[i].ns = parts[i].items > 0 ? unit_ns(&parts[i], work, parts[i].items) : 0;
        parts[i].items *= work->unit;
    }
    if (last >= 0 && work->items % work->unit > 0)
        parts[last].items -= work->unit - work->items % work->unit;
}

double yk_split(const struct yk_split *split)
{
    struct yk_part *parts = split->parts;
    const int count = split->count;
    double best;
    int i;
    for (i = 0; i < count; i++) {
        parts[i].barred = 0;
        parts[i].items = 0;
        parts[i].ns = 0;
    }
    best = solve(split);
    if (isinf(best))
        return best;
    keep(split);
    if (count <= COMPARED_MOST && is_coarse(split))
        best = compare_sets(split, best);
    if (split->work.slower > 0)
        best = save_energy(split, best);
    tell(split);
    return best;
}
