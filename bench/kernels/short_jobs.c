/* short_jobs.c - short jobs, call after call, as a program meets them.
 *
 *     yoke-bench-short-jobs PROBLEM ITEMS CALLS [steps=N] [by_hand=FILE.so]
 *
 * A call runs the problem's kernels on data that stay where jobs leave them, and then reads the
 * results home. With steps=N (even; only the stencil) a call takes N steps, in which the two arrays
 * take turns. Devices: YOKE_DEVICES; partitioner: YOKE_PARTITIONER. The runtime is ready and the
 * arrays are open before the first call, but no row is on a device yet. With by_hand=openmp.so the
 * same calls are made without yoke (turns.c says more); OpenMP's threads then are where it left
 * them, as in a program.
 *
 * Prints one line: the problem, its items, and in microseconds the first call, the sum of calls 2
 * to CALLS and the median of calls 11 to CALLS. Results are verified once, after the last call: a
 * job that adds to its data must have done so in each call, the first one included. (Steps of the
 * stencil converge, so after thousands a missing one is not seen.) A wrong result ends the program
 * with a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "contestant.h"

enum { CALLS_MAX = 10000, UNSETTLED = 10 }; /* the median is of the calls after these */

static int problem_number(const char *name)
{
    int k = 0;
    while (k < PROBLEM_COUNT && strcmp(problem_kinds[k]->name, name))
        k++;
    return k;
}

/* Stores each call's time. */
static void make_calls(struct contestant *contestant, int calls, double *us)
{
    for (int k = 0; k < calls; k++) {
        const double start = now_s();
        contestant->run(contestant);
        contestant->home(contestant);
        us[k] = (now_s() - start) * 1e6;
    }
}

/* Sorts the times. */
static void print_times(const struct problem *problem, int64_t items, int calls, double *us)
{
    double sum = 0;
    for (int k = 1; k < calls; k++)
        sum += us[k];
    printf("%s %lld first %.2f sum %.2f median %.2f\n", problem->kind->name, (long long)items,
           us[0], sum, median(us + UNSETTLED, calls - UNSETTLED));
}

/* What is measured. */
struct series {
    struct contestant *contestant;
    const struct problem_kind *kind;
    struct loop loop;
    int64_t items, calls;
};

/* Prints the times if no result is wrong. Returns the number of wrong elements. */
static int64_t measure(const struct series *series)
{
    static double us[CALLS_MAX];
    struct contestant *contestant = series->contestant;
    struct problem problem;
    contestant_problem(series->kind, series->items, &problem);
    contestant->attach(contestant, &problem, &series->loop);
    contestant_rest();
    make_calls(contestant, (int)series->calls, us);
    problem.by_turns = series->loop.repeats > 0;
    problem.runs = problem.by_turns ? series->calls * series->loop.repeats * 2 : series->calls;
    const int64_t wrong = problem.kind->wrong(&problem);
    if (!wrong)
        print_times(&problem, series->items, (int)series->calls, us);
    contestant->detach(contestant);
    contestant->close(contestant);
    problem_close(&problem);
    return wrong;
}

/* Returns 0 if the words are no options, or there are steps of something else than the stencil. */
static int read_options(char **words, const char **by_hand, struct series *series)
{
    int steps = 0;
    const struct program_option options[] = { { .name = "steps", .whole = &steps },
                                              { .name = "by_hand", .text = by_hand },
                                              { .name = NULL } };
    for (; *words; words++)
        if (!read_option(options, *words))
            return 0;
    if (steps)
        series->loop = stencil_by_turns;
    series->loop.repeats = steps / 2;
    return !steps || (steps > 0 && steps % 2 == 0 && series->kind == &problem_stencil);
}

int main(int argc, char **argv)
{
    const int number = argc > 1 ? problem_number(argv[1]) : PROBLEM_COUNT;
    const char *by_hand = NULL;
    struct series series = { 0 };
    if (number < PROBLEM_COUNT) {
        series.kind = problem_kinds[number];
        series.loop = loops[number];
    }
    if (argc < 4 || !series.kind || read_size(argv[2], 1, &series.items) != 1 ||
        read_size(argv[3], UNSETTLED + 1, &series.calls) != 1 || series.calls > CALLS_MAX ||
        !read_options(argv + 4, &by_hand, &series)) {
        fprintf(stderr,
                "usage: %s PROBLEM ITEMS CALLS [steps=N, even, for the stencil] "
                "[by_hand=FILE.so]\n",
                argv[0]);
        return 2;
    }
    series.contestant = by_hand ? contestant_plain(by_hand) : contestant_yoke(NULL);
    const int64_t wrong = measure(&series);
    if (wrong)
        fprintf(stderr, "%s of %lld items: %lld wrong results\n", argv[1], (long long)series.items,
                (long long)wrong);
    return wrong != 0;
}
