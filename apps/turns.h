/* turns.h - the sets of devices at one size of a matrix, taking turns. Not for others than
 * matrix.c.
 *
 * All runtimes of a size stay open, asleep, until its last turn. The data can be attached to one at
 * a time, so a turn begins with attaching and, where there are GPUs, with runs that are not timed:
 * those after them find their memory as it will stay. One repeat is done in the first of
 * TURNS_COUNT turns, the others are spread over the rest. The largest sets have theirs first, so
 * that it is known of a single device how far it is behind.
 *
 * Cores alone can take minutes for what four GPUs do in a second. Of an application whose items all
 * cost the same they first do 1/16 of the rows, and if all would take more than a minute, by that
 * and by a second try, 1/16 is all they are asked for.
 */
#ifndef YOKE_APPS_TURNS_H
#define YOKE_APPS_TURNS_H

#include "matrix.h"

enum { TURNS_COUNT = 3 };

/* One set's. */
struct turns {
    struct app_session session; /* open from the first turn on */
    struct app_runs runs;
    char devices[SETS_DEVICES_MAX * YOKE_DEVICE_SPEC_MAX];
    double spent_seconds; /* of real time, in its turns so far */
    double latest;        /* seconds of its latest run */
    int is_open;
};

struct stage {                /* one size */
    struct measure_spec spec; /* with the matrix's own watch */
    struct matrix *matrix;
    struct matrix_size *size;
    struct turns *turns;               /* by set */
    void *state;                       /* the application's */
    const struct measure_watch *watch; /* the caller's */
    const struct set *now;             /* whose turn it is, for progress; NULL: nobody's */
    int step, steps;                   /* turns begun, of all sizes */
    double best_seconds;               /* of any set so far */
};

/* All turns, but of what fails those after it. YOKE_ECANCELED after Ctrl-C. */
yoke_status turns_take(struct stage *stage);
/* In any case: closes the runtimes, and puts the figures of all runs into the cells. */
yoke_status turns_end(struct stage *stage);
/* One set's failure is not that of the others, so it goes into its cell; but Ctrl-C is for all. */
yoke_status turns_leave_out(struct matrix_cell *cell, yoke_status status);

#endif
