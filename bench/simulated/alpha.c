/* alpha.c - section 5.3 of Navarro et al.: the effect of the latest sample's weight on nc-ht and
 * c-ht, and how many chunks of a core came before their size had settled.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../program.h"
#include "study.h"

enum { CHUNKS_MAX = 1 << 16 };

/* Sizes of the cores' chunks, in the order of their ends. */
struct sizes {
    int64_t items[CHUNKS_MAX];
    int count;
};

static void note(void *context, const struct yk_simulate_span *span)
{
    struct sizes *sizes = context;
    if (span->kind == YK_SIMULATE_DONE && span->device == 0 && sizes->count < CHUNKS_MAX)
        sizes->items[sizes->count++] = span->last - span->first;
}

/* The number of chunks until all later ones, up to the middle of the run, differ by less than a
 * tenth from the middle one. After the middle, chunks shrink with the remaining work. */
static int settled_after(const struct sizes *sizes)
{
    int middle = sizes->count / 2, i;
    for (i = middle; i > 0; i--)
        if (fabs((double)sizes->items[i - 1] / (double)sizes->items[middle] - 1) > 0.1)
            break;
    return i;
}

static void cell(const char *line, const char *partitioner, const struct study_case *loop)
{
    struct study_case what = *loop;
    struct yk_profile_spec spec;
    struct yk_profile profile;
    struct yk_simulate_result result;
    struct sizes *sizes = calloc(1, sizeof *sizes);
    if (!sizes)
        must(YOKE_ENOMEM, "sizes");
    snprintf(what.line, sizeof what.line, "%s", line);
    study_machine(&what);
    must(yk_profile_parse(what.profile, what.items, &spec), what.profile);
    must(yk_profile_open(&spec, &profile), what.profile);
    const struct yk_simulate_spec simulation = { .machine = &what.machine,
                                                 .profile = &profile,
                                                 .partitioner = partitioner,
                                                 .threads = what.machine.cpu.cores,
                                                 .waiting = YK_SIMULATE_BLOCK,
                                                 .core_seconds = what.core_seconds,
                                                 .span = note,
                                                 .context = sizes };
    must(yk_simulate(&simulation, &result), line);
    printf(" %.4f, %d |", result.seconds / result.ideal_seconds, settled_after(sizes));
    yk_simulate_close(&result);
    yk_profile_close(&profile);
    yk_machine_close(&what.machine);
    free(sizes);
}

int study_alpha(int count, char **words)
{
    static const char *const machines[] = { "cores=8,gpu:f=7.5:launch=20us",
                                            "cores=8,gpu*4:f=7.5:launch=20us",
                                            "cores=32,gpu*4:f=7.5:launch=20us" };
    static const struct study_case loops[] = {
        { .profile = "regular", .items = 800000, .core_seconds = 900e-6 },
        { .profile = "random:spread=1", .items = 100000, .core_seconds = 1e-3 }
    };
    char partitioner[64];
    int l, m, tenth, kind;
    (void)words;
    if (count > 0) {
        fprintf(stderr, "alpha takes no words\n");
        return 2;
    }
    for (l = 0; l < 2; l++) {
        printf("\n%s: time / ideal, chunks of cores until their size has settled\n\n| alpha |",
               loops[l].profile);
        for (m = 0; m < 3; m++)
            printf(" nc-ht, %s | c-ht |", m == 0 ? "(8,1)" : m == 1 ? "(8,4)" : "(32,4)");
        printf("\n| --- | --- | --- | --- | --- | --- | --- |\n");
        for (tenth = 1; tenth <= 9; tenth += 2) {
            printf("| 0.%d |", tenth);
            for (m = 0; m < 3; m++)
                for (kind = 0; kind < 2; kind++) {
                    snprintf(partitioner, sizeof partitioner, "%s:grains=%d,threshold=1,alpha=0.%d",
                             kind ? "c-ht" : "nc-ht", (int)loops[l].items / (l ? 200 : 400), tenth);
                    cell(machines[m], partitioner, &loops[l]);
                }
            printf("\n");
        }
    }
    return 0;
}
