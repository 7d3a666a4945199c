/* rounds.h - PURE. A split in which a device with several lanes gets whole rounds if these are few.
 *
 * Cores take their part in pieces that are no smaller than what fills a core's vectors. A round is
 * one piece for each core. On 32 cores, 1.3 rounds take as long as two: ten cores have a second
 * piece, 22 are idle, and so are all other devices. A line does not show that. So the part becomes
 * the next lower or the next higher number of whole rounds, whichever ends the job earlier.
 */
#ifndef YK_MODEL_ROUNDS_H
#define YK_MODEL_ROUNDS_H

#include "split.h"

/* As yk_split, but may split up to three more times for each device with rounds. */
double yk_split_in_rounds(const struct yk_split *split);

#endif
