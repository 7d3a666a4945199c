/* rounds.h - PURE. A split in which a device with several lanes gets whole rounds if these are few.
 *
 * Cores take their part in pieces that are no smaller than what fills a core's vectors. 1.3 rounds
 * of such pieces on 32 cores take as long as two: ten cores have a second piece, 22 are idle, and
 * so are all other devices. A line does not show that. So such a part becomes a whole number of
 * rounds: the next lower or the next higher one, whichever ends the job earlier.
 */
#ifndef YK_MODEL_ROUNDS_H
#define YK_MODEL_ROUNDS_H

#include "split.h"

/* As yk_split. Splits at most twice more for each device with rounds. */
double yk_split_in_rounds(const struct yk_split *split);

#endif
