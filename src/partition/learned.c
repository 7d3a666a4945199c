/* learned.c - see learned.h: updates what is remembered about a device, and passes it on. */
#include "learned.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../model/cost.h"

/* Two jobs' rates are equal within this part: a sleeping thread may look this much before a chunk's
 * end (work/await.c). */
#define STEADY_PART 0.1

void yk_learned_open(struct yk_learned *out)
{
    *out = (struct yk_learned){ .share = -1 };
}

/* Sets of devices are bit masks of this many bits. */
enum { BITS = 32 };
/* Weight left to samples of jobs that `auto` split, after one that was split by lines. */
#define CUT_OTHERWISE 0.2
/* A job that is late by more than this part was disturbed; if that lasts, the lines will show it.
 */
#define LATE_MOST 0.2
/* A part was too large if by its line it took longer than the mean of all parts, by this fraction
 * of the mean. */
#define UNEVEN 0.03
/* A slope that is guessed from a peak is this many times the slope that the peak gives. */
#define DOUBTED 2.0
/* After this many jobs that taught the others' lines, a device without a part is ignored. */
enum { LESSONS_MOST = 4 };
/* A device that was asked this many times and got nothing no longer blocks learning. (papers/004,
 * section 4.1: learning takes less than 5 % of a loop's steps.) */
enum { ASKED_ENOUGH = 2 };

static uint32_t bit(int device)
{
    return device < BITS ? (uint32_t)1 << device : 0;
}

static int is_steady(double before, double now)
{
    return before > (1 - STEADY_PART) * now && before < (1 + STEADY_PART) * now;
}

/* Time of an item on one core. A pause of the core makes it longer, and nothing makes it shorter.
 */
static double core_item_ns(const struct yk_learned *learned, const struct yk_split_outcome *outcome)
{
    const double latest = (double)outcome->work_ns / (double)outcome->items;
    return learned->core_item_ns > 0 ? fmin(latest, (latest + learned->core_item_ns) / 2) : latest;
}

/* Returns the part of the device's time that may have been a cold start: only its first chunk is
 * cold. */
static double cold_part(const struct yk_learned *learned, const struct yk_split_outcome *outcome)
{
    const double busy_ns = (double)outcome->busy_ns;
    const double first_ns = busy_ns / fmax(1, (double)outcome->chunks);
    return busy_ns > 0 ? fmin(learned->cold_ns, first_ns) / busy_ns : 0;
}

/* Limits a chunk's cost to its described value, as speed.c does with the value that it was told. */
static void note_speed(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                       const struct yk_learned_job *job)
{
    learned->steady = is_steady(learned->rate, outcome->rate);
    learned->derived = 0;
    learned->rate = outcome->rate;
    learned->cold = cold_part(learned, outcome);
    learned->item_ns = outcome->item_ns;
    learned->fixed_ns =
        job->told_ns > 0 && outcome->fixed_ns > job->told_ns ? job->told_ns : outcome->fixed_ns;
    /* Chunks beside other jobs wait; that is not the cost of their items. */
    if (!job->crowded)
        learned->spread = outcome->spread;
    learned->crowded = job->crowded;
    learned->waited = outcome->waited;
    if (outcome->items == 0) /* it was measured, then it failed, and its results did not count */
        return;
    learned->copied_bytes = (double)outcome->copied_bytes / (double)outcome->items;
    learned->copying = outcome->copying;
    learned->grain = (double)outcome->items / (double)outcome->chunks;
    learned->part = (double)outcome->items;
    learned->core_item_ns = core_item_ns(learned, outcome);
}

static void note_absence(struct yk_learned *learned)
{
    int patience = learned->patience > 0 ? learned->patience : 1;
    if (++learned->left_out < patience)
        return;
    learned->rate = 0;
    learned->steady = 0;
    learned->left_out = 0;
    learned->patience = patience < INT_MAX / 2 ? 2 * patience : patience;
}

void yk_learned_did(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                    const struct yk_split_outcome *outcome)
{
    if (outcome->items == 0)
        return;
    job->workers |= bit(device);
    job->untold += !(learned->rate > 0);
    if (outcome->ended_ns > job->latest_ns)
        job->latest_ns = outcome->ended_ns;
}

