/* mm_stream.c - see mm_stream.h.
 *
 * While a panel of B is on the device, all rows of A and of the panel's columns of C pass through.
 * So A is copied once for each panel, and B once. Few panels, as wide as the memory allows, move
 * least data. With panels of half that width the next one arrives while this one is in use, and the
 * device waits for B only once. Which is better? Let A and B be the times to copy B and the
 * device's part of A. With p panels, one at a time, the time is at worst
 *
 *     B + max(p A, arithmetic)
 *
 * and with q panels, two at a time, B / q + max(B + q A, arithmetic). So the narrower panels lose
 * (q - p) A if copies take longest, and gain B if arithmetic does. It is not known which takes
 * longest, so narrower panels are used if they gain at least what they lose.
 */
#include "mm_stream.h"

#include "mm_kernels.h"
#include "mm_tiles.h"

/* Rows of A and C that a lane has at a time: at least ROWS_LEAST and at most ROWS_GOOD, because
 * flat products are slow; between them as many as fit into 1 / ROWS_SHARE of the memory. */
enum { ROWS_LEAST = MM_ROWS, ROWS_GOOD = 8 * MM_ROWS, ROWS_SHARE = 16 };
/* Parts of one buffer begin at multiples of this number of bytes. */
enum { ALIGNMENT = 256 };

static int64_t panel_bytes(const struct mm_stream_spec *spec, int panels)
{
    return spec->inner * mm_tiles_width(spec->columns, panels) * spec->element_size + ALIGNMENT;
}

/* Bytes of `rows` rows of A and of the panel's columns of C, for all lanes. */
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

/* Returns the fewest panels such that `at_a_time` of them fit, with enough rows beside each; 0 if
 * no number fits. */
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
    if (wide == 1) /* B stays on the device */
        return 1;
    if (narrow && (narrow - wide) * spec->rows <= spec->columns * spec->devices)
        return narrow;
    if (wide)
        return wide;
    return mm_stream_fits(spec, (int)most) ? (int)most : -1;
}
