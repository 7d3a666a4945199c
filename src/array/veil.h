/* veil.h - checking mode: rows of the host that are not current are veiled, so that what a program
 * does with them without acquiring them shows on the cores as it would with a GPU.
 *
 * Veiled rows hold a pattern (NaN and -1), and whole pages of them that yoke allocated cannot be
 * touched: then the line that says so names array and row before the process ends. Elsewhere, and
 * outside of checking mode, all this does nothing.
 */
#ifndef YK_ARRAY_VEIL_H
#define YK_ARRAY_VEIL_H

#include "array.h"

/* array->lock is held in both. A device has written rows that the host no longer has; they come to
 * the host, or are written there. */
void yk_veil(yoke_array *array, struct yk_interval rows);
void yk_veil_lift(yoke_array *array, struct yk_interval rows);
void yk_veil_close(yoke_array *array); /* nobody else has the array any more */

/* What a program changed without acquiring it: veiled rows, and, with YK_VEIL_SHARED, those that a
 * device has, too. YOKE_EINVAL: some, and the text, which begins with `who`, names the row. */
enum yk_veil_scope { YK_VEIL_HOST, YK_VEIL_SHARED };
yoke_status yk_veil_check(yoke_array *array, struct yk_interval rows, enum yk_veil_scope scope,
                          const char *who);

/* Whether rows are veiled whose memory is in [first, last). */
int yk_veil_covers(yoke_array *array, const char *first, const char *last);

#endif
