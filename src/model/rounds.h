/* rounds.h - PURE. A split in which who works with several lanes gets whole rounds, where these are
 * few.
 *
 * Cores take their part in pieces that are no smaller than what fills a core's vectors. 1.3 rounds
 * of such pieces on 32 cores take as long as two: ten cores have a second one, 22 wait, and with
 * them all other devices. A line does not show that. So such a part is made a whole number of
 * rounds, of the next lower and the next higher one that with which all ends earlier.
 */
#ifndef YK_MODEL_ROUNDS_H
#define YK_MODEL_ROUNDS_H

#include "split.h"

/* As yk_split. Splits at most twice more for each device with rounds. */
double yk_split_in_rounds(struct yk_part *parts, struct yk_taker *takers, int count,
                          const struct yk_work *work);

#endif
