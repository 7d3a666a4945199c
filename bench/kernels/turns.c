/* turns.c - the loops of kernels.c, handwritten and by yoke, in turns in one process.
 *
 *     yoke-bench-kernels FILE.so [devices=cpu ...] [pairs=15] [only=PROBLEM,...] [size=large|small]
 *                        [items=1M] [seconds=20] [limit=1.05] [beside_us=30] [beside=0]
 *
 * FILE.so has the handwritten loops: openmp.so, or cuda.so with the data resident on GPU 0. Each
 * `devices` adds a contestant: yoke on these (YOKE_DEVICES); rows stay where jobs leave them. Each
 * result is verified before timing. Sizes are powers of 2: the first at which the handwritten loop
 * takes 5 ms (on a GPU 1 ms), and for small sizes 50 us (20 us); or `items`.
 *
 * A turn is: 10 ms of rest (contestant_rest); some calls without timing; then calls for about 2 ms,
 * at least one, timed together. In a round each contestant has one turn; each round begins with
 * another contestant. There are `pairs` rounds, or fewer if a problem takes longer than `seconds`
 * (the row says so). Printed are medians of times, and of the rounds' ratios of yoke's time to the
 * handwritten loop's, with 95 % intervals (interval.h); with beside=N, ratios to yoke on the Nth of
 * the `devices`. A ratio is bold if its whole interval is above `limit` and yoke takes at least
 * `beside_us` longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "contestant.h"
#include "interval.h"

enum { CONTESTANTS_MAX = 6, PAIRS_LEAST = 6, PAIRS_MAX = 1001 };

#define TURN_S      0.002
#define ITEMS_LEAST ((int64_t)1 << 10)
#define ITEMS_MOST  ((int64_t)1 << 30) /* indexes of plain CUDA are int */

struct turns {
    int count; /* of contestants; the first is the handwritten loop */
    struct contestant *contestant[CONTESTANTS_MAX];
    int pairs, beside; /* `beside`: the contestant that ratios are relative to */
    double seconds, limit, beside_us;
    int64_t items; /* 0: as many as the handwritten loop needs for a given time */
};

static double timed(struct contestant *contestant, int calls)
{
    const double start = now_s();
    for (int k = 0; k < calls; k++)
        contestant->run(contestant);
    return (now_s() - start) / calls;
}

/* Time of the handwritten loop: the shortest of the calls in 0.1 s, at least three, after one call
 * without timing. */
static double time_by_hand(const struct turns *turns, int k, int64_t items)
{
    struct contestant *by_hand = turns->contestant[0];
    struct problem problem;
    double best = 1e9, all = 0;
    contestant_problem(problem_kinds[k], items, &problem);
    by_hand->attach(by_hand, &problem, &loops[k]);
    by_hand->run(by_hand);
    for (int call = 0; call < 3 || (call < 1000 && all < 0.1); call++) {
        const double t = timed(by_hand, 1);
        best = t < best ? t : best;
        all += t;
    }
    by_hand->detach(by_hand);
    problem_close(&problem);
    return best;
}

/* The size at which the handwritten loop takes `least_s`. The size grows by at most 64 times per
 * step, because small sizes predict large ones badly. */
static int64_t items_for(const struct turns *turns, int k, double least_s)
{
    int64_t items = ITEMS_LEAST;
    while (items < ITEMS_MOST) {
        const double t = time_by_hand(turns, k, items);
        int grown = 1;
        if (t >= least_s)
            break;
        for (items *= 2; grown < 6 && t * (double)(1 << grown) < 0.7 * least_s; grown++)
            items *= 2;
    }
    return items < ITEMS_MOST ? items : ITEMS_MOST;
}

/* Attaches each contestant to the problem and verifies it on fresh data. 0: a result is wrong. */
static int attach_all(const struct turns *turns, const struct problem *problem,
                      const struct loop *loop)
{
    int right = 1;
    for (int c = 0; c < turns->count; c++) {
        struct contestant *contestant = turns->contestant[c];
        problem->kind->fill(problem);
        contestant->attach(contestant, problem, loop);
        contestant->run(contestant);
        contestant->home(contestant);
        const int64_t wrong = problem->kind->wrong(problem);
        if (wrong > 0) {
            printf("%s by %s: %lld wrong\n", problem->kind->name, contestant->name,
                   (long long)wrong);
            right = 0;
        }
    }
    return right;
}

/* Seconds per call. `calls`: calls that are timed together, from the duration of the last turn. */
static double turn(struct contestant *contestant, int *calls)
{
    contestant_rest();
    if (*calls > 0)
        timed(contestant, 1 + *calls / 4);
    const double t = timed(contestant, *calls > 0 ? *calls : 1);
    *calls = t < TURN_S / 1000 ? 1000 : t < TURN_S ? (int)(TURN_S / t) : t < 10 * TURN_S ? 1 : 0;
    return t;
}

/* Stores seconds of contestant c in round r in seconds[c][r]; returns the number of rounds. The
 * first rounds teach yoke and are overwritten. */
static int measure(const struct turns *turns, double seconds[CONTESTANTS_MAX][PAIRS_MAX])
{
    enum { UNTIMED = 3 };
    int calls[CONTESTANTS_MAX] = { 0 };
    const double start = now_s();
    for (int round = -UNTIMED; round < turns->pairs; round++) {
        if (round >= PAIRS_LEAST && now_s() - start > turns->seconds)
            return round;
        for (int k = 0; k < turns->count; k++) {
            const int c = (k + round + UNTIMED) % turns->count;
            seconds[c][round < 0 ? 0 : round] = turn(turns->contestant[c], &calls[c]);
        }
    }
    return turns->pairs;
}

