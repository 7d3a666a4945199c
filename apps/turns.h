/* turns.h - the sets of devices at one size of a matrix, taking turns. Only for matrix.c.
 *
 * All runtimes of a size stay open, asleep, until its last turn. The data can be attached to one at
 * a time, so a turn begins with attaching and, if there are GPUs, with untimed runs, after which
 * memory is in its final state. The first of TURNS_COUNT turns does one repeat; the later turns
 * share the others. The largest sets go first, so that a later set can be compared with the best
 * time so far.
 *
 * Cores alone can take minutes for what four GPUs do in a second. In an application whose items all
 * cost the same, the cores first do 1/16 of the rows. If this time, measured again, means more than
 * a minute for all rows, they only do 1/16.
 */
#ifndef YOKE_APPS_TURNS_H
#define YOKE_APPS_TURNS_H

#include "matrix.h"

enum { TURNS_COUNT = 3 };

/* The turns of one set. */
struct turns {
    struct app_session session; /* open from the first turn on */
    struct app_runs runs;
    char devices[SETS_DEVICES_MAX * YOKE_DEVICE_SPEC_MAX];
    double spent_seconds; /* real time spent in its turns so far */
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
    const struct set *now;             /* the set whose turn it is, for progress; NULL: none */
    int step, steps;                   /* turns begun, and turns in all, of all sizes */
    double best_seconds;               /* best of all sets so far */
};

/* Does all turns; a set that fails skips its later turns. YOKE_ECANCELED after Ctrl-C. */
yoke_status turns_take(struct stage *stage);
/* Call it also if turns_take failed: closes the runtimes and puts the results of all runs into the
 * cells. */
yoke_status turns_end(struct stage *stage);
/* Notes a failure of one set in its cell and returns YOKE_OK, because the other sets go on. Returns
 * YOKE_ECANCELED after Ctrl-C, which stops all. */
yoke_status turns_leave_out(struct matrix_cell *cell, yoke_status status);

#endif
