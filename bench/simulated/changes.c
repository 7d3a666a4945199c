/* changes.c - the value of lines (model/fit.h) on a machine that changes. Two devices do the same
 * job repeatedly. Each job is split by the lines that the jobs before it taught, while one device
 * becomes slower or faster. Times have noise, common to both devices and separate for each.
 */
#include <math.h>
#include <stdio.h>

#include "machine/random.h"
#include "model/fit.h"
#include "study.h"

enum { DEVICES = 2, BEFORE = 20, JOBS = 40, REPEATS = 300, TEAM = 3 };
static const double items = 50000;
static const double item_ns[DEVICES] = { 44, 132 }, fixed_ns[DEVICES] = { 1e5, 3e5 };
/* The fraction of b that chunks do not show. */
static const double hidden = 0.8;

/* The time of job `j` on the device, as a multiple of its usual time. */
typedef double level(int device, int j);

static double constant(int device, int j)
{
    (void)device, (void)j;
    return 1;
}
static double warms_up(int device, int j)
{
    return device == 0 && j < 11 ? 1 + (11 - j) / 11.0 : 1;
}
static double is_loaded(int device, int j)
{
    return device == 0 && j >= 10 && j < 25 ? 2 : 1;
}
static double speeds_up(int device, int j)
{
    return device == 0 && j >= 10 ? 0.7 : 1;
}
static double goes_up_and_down(int device, int j)
{
    return device == 1 ? 1 + 0.3 * sin(j / 12.0) : 1;
}

/* Mean 0, standard deviation 1. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += yk_random_next(state);
    return sum;
}

/* Two devices' parts that end together (papers/004, eq. 2); returns T. */
static double split(const struct yk_line lines[DEVICES], double parts[DEVICES])
{
    double rates = 0, shifts = 0, end;
    for (int d = 0; d < DEVICES; d++) {
        rates += 1 / lines[d].item_ns;
        shifts += lines[d].fixed_ns / lines[d].item_ns;
    }
    end = (items + shifts) / rates;
    parts[0] = fmin(fmax((end - lines[0].fixed_ns) / lines[0].item_ns, 0.02 * items), 0.98 * items);
    parts[1] = items - parts[0];
    return end;
}

/* Runs a job with the split by the lines; returns its end / the best split's end - 1. */
static double do_job(struct yk_fit fits[DEVICES], const double levels[DEVICES], double noise,
                     uint64_t *state)
{
    struct yk_line lines[DEVICES], truths[DEVICES];
    double parts[DEVICES], best[DEVICES], end = 0;
    const double both = 1 + noise / 2 * normal(state);
    for (int d = 0; d < DEVICES; d++) {
        struct yk_fitted fitted;
        yk_fit_line(&fits[d], &(struct yk_fit_asked){ TEAM, 1u << d, 1e4 }, &fitted);
        truths[d] = (struct yk_line){ levels[d] * item_ns[d], levels[d] * fixed_ns[d] };
        lines[d] = fitted.line.item_ns > 0 ? fitted.line : truths[d];
    }
    split(lines, parts);
    for (int d = 0; d < DEVICES; d++) {
        const double ns = yk_line_ns(&truths[d], parts[d]);
        const double took = ns * both * (1 + noise * normal(state));
        end = fmax(end, ns);
        yk_fit_add(&fits[d],
                   &(struct yk_fit_sample){ .items = parts[d],
                                            .ns = took,
                                            .item_ns = (took - hidden * fixed_ns[d]) / parts[d],
                                            .team = TEAM });
    }
    return end / split(truths, best) - 1;
}

/* The mean loss over the jobs, after BEFORE jobs in which nothing changes. */
static double behind(level *of, double noise)
{
    uint64_t state = 1;
    double sum = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        struct yk_fit fits[DEVICES] = { { 0 }, { 0 } };
        for (int j = -BEFORE; j < JOBS; j++) {
            const double levels[DEVICES] = { j < 0 ? 1 : of(0, j), j < 0 ? 1 : of(1, j) };
            const double part = do_job(fits, levels, noise, &state);
            sum += j < 0 ? 0 : part;
        }
    }
    return sum / REPEATS / JOBS;
}

int study_changes(int count, char **words)
{
    static const struct {
        const char *name;
        level *of;
    } rows[] = { { "nothing changes", constant },
                 { "the first one begins at half its speed and has it after 11 jobs", warms_up },
                 { "it is half as fast in jobs 10 to 24", is_loaded },
                 { "it takes 30 % less from job 10 on", speeds_up },
                 { "the second one's times go up and down by 30 %, over 75 jobs",
                   goes_up_and_down } };
    if (count > 0) {
        fprintf(stderr, "changes: '%s' is one word too many\n", words[0]);
        return 2;
    }
    printf("| times vary by | 1 %% | 3 %% | 5 %% | 7 %% |\n| --- | --- | --- | --- | --- |\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        printf("| %s |", rows[r].name);
        for (double noise = 0.01; noise < 0.08; noise += 0.02)
            printf(" %.1f %% |", 100 * behind(rows[r].of, noise));
        printf("\n");
    }
    return 0;
}
