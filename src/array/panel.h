/* panel.h - column panels: an array's columns divided among arrays that keep their own coherence
 * state. So jobs on different columns of the same rows need not wait for each other, and only the
 * columns that a job names are moved.
 *
 * A panel has the same rows as its array, lies in that array's host and device memory, and has no
 * memory itself. Rows are `pitch` apart everywhere, so a kernel finds an element at the same global
 * index in the array and in the panel. The program names some panels; unnamed ones cover the
 * remaining columns, so that the whole array stays usable: its rows are moved panel by panel. When
 * the last named panel is closed, the array keeps its coherence state itself again.
 *
 * The list of panels changes under places->evict_lock and the runtime's lock, while no job uses the
 * array or a panel of it. Opening and closing a panel bring its columns home, which costs nothing
 * before the first job.
 */
#ifndef YK_ARRAY_PANEL_H
#define YK_ARRAY_PANEL_H

#include "array.h"

/* A prepared change of an array's panels: it has all memory that it needs. */
struct yk_panel_change {
    yoke_array *array, *panel; /* the new panel; NULL: there will be no panels */
    yoke_array **at;           /* where in the array's list of panels */
    yoke_array *first, *last;  /* the new panels */
    yoke_array *out, *behind;  /* replaced ones: from `out` to the one before `behind` */
};

/* Prepares a panel of bytes columns.first .. columns.last - 1 of each row, and brings them home.
 * YOKE_EINVAL: a named panel already has some of these columns. */
yoke_status yk_panel_prepare(yoke_array *array, struct yk_interval columns,
                             struct yk_panel_change *out);
/* Prepares an array without panels. Brings everything home; fails if that is impossible. */
yoke_status yk_panels_prepare_end(yoke_array *array, struct yk_panel_change *out);
/* Under evict_lock and the runtime's lock. Makes the prepared change; cannot fail. */
void yk_panels_change(struct yk_panel_change *change);
/* Without these locks. Frees the replaced panels, which no thread can see any more. */
void yk_panels_changed(struct yk_panel_change *change);

/* Number of panels that the program opened. */
int yk_panels_named(const yoke_array *array);
/* Frees a list up to its end. NULL is allowed. */
void yk_panels_free(yoke_array *first);

#endif
