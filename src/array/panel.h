/* panel.h - column panels: an array's columns divided among arrays that keep books of their own, so
 * that jobs on different columns of the same rows need not wait for each other, and only the
 * columns that a job names are moved.
 *
 * A panel has the rows of the array it is of, lies in its host memory and in its devices' memory,
 * and has no memory itself: rows are `pitch` apart everywhere, and a kernel finds an element at the
 * same global index whichever of them it was given. The program names some panels; the columns left
 * are covered by nameless ones, so that the array as a whole stays usable: what moves its rows does
 * so panel by panel. When the last named one is closed the array keeps its books itself again.
 *
 * The list of panels changes under places->evict_lock and the runtime's lock, while no job uses the
 * array or a panel of it. Opening and closing bring the columns in question home, which is free
 * before the first job.
 */
#ifndef YK_ARRAY_PANEL_H
#define YK_ARRAY_PANEL_H

#include "array.h"

/* A change of an array's panels that has all it needs. */
struct yk_panel_change {
    yoke_array *array, *panel; /* the new panel; NULL: there are to be none */
    yoke_array **at;           /* where in the list */
    yoke_array *first, *last;  /* what comes there, */
    yoke_array *out, *behind;  /* instead of these: up to before `behind` */
};

/* A panel of bytes columns.first .. columns.last - 1 of each row, which are its. Brings them home.
 * YOKE_EINVAL: a named panel has some of them. */
yoke_status yk_panel_prepare(yoke_array *array, struct yk_interval columns,
                             struct yk_panel_change *out);
/* The array is to do without panels. Brings all home, and fails where that is not possible. */
yoke_status yk_panels_prepare_end(yoke_array *array, struct yk_panel_change *out);
/* Under the locks. Does what was prepared; cannot fail. */
void yk_panels_change(struct yk_panel_change *change);
/* Without the locks: frees what nobody can see any more. */
void yk_panels_changed(struct yk_panel_change *change);

/* How many the program has. */
int yk_panels_named(const yoke_array *array);
/* A list up to its end, or NULL. */
void yk_panels_free(yoke_array *first);

#endif
