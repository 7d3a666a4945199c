/* mm_tiles.c - see mm_tiles.h.
 *
 * A call of OpenBLAS with one thread rearranges its part of B, which does not pay for few rows, and
 * is slower for narrow parts of B. Measured with one thread of an EPYC with AVX-512, 0.3.21, 3000 x
 * 3000 doubles, compared with 92 GFLOP/s for the whole product:
 *
 *     rows, full width   48: 61   96: 77   192: 87   384: 91   750: 92
 *     columns, 750 rows  188: 67   375: 74   750: 85   1500: 89
 *
 * The time is 1 + f f / (1 + f) + 50 / columns times the best one, with f = 50 / rows. For two
 * cores pieces of full width are best; for 32, pieces of full width would be too flat, and each
 * core would read all of B from memory.
 *
 * A GPU begins when a block of A and a panel of B have arrived, and ends when its last tile of C is
 * on the host: with smaller tiles less of the copies remains visible. But a panel's rows are not
 * contiguous, and copying one to the host costs 0.16 us more than its bytes (an H200 on PCI Express
 * 5, 52 GB/s: panels of 4 kB per row came at 21 GB/s, of 7 kB at 33), and a library needs tiles as
 * large as possible. There 7000 x 7000 doubles took, in ms, with these numbers of panels and
 * blocks:
 *
 *     GPUs   4, 4   4, 8   5, 5   3, 4   3, 8   8, 1   14, 1
 *     1      19.7   19.3   20.0   19.7   19.7   22.3   27.4
 *     2      11.0   11.3   10.9   11.2   11.1
 *     4       8.1    9.0    7.8    7.8    8.1
 *
 * What limits one GPU is the work that is left when the last block has arrived; what limits several
 * GPUs is the number of jobs.
 */
#include "mm_tiles.h"

#define FLAT   50.0
#define NARROW 50.0
/* After its last piece a core waits for the others for this fraction of a piece, even if all are
 * equal: some core is always delayed a little. */
#define WAIT 0.02
enum { NARROWEST = 256, PIECES_MOST = 8 };
/* Good bytes of a panel's row and rows of a block, for one GPU and for several. GRID_MOST: the most
 * panels, and the most blocks. */
static const struct grain {
    int64_t panel_bytes, block_rows;
} one_link = { 12 << 10, 832 }, more_links = { 11000, 1400 };
enum { GRID_MOST = 8 };
/* A smaller product is cut into up to BLOCKS_LEAST blocks of at least BLOCK_ROWS_LEAST rows: blocks
 * add no copies. */
enum { BLOCKS_LEAST = 4, BLOCK_ROWS_LEAST = 512 };
/* Most rows of a core's piece beside GPUs: how much the cores will get is not known yet, and with
 * larger pieces some cores would get none. */
enum { PIECE_ROWS_BESIDE = 128 };

/* Libraries are fast if a width is a multiple of these numbers. */
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

/* Returns the time in units of one product of an element of A and one of B. */
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
