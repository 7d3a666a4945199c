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
 *
 * A GPU begins when a block of A and a panel of B have come, and ends when its last tile of C is
 * home: the smaller they are the less of the copies is left to be seen. But the rows of a panel lie
 * apart, and each costs 0.16 us beside its bytes on its way home (an H200 on PCI Express 5, 52
 * GB/s: panels of 4 kB a row came at 21 GB/s, of 7 kB at 33), and a library wants tiles as large as
 * can be. There 7000 x 7000 doubles took, in ms, in so many panels and blocks:
 *
 *     GPUs   4, 4   4, 8   5, 5   3, 4   3, 8   8, 1   14, 1
 *     1      19.7   19.3   20.0   19.7   19.7   22.3   27.4
 *     2      11.0   11.3   10.9   11.2   11.1
 *     4       8.1    9.0    7.8    7.8    8.1
 *
 * One GPU is held up by what is left to compute when the last block has come, several by the number
 * of jobs.
 */
#include "mm_tiles.h"

#define FLAT   50.0
#define NARROW 50.0
/* Whoever has no piece any more waits for the others, by this part of a piece even where all are
 * alike: somebody is always held up a little. */
#define WAIT 0.02
enum { NARROWEST = 256, PIECES_MOST = 8 };
/* A row of a panel, and rows of a block; and no more jobs than are worth their number. */
static const struct grain {
    int64_t panel_bytes, block_rows;
} one_link = { 12 << 10, 832 }, more_links = { 11000, 1400 };
enum { GRID_MOST = 8 };
/* Of a smaller product so many blocks, if they have so many rows each: blocks cost copies nothing.
 */
enum { BLOCKS_LEAST = 4, BLOCK_ROWS_LEAST = 512 };
/* Beside GPUs nobody knows yet how much will be the cores', and large pieces would leave some of
 * them without any. */
enum { PIECE_ROWS_BESIDE = 128 };

/* Libraries divide by these. */
enum { MULTIPLE = 64, ALIGNED = 2 };

int64_t mm_tiles_width(int64_t columns, int count)
{
    const int64_t width = (columns - 1) / count + 1;
    if (columns % count == 0 && width % ALIGNED == 0)
        return width;
    return width < 4 * MULTIPLE ? width : (width + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

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

static struct mm_tiles for_cores(const struct mm_tiles_spec *spec)
{
    const int64_t parts_most = (int64_t)PIECES_MOST * spec->cores;
    const int first = spec->panels ? spec->panels : 1;
    const int last = spec->panels ? first : spec->panels_most;
    struct mm_tiles best = { .panels = first, .piece_rows = spec->rows };
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
                best = (struct mm_tiles){ .panels = panels, .piece_rows = rows };
            }
        }
    }
    return best;
}

static int count_of(int64_t whole, int64_t part)
{
    const int64_t count = whole / part;
    return count < 1 ? 1 : count < GRID_MOST ? (int)count : GRID_MOST;
}

static int blocks_of(int64_t rows, int64_t block_rows)
{
    const int good = count_of(rows, block_rows), small = count_of(rows, BLOCK_ROWS_LEAST);
    return good > BLOCKS_LEAST ? good : small < BLOCKS_LEAST ? small : BLOCKS_LEAST;
}

static struct mm_tiles for_links(const struct mm_tiles_spec *spec)
{
    const struct grain *grain = spec->others > 1 ? &more_links : &one_link;
    const int64_t row_bytes = spec->columns * spec->element_size;
    struct mm_tiles tiles = {
        .panels = spec->panels ? spec->panels : count_of(row_bytes, grain->panel_bytes),
        .blocks = blocks_of(spec->rows, grain->block_rows),
    };
    if (spec->cores) {
        const int64_t fair = part_of(part_of(spec->rows, tiles.blocks), spec->cores);
        tiles.piece_rows = fair < PIECE_ROWS_BESIDE ? fair : PIECE_ROWS_BESIDE;
    }
    return tiles;
}

struct mm_tiles mm_tiles_cut(const struct mm_tiles_spec *spec)
{
    struct mm_tiles tiles = { .panels = spec->panels };
    if (spec->others)
        tiles = for_links(spec);
    else if (spec->cores)
        tiles = for_cores(spec);
    if (spec->blocks)
        tiles.blocks = spec->blocks;
    if (!tiles.panels)
        tiles.panels = 1;
    if (!tiles.blocks)
        tiles.blocks = 1;
    if (tiles.panels * tiles.blocks > spec->jobs_most && spec->blocks)
        tiles.panels = spec->jobs_most / tiles.blocks;
    else if (tiles.panels * tiles.blocks > spec->jobs_most)
        tiles.blocks = spec->jobs_most / tiles.panels;
    return tiles;
}
