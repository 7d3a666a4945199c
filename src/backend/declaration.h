/* declaration.h - what a job says that its kernel touches, for a device that checks it (guard/). */
#ifndef YK_BACKEND_DECLARATION_H
#define YK_BACKEND_DECLARATION_H

#include <yoke/arg.h>

/* Of one argument; of a value only its mode is set. */
struct yk_declared {
    const char *array; /* its name, "" where it has none */
    yoke_param_mode mode;
    yoke_shape shape;
    int keeps;                   /* mode out: elements that are not written stay as they are */
    int64_t before, after;       /* YOKE_HALO */
    int64_t first_row, last_row; /* all rows of the array */
    /* Row r begins arg.shift + r * pitch + column bytes into the launch's buffer. */
    int64_t row_bytes, pitch, column;
};

/* Borrowed for the launch. */
struct yk_declaration {
    const char *job;
    const yoke_param *params;
    const struct yk_declared *args; /* in the order of the parameters */
    int count;
    int64_t unit; /* launches may be cut at multiples of it, counted from their first index */
    /* Rows of the array argument `arg` that some of the launch's indexes touch. */
    yoke_rows (*rows)(const void *context, int arg, yoke_rows indexes);
    const void *context;
};

#endif
