/* mm_stream.c - see mm_stream.h.
 *
 * While a panel of B is there all rows of A and of the panel's columns of C pass by, so A is copied
 * once for each panel, and B once. Few panels, as wide as the memory holds, move least. With panels
 * half as wide the next one arrives while this one is worked on, and nothing waits for B but the
 * first time. Which is better: the time is, of p panels one by one, at worst
 *
 *     B + max(p A, arithmetic)
 *
 * and of q panels, two at a time, B / q + max(B + q A, arithmetic), with of A the device's part
 * only; so the narrower ones lose (q - p) A where copies are what takes longest, and win B where
 * arithmetic is. As it is not known which, they are taken where they win no less than they lose.
 */
#include "mm_stream.h"

#include "mm_kernels.h"
#include "mm_tiles.h"

/* Rows of A and C that a lane has at a time: flat products are slow, and a sixteenth of the memory
 * is not too much for better ones. */
enum { ROWS_LEAST = MM_ROWS, ROWS_GOOD = 8 * MM_ROWS, ROWS_SHARE = 16 };
/* What lies in one buffer begins at multiples of that. */
enum { ALIGNMENT = 256 };

static int64_t panel_bytes(const struct mm_stream_spec *spec, int panels)
{
    return spec->inner * mm_tiles_width(spec->columns, panels) * spec->element_size + ALIGNMENT;
}

/* Of A and of the panel's columns of C, for all lanes. */
static int64_t rows_bytes(const struct mm_stream_spec *spec, int panels, int64_t rows)
{
    const int64_t width = mm_tiles_width(spec->columns, panels);
    return spec->lanes * (rows * (spec->inner + width) * spec->element_size + 2 * ALIGNMENT);
}

static int64_t good_rows(const struct mm_stream_spec *spec, int panels)
{
    const int64_t part = spec->memory_bytes / ROWS_SHARE;
    const int64_t rows = part / rows_bytes(spec, panels, 1);
    return rows < ROWS_LEAST ? ROWS_LEAST : rows < ROWS_GOOD ? rows : ROWS_GOOD;
}

int64_t mm_stream_bytes(const struct mm_stream_spec *spec, int panels)
{
    return panel_bytes(spec, panels) + rows_bytes(spec, panels, ROWS_LEAST);
}

static int64_t all_bytes(const struct mm_stream_spec *spec)
{
    return (spec->rows * (spec->inner + spec->columns) + spec->inner * spec->columns) *
           spec->element_size;
}

int mm_stream_fits(const struct mm_stream_spec *spec, int panels)
{
    return all_bytes(spec) <= spec->memory_bytes ||
           mm_stream_bytes(spec, panels) <= spec->memory_bytes;
}

/* The fewest, so many of which are there at a time with good rows beside each; 0: there are none.
 */
static int fewest(const struct mm_stream_spec *spec, int at_a_time)
{
    int panels;
    for (panels = at_a_time; panels <= spec->panels_most && panels <= spec->columns; panels++) {
        const int64_t rows = good_rows(spec, panels) / at_a_time;
        const int64_t one = panel_bytes(spec, panels) +
                            rows_bytes(spec, panels, rows < ROWS_LEAST ? ROWS_LEAST : rows);
        if (at_a_time * one <= spec->memory_bytes)
            return panels;
    }
    return 0;
}

int mm_stream_panels(const struct mm_stream_spec *spec)
{
    const int wide = fewest(spec, 1), narrow = fewest(spec, 2);
    const int64_t most = spec->columns < spec->panels_most ? spec->columns : spec->panels_most;
    if (all_bytes(spec) <= spec->memory_bytes)
        return 0;
    if (wide == 1) /* B stays */
        return 1;
    if (narrow && (narrow - wide) * spec->rows <= spec->columns * spec->devices)
        return narrow;
    if (wide)
        return wide;
    return mm_stream_fits(spec, (int)most) ? (int)most : -1;
}
