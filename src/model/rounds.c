/* rounds.c - see rounds.h: tries the next lower and the next higher number of rounds. */
#include "rounds.h"

#include <math.h>

/* With this many rounds or more, the line is accurate enough: a partial round costs at most 1 / FEW
 * of the time. */
enum { FEW = 16 };

/* When the job ends if the device does exactly `rounds` rounds; with 0 the device does nothing. */
static double split_with(const struct yk_split *split, int which, double rounds)
{
    struct yk_part *part = &split->parts[which];
    const double least = part->least, most = part->most, item_ns = part->line.item_ns;
    double end;
    part->least = part->most = rounds * part->round;
    if (rounds == 0)
        part->line.item_ns = 0;
    end = yk_split(split);
    part->least = least;
    part->most = most;
    part->line.item_ns = item_ns;
    return end;
}

static double round_one(const struct yk_split *split, int which)
{
    const double rounds = (double)split->parts[which].items / split->parts[which].round;
    const double lower = split_with(split, which, floor(rounds));
    const double higher = split_with(split, which, ceil(rounds));
    return lower < higher ? split_with(split, which, floor(rounds)) : higher;
}

double yk_split_in_rounds(const struct yk_split *split)
{
    double end = yk_split(split);
    int i;
    for (i = 0; i < split->count && !isinf(end); i++) {
        const struct yk_part *part = &split->parts[i];
        const double rounds = part->round > 0 ? (double)part->items / part->round : 0;
        if (rounds > 0 && rounds < FEW && rounds > floor(rounds))
            end = round_one(split, i);
    }
    return end;
}
