/* machines.c - random machines and loops, each compared with a bound that no schedule can beat.
 *
 * The class that is judged has 1 to 64 cores, 0 to 16 GPUs whose speeds differ by up to 100 times,
 * stairs and noise. The most expensive item costs at most 0.5 % of the bound on the slowest device
 * that takes part (on a device with stairs, an item costs a step). The start of a chunk can overlap
 * with other chunks. Outside the class: few items, jobs too short for waking, starts that cannot
 * overlap, contention, one lane; then failures, and load that comes and goes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "draft.h"

struct settings {
    int count, outside, show;
    int64_t seed;
    const char *partitioner;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentiles(const char *title, double *values, int count)
{
    if (count == 0)
        return;
    qsort(values, (size_t)count, sizeof *values, ascending);
    printf("| %s | %d | %.4f | %.4f | %.4f |\n", title, count, values[count / 2],
           values[(int)(0.95 * (count - 1) + 0.5)], values[count - 1]);
}

/* Each case runs this many times in a row: each run begins with what the earlier ones taught. */
enum { RUNS = 3 };
static const char *const titles[RUNS] = { "first run", "second run", "third run" };

struct worst {
    double ratio;
    int run; /* which of them, from 0 */
    struct study_case what;
};

static void show_case(struct worst *worst, const struct settings *settings)
{
    const struct study_case *what = &worst->what;
    printf("\n%.4f in the %s: yoke sim '%s' '%s' --size %lld --work %.6g --repeat %d\n",
           worst->ratio, titles[worst->run], what->line, what->profile, (long long)what->items,
           what->core_seconds * (double)what->items, worst->run > 0 ? worst->run : 1);
    study_machine(&worst->what);
    study_ratio(what,
                &(struct study_run){ .partitioner = settings->partitioner, .runs = worst->run + 1 },
                1);
    yk_machine_close(&worst->what.machine);
}

static void note_worst(struct worst *worst, int show, const struct worst *new)
{
    int at = show - 1;
    if (show == 0 || new->ratio <= worst[at].ratio)
        return;
    while (at > 0 && worst[at - 1].ratio < new->ratio) {
        worst[at] = worst[at - 1];
        at--;
    }
    worst[at] = *new;
}

/* Writes the ratios of each run, one run after the other, and the worst cases. */
static void judge_all(const struct settings *settings, double *ratios, struct worst *worst)
{
    uint64_t state = (uint64_t)settings->seed;
    struct draft draft;
    int i, run;
    for (i = 0; i < settings->count; i++) {
        double each[RUNS];
        struct worst this = { 0 };
        draft_draw(&state, &draft, &this.what);
        draft_write(&draft, &this.what);
        study_ratio(
            &this.what,
            &(struct study_run){ .partitioner = settings->partitioner, .runs = RUNS, .each = each },
            0);
        for (run = 0; run < RUNS; run++) {
            ratios[run * settings->count + i] = each[run];
            if (each[run] > each[this.run])
                this.run = run;
        }
        this.ratio = each[this.run];
        note_worst(worst, settings->show, &this);
        yk_machine_close(&this.what.machine);
    }
}

static int judge(const struct settings *settings)
{
    const int count = settings->count;
    double *ratios = calloc((size_t)count + 1, RUNS * sizeof *ratios);
    struct worst *worst = calloc((size_t)settings->show + 1, sizeof *worst);
    int i, met = 0;
    if (!ratios || !worst)
        return 1;
    judge_all(settings, ratios, worst);
    printf("| %s: time / bound | machines | median | 95th percentile | worst |\n| --- | --- | --- "
           "| --- | --- |\n",
           settings->partitioner);
    for (i = 0; i < RUNS; i++)
        percentiles(titles[i], ratios + i * count, count);
    if (count > 0)
        met = ratios[count / 2] <= 1.01 && ratios[(int)(0.95 * (count - 1) + 0.5)] <= 1.03 &&
              ratios[count - 1] <= 1.1;
    printf("\nlimits 1.01, 1.03, 1.10 for the first run: %s\n", met ? "met" : "**missed**");
    for (i = 0; i < settings->show; i++)
        if (worst[i].ratio > 0)
            show_case(&worst[i], settings);
    free(ratios);
    free(worst);
    return !met;
}

static void report_outside(const struct settings *settings)
{
    uint64_t state = (uint64_t)settings->seed + 1000003;
    struct worst worst[DRAFT_FLAWS] = { { 0 } };
    double *values[DRAFT_FLAWS];
    int counts[DRAFT_FLAWS] = { 0 }, i, k;
    struct draft draft;
    for (k = 0; k < DRAFT_FLAWS; k++)
        values[k] = calloc((size_t)settings->outside + 1, sizeof **values);
    for (i = 0; i < settings->outside; i++) {
        struct worst this = { 0 };
        draft_draw(&state, &draft, &this.what);
        k = draft_spoil(&state, &draft, &this.what);
        draft_write(&draft, &this.what);
        this.ratio = values[k][counts[k]++] =
            study_ratio(&this.what, &(struct study_run){ .partitioner = settings->partitioner }, 0);
        note_worst(&worst[k], 1, &this);
        yk_machine_close(&this.what.machine);
    }
    printf("\n| outside the class | machines | median | 95th percentile | worst |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (k = 0; k < DRAFT_FLAWS; k++) {
        percentiles(draft_flaws[k], values[k], counts[k]);
        free(values[k]);
    }
    for (k = 0; k < DRAFT_FLAWS && settings->show > 0; k++)
        if (worst[k].ratio > 0)
            show_case(&worst[k], settings);
}