static void print_time(double s)
{
    printf(s < 1e-3 ? " %.1f us |" : " %.3f ms |", s < 1e-3 ? s * 1e6 : s * 1e3);
}

static void print_row(const struct turns *turns, const struct problem *problem,
                      double seconds[CONTESTANTS_MAX][PAIRS_MAX], int rounds)
{
    double sorted[PAIRS_MAX], ratios[PAIRS_MAX];
    printf("| %s | %lld", problem->kind->name, (long long)problem->size[0]);
    for (int d = 1; d < 3 && problem->size[d] > 1; d++)
        printf(" x %lld", (long long)problem->size[d]);
    double medians[CONTESTANTS_MAX];
    for (int c = 0; c < turns->count; c++) {
        memcpy(sorted, seconds[c], sizeof sorted);
        medians[c] = median(sorted, rounds);
    }
    if (rounds < turns->pairs)
        printf(" (%d rounds)", rounds);
    printf(" |");
    print_time(medians[0]);
    for (int c = 1; c < turns->count; c++) {
        for (int r = 0; r < rounds; r++)
            ratios[r] = seconds[c][r] / seconds[turns->beside][r];
        const struct interval ratio = interval_of(ratios, rounds);
        const double longer = medians[c] - medians[turns->beside];
        const int over = ratio.low > turns->limit && longer * 1e6 > turns->beside_us;
        print_time(medians[c]);
        printf(over ? " **%.2f** (%.2f to %.2f) |" : " %.2f (%.2f to %.2f) |", ratio.median,
               ratio.low, ratio.high);
    }
    printf("\n");
    fflush(stdout);
}

static void print_head(const struct turns *turns)
{
    printf("| problem | size | %s |", turns->contestant[0]->name);
    for (int c = 1; c < turns->count; c++)
        printf(" yoke, %s | ratio (95 %%) |", turns->contestant[c]->name);
    printf("\n| --- | --- | --- |");
    for (int c = 1; c < turns->count; c++)
        printf(" --- | --- |");
    printf("\n");
}

/* 0: a result is wrong. */
static int contest(const struct turns *turns, int k, double least_s)
{
    static double seconds[CONTESTANTS_MAX][PAIRS_MAX];
    struct problem problem;
    contestant_problem(problem_kinds[k], turns->items ? turns->items : items_for(turns, k, least_s),
                       &problem);
    const int right = attach_all(turns, &problem, &loops[k]);
    if (right)
        print_row(turns, &problem, seconds, measure(turns, seconds));
    for (int c = 0; c < turns->count; c++)
        turns->contestant[c]->detach(turns->contestant[c]);
    problem_close(&problem);
    return right;
}

/* Whether a list of names, A,B,C, contains this one. NULL contains all. */
static int is_among(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
            return 1;
    return !list;
}

/* 0: the words are wrong. */
static int read_words(char *const *words, struct turns *turns, const char **devices,
                      const char **only, const char **size)
{
    const struct program_option options[] = { { .name = "only", .text = only },
                                              { .name = "size", .text = size },
                                              { .name = "pairs", .whole = &turns->pairs },
                                              { .name = "beside", .whole = &turns->beside },
                                              { .name = "items", .large = &turns->items },
                                              { .name = "seconds", .real = &turns->seconds },
                                              { .name = "limit", .real = &turns->limit },
                                              { .name = "beside_us", .real = &turns->beside_us },
                                              { .name = NULL } };
    for (; *words; words++) {
        const char *value = value_of(*words, "devices");
        if (value && turns->count < CONTESTANTS_MAX)
            devices[turns->count++] = value;
        else if (value || !read_option(options, *words))
            return 0;
    }
    if (turns->count == 1)
        devices[turns->count++] = "cpu";
    return turns->pairs >= PAIRS_LEAST && turns->pairs <= PAIRS_MAX && turns->items >= 0 &&
           turns->beside >= 0 && turns->beside < turns->count &&
           (!*size || !strcmp(*size, "large") || !strcmp(*size, "small"));
}

int main(int argc, char **argv)
{
    struct turns turns = { .count = 1, .pairs = 15, .seconds = 20, .limit = 1.05, .beside_us = 30 };
    const char *only = NULL, *size = NULL, *devices[CONTESTANTS_MAX];
    int right = 1;
    if (argc < 2 || !read_words(argv + 2, &turns, devices, &only, &size)) {
        fprintf(stderr,
                "usage: %s FILE.so [devices=cpu ...] [pairs=15] [only=PROBLEM,...]\n"
                "       [size=large|small] [items=1M] [seconds=20] [limit=1.05] [beside_us=30]\n"
                "       [beside=0]\n",
                argv[0]);
        return 2;
    }
    turns.contestant[0] = contestant_plain(argv[1]);
    const int on_gpu = strcmp(turns.contestant[0]->name, "CUDA") == 0;
    const double least_s[] = { on_gpu ? 1e-3 : 5e-3, on_gpu ? 20e-6 : 50e-6 };
    for (int c = 1; c < turns.count; c++)
        turns.contestant[c] = contestant_yoke(devices[c]);
    print_head(&turns);
    for (int small = 0; small < (turns.items ? 1 : 2); small++)
        for (int k = 0; k < PROBLEM_COUNT; k++)
            if (is_among(only, problem_kinds[k]->name) &&
                (!size || !strcmp(size, small ? "small" : "large")))
                right &= contest(&turns, k, least_s[small]);
    for (int c = 0; c < turns.count; c++)
        turns.contestant[c]->close(turns.contestant[c]);
    return !right;
}
