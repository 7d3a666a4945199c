/* mm_tiles.c - see mm_tiles.h.
 *
 * A call of OpenBLAS with one thread rearranges its part of B, which few rows do not pay for, and
 * is slower for narrow parts of B. Measured with one thread of an EPYC with AVX-512, 0.3.21,
 * 3000 x 3000 doubles, beside 92 GFLOP/s for all of it:
 *
 *     rows, full width   48: 61   96: 77   192: 87   384: 91   750: 92
 *     columns, 750 rows  188: 67   375: 74   750: 85   1500: 89
 *
 * which 1 + f f / (1 + f) + 50 / columns with f = 50 / rows fits. Two cores are best off with
 * pieces of full width; for 32, pieces of full width would be too flat, and each core would read
 * all of B from memory.
 */
#include "mm_tiles.h"

#define FLAT   50.0
#define NARROW 50.0
/* Whoever has no piece any more waits for the others, by this part of a piece even where all are
 * alike: somebody is always held up a little. */
#define WAIT 0.02
enum { NARROWEST = 256, PIECES_MOST = 8 };

static int64_t part_of(int64_t whole, int64_t parts)
{
    return (whole - 1) / parts + 1;
}

/* In products of one element of A and one of B. */
static double time_of(const struct mm_tiles_spec *spec, int64_t rows, int64_t columns)
{
    const double row_count = (double)part_of(spec->rows, rows);
    const double count = row_count * (double)part_of(spec->columns, columns);
    const int64_t rounds = part_of((int64_t)count, spec->cores);
    const double flat = FLAT / (double)rows, narrow = NARROW / (double)columns;
    return ((double)rounds + WAIT) * (double)rows * (double)columns *
           (1 + flat * flat / (1 + flat) + narrow);
}

struct mm_tiles mm_tiles_for_cores(const struct mm_tiles_spec *spec)
{
    const int64_t parts_most = (int64_t)PIECES_MOST * spec->cores;
    const int first = spec->panels ? spec->panels : 1, last = spec->panels ? first : spec->most;
    struct mm_tiles best = { .panels = first, .rows = spec->rows };
    double least = time_of(spec, spec->rows, part_of(spec->columns, first));
    int panels;
    for (panels = first; panels <= last; panels++) {
        const int64_t columns = part_of(spec->columns, panels);
        int64_t parts;
        if (panels > first && columns < NARROWEST)
            break;
        for (parts = 1; parts <= parts_most && parts <= spec->rows; parts++) {
            const int64_t rows = part_of(spec->rows, parts);
            const double time = time_of(spec, rows, columns);
            if (time < least) {
                least = time;
                best = (struct mm_tiles){ .panels = panels, .rows = rows };
            }
        }
    }
    return best;
}