/* Returns 1 if the job shows how long parts of such a job take. */
static int tells_times(const struct yk_learned_job *job)
{
    return job->tells_lines && !job->crowded && job->untold == 0;
}

/* Time after the last chunk, for example to add up the sums of all devices. It belongs to no single
 * device, so each device's time includes it. */
static double after_ns(const struct yk_learned_job *job)
{
    return job->ended_ns > job->latest_ns ? (double)(job->ended_ns - job->latest_ns) : 0;
}

static void note_time(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                      const struct yk_learned_job *job)
{
    if (!tells_times(job) || outcome->items == 0)
        return;
    if (job->by_lines && learned->fit_freely)
        yk_fit_fade(&learned->fit, CUT_OTHERWISE);
    learned->fit_freely = !job->by_lines;
    learned->tuned = 0;
    yk_fit_add(&learned->fit, &(struct yk_fit_sample){
                                  .items = (double)outcome->items,
                                  .ns = (double)(outcome->ended_ns - job->begun_ns) + after_ns(job),
                                  .item_ns = outcome->item_ns,
                                  .team = job->workers });
}

void yk_learned_sum_up(struct yk_learned_job *job, int device, const struct yk_learned *learned,
                       const struct yk_split_outcome *outcome)
{
    const struct yk_fit_asked asked = { .team = job->workers,
                                        .self = bit(device),
                                        .fixed_ns = learned->fixed_ns };
    struct yk_fitted fitted;
    double ns;
    if (!job->by_lines || !tells_times(job) || outcome->items == 0)
        return;
    yk_fit_line(&learned->fit, &asked, &fitted);
    if (!(fitted.line.item_ns > 0))
        return;
    ns = yk_line_ns(&fitted.line, (double)outcome->items);
    job->rates += 1 / fitted.line.item_ns;
    job->shifts += ns / fitted.line.item_ns;
    job->most_ns = fmax(job->most_ns, ns);
}

/* The time of the job by the lines, as they are after the job. */
static double job_ns(const struct yk_learned_job *job)
{
    const double mean_ns = job->rates > 0 ? job->shifts / job->rates : 0;
    return job->most_ns > (1 + UNEVEN) * mean_ns ? job->most_ns : mean_ns;
}

void yk_late_note(struct yk_late *late, const struct yk_learned_job *job)
{
    const double took = (double)(job->ended_ns - job->begun_ns);
    const double lines_ns = job_ns(job);
    if (fabs(took - lines_ns) < LATE_MOST * lines_ns)
        late->part[late->jobs++ % YK_LATE_RECENT] = took / lines_ns;
}

double yk_late_typical(const struct yk_late *late)
{
    double parts[YK_LATE_RECENT];
    if (late->jobs == 0)
        return 0;
    memcpy(parts, late->part, sizeof parts);
    return yk_middle(parts, late->jobs < YK_LATE_RECENT ? late->jobs : YK_LATE_RECENT);
}

static void note_cold(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                      const struct yk_learned_job *job)
{
    const double busy_ns = (double)outcome->busy_ns;
    if (outcome->items > 0)
        learned->cold_ns =
            yk_cold_ns(job->readied ? fmax(learned->cold_ns, busy_ns) : learned->cold_ns, busy_ns);
}

/* The first job always counts; because devices may have loaded code in it, a second one is needed.
 * That one counts only if no memory was made ready and no other job ran beside it. */
static void note_asked(struct yk_learned *learned, const struct yk_learned_job *job)
{
    if (learned->asked == 0 || (learned->asked < ASKED_ENOUGH && job->tells_lines && !job->crowded))
        learned->asked++;
}

void yk_learned_note(struct yk_learned *learned, const struct yk_split_outcome *outcome,
                     const struct yk_learned_job *job)
{
    int known = learned->rate > 0;
    note_time(learned, outcome, job);
    note_cold(learned, outcome, job);
    if (outcome->items > 0)
        learned->passed_over = 0;
    else if (job->by_lines && learned->passed_over < INT_MAX)
        learned->passed_over++;
    if (outcome->rate > 0)
        note_speed(learned, outcome, job);
    if (!job->all_asked)
        return;
    learned->share = (double)outcome->items / (double)job->items;
    note_asked(learned, job);
    if (known && outcome->items > 0)
        learned->left_out = learned->patience = 0;
    else if (known && job->forgives && outcome->left_out)
        note_absence(learned);
}

