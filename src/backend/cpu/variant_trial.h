/* variant_trial.h - which of a kernel's CPU variants is the fastest, found in rounds in which each
 * does the same amount of work. PURE: no clock, no threads.
 *
 * Wider vectors are slower where the compiler had to mask their lanes (a boundary test in the
 * body), or where the processor lowers its frequency for them; only measuring tells. In a round
 * each variant does two pieces: all variants in one order and then in reverse order, so that a cost
 * that rises or falls along the range favours none. A variant's share of each round's time is kept:
 * an interrupt spoils only its round, and medians ignore a single round.
 */
#ifndef YK_BACKEND_CPU_VARIANT_TRIAL_H
#define YK_BACKEND_CPU_VARIANT_TRIAL_H

#include <stdint.h>

#include <yoke/kernel_type.h>

/* With seven rounds, three spoilt ones do no harm. */
enum { YK_TRIAL_ROUNDS = 7 };

struct yk_variant_trial {
    int count;      /* number of variants; the last is the widest */
    int64_t unit;   /* pieces are multiples of this many items */
    int64_t wanted; /* items of a piece that takes long enough, as far as is known */
    int rounds;     /* number of valid rounds */
    int are_long;   /* 1: in all of them the pieces took long enough */
    double share[YOKE_CPU_VARIANTS][YK_TRIAL_ROUNDS];
};

void yk_variant_trial_open(struct yk_variant_trial *trial, int count, int64_t unit);

/* Items of each piece of a round, for a chunk of `items`; 0: too few items. A round has 2 * count
 * pieces: variants 0, 1, ..., and back to 0. */
int64_t yk_variant_trial_piece(const struct yk_variant_trial *trial, int64_t items);

/* Notes a round of such pieces: ns[v] is the time of both pieces of variant v. Returns 1 when all
 * rounds are done: yk_variant_trial_best then has the outcome, and the trial may begin again. */
int yk_variant_trial_note(struct yk_variant_trial *trial, const int64_t *ns, int64_t piece);

/* Call after yk_variant_trial_note returned 1. */
int yk_variant_trial_best(const struct yk_variant_trial *trial);

/* Call after yk_variant_trial_note returned 1. Least items of chunks that need another trial,
 * because these pieces were too short for the clock; INT64_MAX: none. */
int64_t yk_variant_trial_again(const struct yk_variant_trial *trial, int64_t piece);

#endif
