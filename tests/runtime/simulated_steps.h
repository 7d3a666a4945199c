/* simulated_steps.h - tests: steps of programs on simulated machines (yoke_simulate), and their
 * times beside those of fixed splits.
 */
#ifndef YK_SIMULATED_STEPS_H
#define YK_SIMULATED_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/simulate.h>

#include <cmocka.h>

static inline yoke_simulated *simulate(const yoke_simulation *simulation)
{
    yoke_simulated *out = NULL;
    if (yoke_simulate(simulation, &out) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    return out;
}

static inline double late(const yoke_simulated *simulated)
{
    double sum = 0;
    for (int run = simulated->run_count / 2; run < simulated->run_count; run++)
        sum += simulated->runs[run];
    return sum / (simulated->run_count - simulated->run_count / 2);
}

static inline int by_value(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Of the same runs, the median: a trial of another device has no effect on it, and adds to the mean
 * what trials may lose. */
static inline double late_median(const yoke_simulated *simulated)
{
    const int first = simulated->run_count / 2, count = simulated->run_count - first;
    double runs[100];
    assert_true(count <= 100);
    memcpy(runs, simulated->runs + first, (size_t)count * sizeof *runs);
    qsort(runs, (size_t)count, sizeof *runs, by_value);
    return runs[count / 2];
}

static inline double total(const yoke_simulated *simulated)
{
    double sum = 0;
    for (int run = 0; run < simulated->run_count; run++)
        sum += simulated->runs[run];
    return sum;
}

/* The time of `auto` over that of a fixed split. */
static inline double over_fixed(const yoke_simulation *asked, const char *split,
                                double (*time)(const yoke_simulated *simulated))
{
    yoke_simulation other = *asked;
    yoke_simulated *mine = simulate(asked), *fixed;
    double over;
    other.partitioner = split;
    fixed = simulate(&other);
    over = time(mine) / time(fixed);
    yoke_simulated_close(mine);
    yoke_simulated_close(fixed);
    return over;
}

#endif
