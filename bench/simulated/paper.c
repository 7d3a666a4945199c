/* paper.c - 8, 16 and 32 cores with 0, 1, 2 and 4 GPUs, a regular and an irregular loop, as in
 * Navarro et al., section 5. Polling a GPU takes 2 us, waking a thread 15 us and giving it a core 3
 * us. Shows each partitioner's loss relative to the least possible time.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study.h"

struct loop {
    const char *name, *profile;
    int64_t items;
    double f, core_seconds;
    int grain_part; /* GS = items / this */
    /* Limits. nc_points: percentage points of loss beyond the drivers' cores; the others: time /
     * ideal. 0: no limit, because these partitioners were not made for the loop. */
    double nc_points, block, automatic;
    int block_cores; /* the first two limits apply up to this number of cores */
};

static const struct loop loops[] = {
    { "regular", "regular", 800000, 7.5, 900e-6, 400, 2, 1.02, 1.01, 32 },
    { "random", "random:spread=1", 100000, 3.5, 1e-3, 200, 3, 1.06, 1.03, 16 },
    { "clustered", "clustered:dear=4:share=0.25:stretches=2000", 100000, 3.5, 1e-3, 200, 0, 0, 1.03,
      0 },
    { "linear up", "linear-up", 100000, 3.5, 1e-3, 200, 0, 0, 1.03, 0 },
    { "linear down", "linear-down", 100000, 3.5, 1e-3, 200, 0, 0, 1.03, 0 },
};

struct row {
    int cores, gpus;
    double nc, c, blocking, automatic, again; /* time / ideal */
};

static void machine_of(const struct loop *loop, const struct row *row, struct study_case *out)
{
    *out = (struct study_case){ .items = loop->items, .core_seconds = loop->core_seconds };
    snprintf(out->profile, sizeof out->profile, "%s", loop->profile);
    snprintf(out->line, sizeof out->line, "cores=%d:poll=2us:wake=15us:switch=3us", row->cores);
    if (row->gpus)
        snprintf(out->line + strlen(out->line), sizeof out->line - strlen(out->line),
                 ",gpu*%d:f=%g:launch=20us:lanes=2", row->gpus, loop->f);
    study_machine(out);
}

static double ratio(const struct study_case *what, const char *partitioner, int64_t threads,
                    enum yk_simulate_waiting waiting)
{
    return study_ratio(what, &(struct study_run){ partitioner, threads, waiting, 1 }, 0);
}

static void measure(const struct loop *loop, struct row *row)
{
    struct study_case what;
    char nc[64], c[64];
    snprintf(nc, sizeof nc, "nc-ht:grains=%d,threshold=1", (int)loop->items / loop->grain_part);
    snprintf(c, sizeof c, "c-ht:grains=%d,threshold=1", (int)loop->items / loop->grain_part);
    machine_of(loop, row, &what);
    row->nc = ratio(&what, nc, row->cores, YK_SIMULATE_SPIN);
    row->c = ratio(&what, c, row->cores, YK_SIMULATE_BLOCK);
    row->blocking = ratio(&what, nc, row->cores + row->gpus, YK_SIMULATE_BLOCK);
    row->automatic = ratio(&what, "auto", 0, YK_SIMULATE_AUTO);
    row->again = study_ratio(&what, &(struct study_run){ "auto", 0, YK_SIMULATE_AUTO, 3 }, 0);
    yk_machine_close(&what.machine);
}

static double loss(double ratio)
{
    return 100 * (1 - 1 / ratio);
}

/* Returns the mark of a missed limit, and counts it. */
static const char *mark(int met, int *missed)
{
    *missed += !met;
    return met ? "" : " **missed**";
}

static int show(const struct loop *loop, const struct row *row)
{
    double drivers = 100 * row->gpus / (row->gpus * loop->f + row->cores), most = 0;
    int missed = 0, small = row->cores <= loop->block_cores;
    if (row->gpus == 0) {
        most = loop->block_cores ? fmax(row->automatic, fmax(fmax(row->nc, row->c), row->blocking))
                                 : row->automatic;
        printf("| %d, 0 | | %.2f %% | %.2f %% | %.4f | %.4f%s | %.4f |\n", row->cores,
               loss(row->nc), loss(row->c), row->blocking, row->automatic,
               mark(most <= loop->automatic, &missed), row->again);
        return missed;
    }
    printf("| %d, %d | %.2f %% |", row->cores, row->gpus, drivers);
    printf(" %.2f %%%s |", loss(row->nc),
           mark(!small || loss(row->nc) <= drivers + loop->nc_points, &missed));
    printf(" %.2f %%%s |", loss(row->c),
           mark(!loop->block_cores || loss(row->c) <= 0.4 * loss(row->nc), &missed));
    printf(" %.4f%s |", row->blocking, mark(!small || row->blocking <= loop->block, &missed));
    printf(" %.4f%s | %.4f |\n", row->automatic, mark(row->automatic <= loop->automatic, &missed),
           row->again);
    return missed;
}

int study_paper(int count, char **words)
{
    static const int cores[] = { 8, 16, 32 }, gpus[] = { 0, 1, 2, 4 };
    size_t l;
    int c, g, missed = 0;
    (void)words;
    if (count > 0) {
        fprintf(stderr, "paper takes no words\n");
        return 2;
    }
    for (l = 0; l < sizeof loops / sizeof *loops; l++) {
        printf("\n%s: %lld items of %g ms on a core, a GPU is %.1f cores\n\n", loops[l].name,
               (long long)loops[l].items, 1e3 * loops[l].core_seconds, loops[l].f);
        printf("| cores, GPUs | drivers' cores | nc-ht, spin: loss | c-ht: loss | nc-ht, block, a "
               "thread more a GPU: time / ideal | auto, first run | auto, third |\n");
        printf("| --- | --- | --- | --- | --- | --- | --- |\n");
        for (c = 0; c < 3; c++)
            for (g = 0; g < 4; g++) {
                struct row row = { .cores = cores[c], .gpus = gpus[g] };
                measure(&loops[l], &row);
                missed += show(&loops[l], &row);
            }
    }
    printf("\n%d limits missed\n", missed);
    return missed != 0;
}
