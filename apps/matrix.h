/* matrix.h - an application on every set of devices (sets.h), for several sizes: the tables of
 * Ribeiro et al., section 6.2.
 *
 * Each set has its own new runtime for each size. The sets take turns, so that a machine that
 * becomes slower does so for all. T_D, the time of a device alone, is measured once per size and
 * used for every set: E_h = 1 / sum(1 / T_D) / T (eq. 6), the speedup is T_ref / T (eq. 5), gain =
 * best T_D / T; regret, if the spec asks for a sweep, as in driver.h. What was not measured is NAN.
 */
#ifndef YOKE_APPS_MATRIX_H
#define YOKE_APPS_MATRIX_H

#include "driver.h"
#include "sets.h"

enum { MATRIX_SIZES_MAX = 8, MATRIX_PART = 16 };

/* One set at one size. */
struct matrix_cell {
    struct measure figures;     /* run_count 0: not measured */
    double speedup;             /* relative to the reference */
    char error[APP_REASON_MAX]; /* why it was not run or did not complete; "": it did */
    int part; /* 1, or MATRIX_PART: only the first 1/part of the rows were run, and all times are
               * multiplied by it */
};

struct matrix_size {
    int64_t size[3]; /* as requested (0: the application's default); the actual size when its inputs
                      * are open */
    struct matrix_cell *cells; /* by set */
};

struct matrix {
    int wrong_words; /* as in struct measure */
    int is_complete;
    struct measure_device *devices; /* names, models, backends */
    int device_count;
    struct sets sets;
    struct matrix_size sizes[MATRIX_SIZES_MAX];
    int size_count;
};

/* Set `sizes` and `size_count` in `out`, everything else to zero. Uses all of the spec except
 * input.size, baselines and config.trace. If a set fails at some size, it is skipped there and its
 * cell says why; this is not a failure here. After a failure (for example of the inputs) or Ctrl-C
 * (YOKE_ECANCELED), `out` has what was measured so far; the text is app_error_text(). Close `out`
 * in either case. */
yoke_status matrix_measure(struct measure_spec *spec, struct matrix *out);
void matrix_close(struct matrix *matrix);

#endif