/* Machines of the class with an event in the middle of the run. The bound knows the event in
 * advance: it adds up the speeds at each time until all work is done. It does not count the work in
 * progress on a lost GPU as lost. */
struct mishap {
    const char *name, *key; /* of the cores, or of the first GPU */
    int of_gpu;
};
static const struct mishap mishaps[] = {
    { "a GPU fails", ":fail=%.9f", 1 },
    { "a GPU is half as fast for a third", ":load=%.9f-%.9f*2", 1 },
    { "cores are a third as fast for a third", ":load=%.9f-%.9f*3", 0 },
    { "a GPU joins late", ":join=%.9f", 1 },
};
enum { MISHAPS = sizeof mishaps / sizeof *mishaps };

/* Seconds until `work` is done, at speed `all`, reduced by `lost` between the times `from` and
 * `to`. */
static double clairvoyant(double work, double all, double lost, double from, double to)
{
    double before = all * from, during = (all - lost) * (to - from);
    if (work <= before)
        return work / all;
    if (work <= before + during)
        return from + (work - before) / (all - lost);
    return to + (work - before - during) / all;
}

static double suffer(struct study_case *what, const struct draft *draft, int kind,
                     const struct settings *settings)
{
    struct study_case changed = *what;
    double all = draft_speed(draft), seconds = draft->seconds, from = 0.3 * seconds,
           to = 0.63 * seconds;
    double work = seconds * all, lost = mishaps[kind].of_gpu ? draft->f[0] : 1.0, bound, ratio;
    struct draft with = *draft;
    char extra[128];
    snprintf(extra, sizeof extra, mishaps[kind].key, from, to);
    if (mishaps[kind].of_gpu)
        with.extra = extra;
    draft_write(&with, &changed);
    if (!mishaps[kind].of_gpu) { /* after the cores' own keys */
        char line[sizeof changed.line];
        const char *rest = strchr(what->line, ',');
        snprintf(line, sizeof line, "%.*s%s%s",
                 rest ? (int)(rest - what->line) : (int)strlen(what->line), what->line, extra,
                 rest ? rest : "");
        yk_machine_close(&changed.machine);
        memcpy(changed.line, line, sizeof line);
        study_machine(&changed);
        lost = draft->cores * 2.0 / 3;
    }
    if (kind == 0)
        to = INFINITY;
    if (kind == 1)
        lost /= 2;
    if (kind == 3)
        to = from, from = 0;
    bound = isinf(to) && work > all * from ? from + (work - all * from) / fmax(all - lost, 1e-9)
                                           : clairvoyant(work, all, lost, from, to);
    ratio = study_ratio(&changed, &(struct study_run){ .partitioner = settings->partitioner }, 0) *
            yk_machine_ideal(&changed.machine,
                             &(struct yk_machine_job){ .items = (double)what->items,
                                                       .core_seconds = what->core_seconds },
                             -1) /
            bound;
    yk_machine_close(&changed.machine);
    return ratio;
}

static void report_mishaps(const struct settings *settings)
{
    uint64_t state = (uint64_t)settings->seed + 2000003;
    double *values[MISHAPS];
    int counts[MISHAPS] = { 0 }, i, k;
    struct draft draft;
    for (k = 0; k < MISHAPS; k++)
        values[k] = calloc((size_t)settings->outside + 1, sizeof **values);
    for (i = 0; i < settings->outside; i++) {
        struct study_case what;
        draft_draw(&state, &draft, &what);
        if (draft.gpus == 0)
            continue;
        draft_write(&draft, &what);
        for (k = 0; k < MISHAPS; k++)
            values[k][counts[k]++] = suffer(&what, &draft, k, settings);
        yk_machine_close(&what.machine);
    }
    printf("\n| in mid-run: time / bound that knew it | machines | median | 95th percentile | "
           "worst |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (k = 0; k < MISHAPS; k++) {
        percentiles(mishaps[k].name, values[k], counts[k]);
        free(values[k]);
    }
}

int study_machines(int count, char **words)
{
    struct settings settings = { .count = 1000, .outside = 300, .seed = 1, .partitioner = "auto" };
    const struct program_option options[] = { { "count", .whole = &settings.count },
                                              { "outside", .whole = &settings.outside },
                                              { "show", .whole = &settings.show },
                                              { "seed", .large = &settings.seed },
                                              { "partitioner", .text = &settings.partitioner },
                                              { .name = NULL } };
    int i, missed;
    for (i = 0; i < count; i++)
        if (!read_option(options, words[i])) {
            fprintf(stderr,
                    "machines: '%s' is none of count=, outside=, seed=, show=, "
                    "partitioner=\n",
                    words[i]);
            return 2;
        }
    missed = judge(&settings);
    report_outside(&settings);
    report_mishaps(&settings);
    return missed;
}
