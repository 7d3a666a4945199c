/* poison.h - checking mode: host rows that are not current are poisoned. A program that uses them
 * without acquiring them then fails on the cores as it would with a GPU.
 *
 * Poisoned rows hold a pattern (NaN and -1). If yoke allocated them, whole pages of them are
 * protected: if a program touches one, a message names array and row before the process ends. For
 * other memory, and outside checking mode, the calls below do nothing.
 */
#ifndef YK_ARRAY_POISON_H
#define YK_ARRAY_POISON_H

#include "array.h"

/* Call the first when a device has written rows, so that the host no longer has them; the second
 * when the rows come to the host, or are written there. With array->lock held. */
void yk_poison(yoke_array *array, struct yk_interval rows);
void yk_unpoison(yoke_array *array, struct yk_interval rows);
void yk_poison_close(yoke_array *array); /* no other thread has the array any more */

/* Looks for rows that the program changed without acquiring them: poisoned rows and, with
 * YK_POISON_SHARED, also rows that a device has. If there is one, returns YOKE_EINVAL; the message
 * begins with `who` and names the row. */
enum yk_poison_scope { YK_POISON_HOST, YK_POISON_SHARED };
yoke_status yk_poison_check(yoke_array *array, struct yk_interval rows, enum yk_poison_scope scope,
                            const char *who);

/* Whether poisoned rows have memory in [first, last). */
int yk_poison_covers(yoke_array *array, const char *first, const char *last);

#endif
