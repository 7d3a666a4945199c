/* variant_trial.h - which of a kernel's CPU variants is the fastest, told by rounds in which each
 * does as much. PURE: no clock, no threads.
 *
 * Wider vectors lose where the compiler had to mask their lanes (a boundary test in the body) or
 * where the processor slows down for them, and nothing but time tells. In a round each variant does
 * two pieces, all of them in one order and then in its reverse, so that cost which rises or falls
 * along the range counts for none. A variant's share of each round's time is kept: an interrupt
 * spoils the round it comes in, and medians do not follow one round.
 */
#ifndef YK_BACKEND_CPU_VARIANT_TRIAL_H
#define YK_BACKEND_CPU_VARIANT_TRIAL_H

#include <stdint.h>

#include <yoke/kernel_type.h>

/* With seven, three spoilt rounds do no harm. */
enum { YK_TRIAL_ROUNDS = 7 };

struct yk_variant_trial {
    int count;      /* of variants; the last is the widest */
    int64_t unit;   /* items that pieces are a multiple of */
    int64_t wanted; /* items of a piece that takes long enough, as far as is known */
    int rounds;     /* that count */
    int are_long;   /* all of them */
    double share[YOKE_CPU_VARIANTS][YK_TRIAL_ROUNDS];
};

void yk_variant_trial_open(struct yk_variant_trial *trial, int count, int64_t unit);

/* Items of each piece in a round out of a chunk of so many items; 0: they are too few. A round has
 * 2 * count pieces: variants 0, 1, ..., and back to 0. */
int64_t yk_variant_trial_piece(const struct yk_variant_trial *trial, int64_t items);

/* A round of such pieces: ns[v] is the time of both pieces of variant v. 1: all rounds are there,
 * yk_variant_trial_best tells the outcome, and the trial may begin again. */
int yk_variant_trial_note(struct yk_variant_trial *trial, const int64_t *ns, int64_t piece);

/* After a note that gave 1. */
int yk_variant_trial_best(const struct yk_variant_trial *trial);

/* After a note that gave 1: chunks of so many items deserve another trial, for pieces of these were
 * too short for the clock; INT64_MAX: none does. */
int64_t yk_variant_trial_again(const struct yk_variant_trial *trial, int64_t piece);

#endif
