/* variant_trial.c - see variant_trial.h. */
#include "variant_trial.h"

#include <stdlib.h>
#include <string.h>

/* Least mean time of a piece, in ns: reading the clock takes 25 to 50 ns, about 1 % of it. A trial
 * of three variants takes one core 0.2 to 0.8 ms. With half or twice this value the same variants
 * are chosen. */
static const int64_t piece_ns = 4000;
/* Another variant replaces the widest one only if it takes a sixteenth less time. Smaller
 * differences vary from run to run, and so would the last bits of results. */
static const double clearly = 15.0 / 16;
/* Pieces grow by the factor GROWTH until they take long enough. If they were too short in the end,
 * chunks that are LARGER times a round need another trial. */
enum { GROWTH = 4, LARGER = 16 };

void yk_variant_trial_open(struct yk_variant_trial *trial, int count, int64_t unit)
{
    memset(trial, 0, sizeof *trial);
    trial->count = count;
    trial->unit = trial->wanted = unit > 0 ? unit : 1;
}

int64_t yk_variant_trial_piece(const struct yk_variant_trial *trial, int64_t items)
{
    int64_t piece = items / (2 * trial->count);
    if (piece > trial->wanted)
        piece = trial->wanted;
    return piece / trial->unit * trial->unit;
}

int yk_variant_trial_note(struct yk_variant_trial *trial, const int64_t *ns, int64_t piece)
{
    int64_t all = 0;
    for (int v = 0; v < trial->count; v++)
        all += ns[v];
    const int is_long = all >= 2 * trial->count * piece_ns;
    if (!is_long && piece >= trial->wanted && trial->wanted < INT64_MAX / GROWTH) {
        trial->wanted *= GROWTH; /* this piece had `wanted` items, or more in whole blocks */
        return 0;
    }
    if (trial->rounds == YK_TRIAL_ROUNDS)
        trial->rounds = 0;
    trial->are_long = is_long && (trial->rounds == 0 || trial->are_long);
    for (int v = 0; v < trial->count; v++)
        trial->share[v][trial->rounds] = all > 0 ? (double)ns[v] / (double)all : 1;
    return ++trial->rounds == YK_TRIAL_ROUNDS;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *shares)
{
    double sorted[YK_TRIAL_ROUNDS];
    memcpy(sorted, shares, sizeof sorted);
    qsort(sorted, YK_TRIAL_ROUNDS, sizeof *sorted, ascending);
    return sorted[YK_TRIAL_ROUNDS / 2];
}

int yk_variant_trial_best(const struct yk_variant_trial *trial)
{
    int best = trial->count - 1;
    double least = clearly * median(trial->share[best]);
    for (int v = trial->count - 2; v >= 0; v--)
        if (median(trial->share[v]) < least) {
            best = v;
            least = median(trial->share[v]);
        }
    return best;
}

int64_t yk_variant_trial_again(const struct yk_variant_trial *trial, int64_t piece)
{
    const int64_t round = 2 * trial->count * piece;
    return trial->are_long || round > INT64_MAX / LARGER ? INT64_MAX : LARGER * round;
}
