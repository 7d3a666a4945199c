/* variant_trial.h - finds the fastest of a kernel's CPU variants, in rounds in which each does the
 * same amount of work. PURE: no clock, no threads.
 *
 * Wider vectors can be slower: if the compiler had to mask their lanes (a boundary test in the
 * body), or if the processor lowers its frequency for them. So variants are measured. In a round
 * the variants do one piece each, and then another in reverse order, so that a cost that rises or
 * falls along the range favours none. The result is the median of each variant's shares of the
 * rounds' times: an interrupt spoils only one round, which a median ignores.
 */
#ifndef YK_BACKEND_CPU_VARIANT_TRIAL_H
#define YK_BACKEND_CPU_VARIANT_TRIAL_H

#include <stdint.h>

#include <yoke/kernel_type.h>

/* With seven rounds, the median is right even if three are spoilt. */
enum { YK_TRIAL_ROUNDS = 7 };

struct yk_variant_trial {
    int count;      /* number of variants; the last is the widest */
    int64_t unit;   /* pieces are multiples of this many items */
    int64_t wanted; /* items that a piece needs to take long enough, as known so far */
    int rounds;     /* number of valid rounds */
    int are_long;   /* 1: the pieces of all these rounds took long enough */
    double share[YOKE_CPU_VARIANTS][YK_TRIAL_ROUNDS];
};

void yk_variant_trial_open(struct yk_variant_trial *trial, int count, int64_t unit);

/* Returns the items of each piece of a round, for a chunk of `items`; 0 if these are too few. A
 * round has 2 * count pieces: of variants 0, 1, ..., and back to 0. */
int64_t yk_variant_trial_piece(const struct yk_variant_trial *trial, int64_t items);

/* Adds a round of such pieces: ns[v] is the time of both pieces of variant v. Returns 1 when all
 * rounds are done: then yk_variant_trial_best returns the outcome, and a new trial may begin. */
int yk_variant_trial_note(struct yk_variant_trial *trial, const int64_t *ns, int64_t piece);

/* Call after yk_variant_trial_note returned 1. */
int yk_variant_trial_best(const struct yk_variant_trial *trial);

/* Call after yk_variant_trial_note returned 1. Returns the least number of items of chunks that
 * need another trial, because these pieces were too short for the clock; INT64_MAX if none does. */
int64_t yk_variant_trial_again(const struct yk_variant_trial *trial, int64_t piece);

#endif
