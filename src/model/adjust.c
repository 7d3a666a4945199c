/* adjust.c - see adjust.h: moves shares when runs are unbalanced. */
#include "adjust.h"

#include <math.h>

/* Shares change when lbt is at least this. Paper: "whenever the value of lbt is about 1". */
#define ACT 0.9
/* Shares are fitted at once, without more steps, if dev is below FAR_OFF, or after STEPS_MOST
 * steps. */
#define FAR_OFF    0.5
#define STEPS_MOST 3
/* The smallest step is 1 / FINEST of the first one. */
#define FINEST 16.0

static int ran(const struct yk_adjust_part *part)
{
    return part->share > 0 && part->ns > 0 && !isinf(part->ns);
}

/* min / max of the times of the parts that ran; 1 if fewer than two ran. */
static double deviation(const struct yk_adjust_part *parts, int count)
{
    double least = INFINITY, most = 0;
    int p;
    for (p = 0; p < count; p++)
        if (ran(&parts[p])) {
            least = fmin(least, parts[p].ns);
            most = fmax(most, parts[p].ns);
        }
    return most > 0 ? least / most : 1;
}

/* The class of the part that took longest. */
static int slowest_class(const struct yk_adjust_part *parts, int count)
{
    double most = 0;
    int p, slowest = 0;
    for (p = 0; p < count; p++)
        if (ran(&parts[p]) && parts[p].ns > most) {
            most = parts[p].ns;
            slowest = parts[p].class;
        }
    return slowest;
}

/* One class, and all others, without devices that did not run: the shares and the longest time of
 * each side. */
struct sides {
    double has, others, ns, others_ns;
};

static struct sides sides_of(const struct yk_adjust_part *parts, int count, int giver)
{
    struct sides sides = { 0 };
    int p;
    for (p = 0; p < count; p++) {
        const int gives = parts[p].class == giver;
        double *share = gives ? &sides.has : &sides.others;
        double *ns = gives ? &sides.ns : &sides.others_ns;
        if (!ran(&parts[p]))
            continue;
        *share += parts[p].share;
        *ns = fmax(*ns, parts[p].ns);
    }
    return sides;
}

/* Returns the share to give: `step` times the smaller side's share, but no more than makes both
 * sides end together at their latest rates. */
static double gift(const struct sides *sides, double step)
{
    double item = sides->ns / sides->has, others_item = sides->others_ns / sides->others;
    return fmin(step * fmin(sides->has, sides->others),
                (sides->ns - sides->others_ns) / (item + others_item));
}

/* The devices of one class give, and the others get, in proportion to their shares. */
static void give(struct yk_adjust_part *parts, int count, int giver, double step)
{
    const struct sides sides = sides_of(parts, count, giver);
    const double given = gift(&sides, step);
    int p;
    for (p = 0; p < count; p++)
        if (ran(&parts[p]))
            parts[p].share *=
                parts[p].class == giver ? 1 - given / sides.has : 1 + given / sides.others;
}

/* Sets the shares such that all parts end together if each continues at its latest rate. */
static void fit(struct yk_adjust_part *parts, int count)
{
    double rates = 0, shares = 0;
    int p;
    for (p = 0; p < count; p++)
        if (ran(&parts[p])) {
            rates += parts[p].share / parts[p].ns;
            shares += parts[p].share;
        }
    for (p = 0; p < count; p++)
        if (ran(&parts[p]))
            parts[p].share = parts[p].share / parts[p].ns / rates * shares;
}

/* The dev that steps aim at. */
static double middle(const struct yk_adjust_rule *rule)
{
    return (1 + rule->dev) / 2;
}

/* Returns 1 if STEPS_MOST steps of this class would make the run balanced. */
static int steps_will_do(const struct yk_adjust_rule *rule, const struct sides *now)
{
    struct sides sides = *now;
    int step;
    for (step = 0; step < STEPS_MOST; step++) {
        const double given = gift(&sides, rule->step);
        sides.ns *= 1 - given / sides.has;
        sides.others_ns *= 1 + given / sides.others;
        sides.has -= given;
        sides.others += given;
        if (sides.others_ns >= middle(rule) * sides.ns)
            return 1;
    }
    return 0;
}

static void start_anew(struct yk_adjust *adjust)
{
    adjust->step = 0;
    adjust->giver = adjust->steps = 0;
}

static void step_down(struct yk_adjust *adjust, const struct yk_adjust_rule *rule, int giver)
{
    if (!(adjust->step > 0))
        adjust->step = rule->step;
    else if (giver + 1 != adjust->giver)
        adjust->step = fmax(adjust->step / 2, rule->step / FINEST);
    adjust->giver = giver + 1;
    adjust->steps++;
}

static int needs_fit(const struct yk_adjust *adjust, const struct yk_adjust_rule *rule,
                     const struct sides *sides)
{
    if (adjust->dev < FAR_OFF || adjust->steps >= STEPS_MOST || !(sides->others > 0))
        return 1;
    return adjust->steps == 0 && !steps_will_do(rule, sides);
}

int yk_adjust_run(struct yk_adjust *adjust, const struct yk_adjust_rule *rule,
                  struct yk_adjust_part *parts, int count)
{
    double dev = deviation(parts, count);
    double bound = adjust->giver ? middle(rule) : rule->dev;
    int unbalanced = dev < bound, giver = slowest_class(parts, count);
    const struct sides sides = sides_of(parts, count, giver);
    adjust->dev = dev;
    adjust->lbt = unbalanced * rule->weight + adjust->lbt * (1 - rule->weight);
    adjust->level = 0;
    if (!unbalanced)
        start_anew(adjust);
    if (!unbalanced || adjust->lbt < ACT)
        return 0;
    adjust->changes++;
    if (needs_fit(adjust, rule, &sides)) {
        start_anew(adjust);
        fit(parts, count);
        return adjust->level = 2;
    }
    step_down(adjust, rule, giver);
    give(parts, count, giver, adjust->step);
    return adjust->level = 1;
}
