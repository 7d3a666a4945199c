/* short_jobs.c - short jobs, call after call, as a program meets them.
 *
 *     yoke-bench-short-jobs PROBLEM ITEMS CALLS [steps=N]
 *
 * A call runs the problem's kernels on data that stay where jobs leave them, and then reads the
 * results home. With steps=N (even; only the stencil) a call takes N steps, in which the two arrays
 * take turns. Devices: YOKE_DEVICES; partitioner: YOKE_PARTITIONER. The runtime is ready and the
 * arrays are open before the first call, but no row is on a device yet.
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

/* Prints the times if no result is wrong. Returns the number of wrong elements. */
static int64_t measure(int number, const struct loop *loop, int64_t items, int calls)
{
    static double us[CALLS_MAX];
    struct contestant *yoke = contestant_yoke(NULL);
    struct problem problem;
    contestant_problem(problem_kinds[number], items, &problem);
    yoke->attach(yoke, &problem, loop);
    contestant_rest();
    make_calls(yoke, calls, us);
    problem.by_turns = loop->repeats > 0;
    problem.runs = problem.by_turns ? (int64_t)calls * loop->repeats * 2 : calls;
    const int64_t wrong = problem.kind->wrong(&problem);
    if (!wrong)
        print_times(&problem, items, calls, us);
    yoke->detach(yoke);
    yoke->close(yoke);
    problem_close(&problem);
    return wrong;
}

int main(int argc, char **argv)
{
    int steps = 0, is_usable = argc == 4 || argc == 5;
    int64_t items, calls;
    const struct program_option options[] = { { .name = "steps", .whole = &steps },
                                              { .name = NULL } };
    const int number = argc > 1 ? problem_number(argv[1]) : PROBLEM_COUNT;
    is_usable = is_usable && number < PROBLEM_COUNT && read_size(argv[2], 1, &items) == 1 &&
                read_size(argv[3], UNSETTLED + 1, &calls) == 1 && calls <= CALLS_MAX &&
                (argc < 5 || (read_option(options, argv[4]) && steps > 0 && steps % 2 == 0 &&
                              problem_kinds[number] == &problem_stencil));
    if (!is_usable) {
        fprintf(stderr, "usage: %s PROBLEM ITEMS CALLS [steps=N, even, for the stencil]\n",
                argv[0]);
        return 2;
    }
    struct loop loop = steps ? stencil_by_turns : loops[number];
    loop.repeats = steps / 2;
    const int64_t wrong = measure(number, &loop, items, (int)calls);
    if (wrong)
        fprintf(stderr, "%s of %lld items: %lld wrong results\n", argv[1], (long long)items,
                (long long)wrong);
    return wrong != 0;
}
