/* study.c - loops on simulated machines: the configurations of Navarro et al., and random machines
 * compared with a bound that no schedule can beat.
 *
 *     yoke-bench-simulated paper
 *     yoke-bench-simulated alpha
 *     yoke-bench-simulated machines [count=1000] [seed=1] [outside=300] [partitioner=auto] [show=N]
 *     yoke-bench-simulated changes
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "study.h"

void study_machine(struct study_case *what)
{
    must(yk_machine_parse(what->line, YK_MACHINE_JOB, &what->machine), what->line);
}

static void tell(const struct yk_simulate_result *result)
{
    int d;
    for (d = 0; d < result->device_count; d++)
        printf("    %-8s %6.2f %% of items, %5lld chunks, busy %.6f of %.6f s; %s\n",
               result->devices[d].name, 100.0 * (double)result->devices[d].items,
               (long long)result->devices[d].chunks, result->devices[d].busy_seconds,
               result->seconds, result->devices[d].reason);
}

double study_ratio(const struct study_case *what, const struct study_run *how, int verbose)
{
    struct yk_profile_spec spec;
    struct yk_profile profile;
    struct yk_learned *learned;
    struct yk_simulate_result result;
    double ratio = INFINITY;
    int run, d, count = 1 + what->machine.gpu_count;
    learned = calloc((size_t)count, sizeof *learned);
    if (!learned)
        must(YOKE_ENOMEM, "a run");
    for (d = 0; d < count; d++)
        learned[d].share = -1;
    must(yk_profile_parse(what->profile, what->items, &spec), what->profile);
    must(yk_profile_open(&spec, &profile), what->profile);
    for (run = 0; run < (how->runs ? how->runs : 1); run++) {
        const struct yk_simulate_spec simulation = { .machine = &what->machine,
                                                     .profile = &profile,
                                                     .partitioner = how->partitioner,
                                                     .threads = how->threads,
                                                     .waiting = how->waiting,
                                                     .core_seconds = what->core_seconds,
                                                     .learned = run ? learned : NULL,
                                                     .most_events = 100000000 };
        must(yk_simulate(&simulation, &result), what->line);
        ratio = result.verdict[0] ? INFINITY : result.seconds / result.ideal_seconds;
        if (how->each)
            how->each[run] = ratio;
        if (verbose && result.verdict[0])
            printf("    %s\n", result.verdict);
        if (verbose && run + 1 == (how->runs ? how->runs : 1))
            tell(&result);
        for (d = 0; d < count; d++)
            learned[d] = result.devices[d].learned;
        yk_simulate_close(&result);
    }
    yk_profile_close(&profile);
    free(learned);
    return ratio;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "paper") == 0)
        return study_paper(count - 2, words + 2);
    if (count > 1 && strcmp(words[1], "alpha") == 0)
        return study_alpha(count - 2, words + 2);
    if (count > 1 && strcmp(words[1], "machines") == 0)
        return study_machines(count - 2, words + 2);
    if (count > 1 && strcmp(words[1], "changes") == 0)
        return study_changes(count - 2, words + 2);
    fprintf(stderr,
            "usage: %s paper | alpha | changes | machines [count=N] [seed=N] [outside=N] "
            "[partitioner=NAME] "
            "[show=N]\n",
            words[0]);
    return 2;
}