double yk_learned_bringing(const struct yk_learned *learned, double link_bytes_per_ns)
{
    if (!(learned->rate > 0 && learned->copied_bytes > 0))
        return 1;
    return fmin(1, learned->copying / learned->rate * link_bytes_per_ns / learned->copied_bytes);
}

void yk_learned_tell(const struct yk_learned *learned, struct yk_split_device *out)
{
    out->share = learned->share;
    out->core_item_ns = learned->core_item_ns;
    out->passed_over = learned->passed_over;
    if (!(learned->rate > 0))
        return;
    out->rate = learned->rate;
    out->part = learned->part;
    out->copying = learned->copying;
    out->steady = learned->steady;
    if (!out->host_memory) /* cores load no code, and their threads wake in microseconds */
        out->cold = learned->cold;
    out->waited = learned->waited;
    out->crowded = learned->crowded;
    out->spread = learned->spread;
    /* A fit finds a lower cost if chunks hide each other's cost, which large chunks could do as
     * well. */
    if (learned->fixed_ns > 0)
        out->fixed_ns =
            learned->fixed_ns > out->fixed_ns / 2 ? learned->fixed_ns : out->fixed_ns / 2;
}

int yk_learned_suffices(const struct yk_learned *learned, int count)
{
    uint32_t jobs = 0;
    int d, all = 1, asked = 1, any = 0;
    for (d = 0; d < count; d++) {
        const int known = learned[d].fit.count > 0 || learned[d].rate > 0;
        jobs = learned[d].fit.samples > jobs ? learned[d].fit.samples : jobs;
        any |= known;
        all &= known || learned[d].asked >= ASKED_ENOUGH;
        asked &= learned[d].asked >= ASKED_ENOUGH;
    }
    return jobs > 0 ? all || jobs >= LESSONS_MOST : any && asked;
}

/* A device without a part in any job is assumed to be faster than the others in proportion to its
 * peak, but at half of that speed, to be safe; its whole fixed cost is its chunk's described cost.
 * So it gets a part if that may pay, once, and then it is known. */
static void guess_lines(struct yk_split_device *out, int count)
{
    double best = INFINITY;
    int d;
    for (d = 0; d < count; d++)
        if (out[d].line.item_ns > 0 && out[d].peak > 0)
            best = fmin(best, out[d].line.item_ns * out[d].peak);
    for (d = 0; d < count && !isinf(best); d++)
        if (!(out[d].line.item_ns > 0) && out[d].peak > 0) {
            out[d].line = (struct yk_line){ DOUBTED * best / out[d].peak, out[d].fixed_ns };
            out[d].guessed = 1;
        }
}

void yk_learned_lines(const struct yk_learned *learned, struct yk_split_device *out, int count)
{
    const uint32_t all = count < BITS ? bit(count) - 1 : count == BITS ? UINT32_MAX : 0;
    int d;
    for (d = 0; d < count; d++) {
        const double fixed_ns = out[d].host_memory ? 0 : out[d].fixed_ns;
        const struct yk_fit_asked asked = { .team = all, .self = bit(d), .fixed_ns = fixed_ns };
        struct yk_fitted fitted;
        yk_fit_line(&learned[d].fit, &asked, &fitted);
        out[d].fit = learned[d].fit.count > 0 ? &learned[d].fit : NULL;
        out[d].line = fitted.line;
        out[d].tuned = learned[d].tuned;
        if (!out[d].fit && learned[d].rate > 0 && learned[d].item_ns > 0)
            out[d].line = (struct yk_line){ learned[d].item_ns, learned[d].fixed_ns };
    }
    guess_lines(out, count);
}

/* A device whose speed is unknown is not averaged: it will be tried. */
static int is_level(const struct yk_split_device *device)
{
    return (device->waited || device->crowded) && device->rate > 0 && device->share >= 0;
}

/* Averages the devices of the same make as device `which`. If one of them got nothing, all shares
 * stay: one device alone may be best, and that is for the partitioner to decide. */
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
