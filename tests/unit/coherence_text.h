/* coherence_text.h - coherence states and copy needs written as text.
 *
 * States have one letter per row: S shared, M modified, A arriving, . invalid. Needs are written
 * "first-last<source", with ~ instead of < for rows that are already arriving; source ! means lost.
 */
#ifndef COHERENCE_TEXT_H
#define COHERENCE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "array/coherence.h"
#include "base/alloc.h"

enum { HOST = YK_HOST, GPU = 1, OTHER = 2, THIRD = 3 };

static int64_t held_before; /* outstanding blocks when the last one was opened */

static inline struct yk_interval rows(int64_t first, int64_t last)
{
    return (struct yk_interval){ first, last };
}

static inline struct yk_coherence *open_rows(int64_t count, enum yk_coherence_start start)
{
    struct yk_coherence *coherence;
    held_before = yk_alloc_outstanding();
    assert_int_equal(yk_coherence_open(rows(0, count), start, &coherence), YOKE_OK);
    return coherence;
}

static inline void close_rows(struct yk_coherence *coherence)
{
    assert_true(yk_coherence_check(coherence));
    yk_coherence_close(coherence);
    assert_int_equal(yk_alloc_outstanding(), held_before);
}

static inline void assert_states(const struct yk_coherence *coherence, int place,
                                 const char *expected)
{
    char got[64] = "";
    int row, count = (int)strlen(expected);
    for (row = 0; row < count; row++)
        got[row] = ".SMA"[yk_coherence_state(coherence, place, row, NULL)];
    assert_string_equal(got, expected);
    assert_true(yk_coherence_check(coherence));
}

/* Checks the needs with these wishes. */
static inline void assert_lacks_from(const struct yk_coherence *coherence, int place,
                                     struct yk_interval of, const char *expected, uint32_t nearer,
                                     uint32_t direct)
{
    struct yk_copy_needs needs = { .nearer = nearer, .direct = direct };
    char got[256] = "", source[16];
    int i, used = 0;
    assert_int_equal(yk_coherence_lacks(coherence, place, of, &needs), YOKE_OK);
    for (i = 0; i < needs.count; i++) {
        const struct yk_copy_need *need = &needs.items[i];
        snprintf(source, sizeof source, need->source < 0 ? "!" : "%d", need->source);
        used += snprintf(got + used, sizeof got - (size_t)used, "%s%d-%d%c%s", i ? " " : "",
                         (int)need->rows.first, (int)need->rows.last, need->arriving ? '~' : '<',
                         source);
    }
    yk_copy_needs_close(&needs);
    assert_string_equal(got, expected);
}

static inline void assert_lacks(const struct yk_coherence *coherence, int place,
                                struct yk_interval of, const char *expected)
{
    assert_lacks_from(coherence, place, of, expected, 0, 0);
}

static inline void copy(struct yk_coherence *coherence, int place, int source,
                        struct yk_interval of)
{
    assert_int_equal(yk_coherence_copy_begun(coherence, place, source, of), YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(coherence, place, of), YOKE_OK);
}

static inline void written(struct yk_coherence *coherence, int place, struct yk_interval of)
{
    assert_int_equal(yk_coherence_written(coherence, place, of), YOKE_OK);
}

#endif
