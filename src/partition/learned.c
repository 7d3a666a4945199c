/* learned.c - see learned.h. */
#include "learned.h"

#include <math.h>

/* Two jobs' rates are alike within this part: as far off as a sleeper may look before a chunk's end
 * (runtime/await.c). */
#define STEADY_PART 0.1
/* What a chunk that was dear once still counts in the next job: large chunks hide what small ones
 * showed. */
#define SPREAD_FADE 0.9
/* A device that is slow indeed is measured again at least this often. */
enum { PATIENCE_MOST = 64 };

void yk_learned_open(struct yk_learned *out)
{
    *out = (struct yk_learned){ .share = -1 };
}

static int is_steady(double before, double now)
{
    return before > (1 - STEADY_PART) * now && before < (1 + STEADY_PART) * now;
}

/* A chunk's cost is kept from growing from job to job (speed.c bounds it by a multiple of what it
 * was told). */
static void note_speed(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                       const struct yk_learned_job *job)
{
    learned->steady = is_steady(learned->rate, outcome->rate);
    learned->rate = outcome->rate;
    learned->fixed_ns =
        job->told_ns > 0 && outcome->fixed_ns > job->told_ns ? job->told_ns : outcome->fixed_ns;
    /* What chunks wait for beside other jobs is not what their items cost. */
    learned->spread = fmax(job->crowded ? 0 : outcome->spread, SPREAD_FADE * learned->spread);
    learned->crowded = job->crowded;
    learned->copied_bytes = (double)outcome->copied_bytes / (double)outcome->items;
    learned->waited = outcome->waited;
    learned->grain = (double)outcome->items / (double)outcome->chunks;
}

static void note_absence(struct yk_learned *learned)
{
    int patience = learned->patience > 0 ? learned->patience : 1;
    if (++learned->left_out < patience)
        return;
    learned->rate = 0;
    learned->steady = 0;
    learned->left_out = 0;
    learned->patience = 2 * patience < PATIENCE_MOST ? 2 * patience : PATIENCE_MOST;
}

void yk_learned_note(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                     const struct yk_learned_job *job)
{
    int known = learned->rate > 0;
    if (outcome->rate > 0)
        note_speed(learned, outcome, job);
    if (!job->everybodys)
        return;
    learned->share = (double)outcome->items / (double)job->items;
    if (known && outcome->items > 0)
        learned->left_out = learned->patience = 0;
    else if (known && job->forgives)
        note_absence(learned);
}

void yk_learned_tell(const struct yk_learned *learned, struct yk_split_device *out)
{
    out->share = learned->share;
    if (!(learned->rate > 0))
        return;
    out->rate = learned->rate;
    out->steady = learned->steady;
    out->waited = learned->waited;
    out->crowded = learned->crowded;
    out->spread = learned->spread;
    /* A fit finds less where chunks hide each other's cost, which large ones could do as well. */
    if (learned->fixed_ns > 0)
        out->fixed_ns =
            learned->fixed_ns > out->fixed_ns / 2 ? learned->fixed_ns : out->fixed_ns / 2;
}

/* One whose speed nobody knows will be tried. */
static int is_level(const struct yk_split_device *device)
{
    return (device->waited || device->crowded) && device->rate > 0 && device->share >= 0;
}

/* Those of the make of device `which`. Where one of them had nothing, another may have done all
 * since it is best done by one: who decides has to look at that. */
static void level(struct yk_split_device *out, int count, int which)
{
    double rates = 0, shares = 0;
    int d, alike = 0, all = 1;
    for (d = 0; d < count; d++)
        if (out[d].make == out[which].make && is_level(&out[d])) {
            rates += out[d].rate;
            shares += out[d].share;
            all &= out[d].share > 0;
            alike++;
        }
    for (d = 0; d < count && alike > 1; d++)
        if (out[d].make == out[which].make && is_level(&out[d])) {
            out[d].rate = rates / alike;
            if (all)
                out[d].share = shares / alike;
        }
}

void yk_learned_level(struct yk_split_device *out, int count)
{
    int d, before;
    for (d = 0; d < count; d++) {
        for (before = 0; before < d && out[before].make != out[d].make; before++)
            ;
        if (before == d && out[d].make > 0)
            level(out, count, d);
    }
}
