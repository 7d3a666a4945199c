/* declaration.h - what a job declares that its kernel touches, for a device that checks it
 * (guard/). */
#ifndef YK_BACKEND_DECLARATION_H
#define YK_BACKEND_DECLARATION_H

#include <yoke/arg.h>

/* What the job declares for one argument; for a value only the mode is set. */
struct yk_declared {
    const char *array; /* its name, "" if it has none */
    yoke_param_mode mode;
    yoke_shape shape;
    int keeps;                   /* mode out: elements that are not written keep their values */
    int64_t before, after;       /* rows of a YOKE_HALO */
    int64_t first_row, last_row; /* all rows of the array */
    /* Row r begins arg.shift + r * pitch + column bytes into the launch's buffer. */
    int64_t row_bytes, pitch, column;
};

/* Borrowed for the duration of the launch. */
struct yk_declaration {
    const char *job;
    const yoke_param *params;
    const struct yk_declared *args; /* in the order of the parameters */
    int count;
    int64_t unit; /* a launch may be cut at multiples of this many indexes, counted from its
                   * first */
    /* Returns the rows of the array argument `arg` that these indexes touch. */
    yoke_rows (*rows)(const void *context, int arg, yoke_rows indexes);
    const void *context;
};

#endif
