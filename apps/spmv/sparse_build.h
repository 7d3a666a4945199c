/* sparse_build.h - a matrix from entries in any order, as files have them. */
#ifndef YOKE_APPS_SPMV_SPARSE_BUILD_H
#define YOKE_APPS_SPMV_SPARSE_BUILD_H

#include "../text_file.h"
#include "sparse.h"

struct sparse_entry {
    int32_t row, column;
    double value;
};

/* Grows as entries come, whatever a file announces. */
struct sparse_build {
    const char *path; /* of the file, for messages */
    int64_t rows, columns;
    struct sparse_entry *entries;
    int64_t count, room;
};

yoke_status sparse_build_add(struct sparse_build *build, struct sparse_entry entry);
/* YOKE_EINVAL: nearly all rows and columns are empty; a file of a few bytes could announce
 * gigabytes. */
yoke_status sparse_build_check(const struct sparse_build *build, const struct text_file *from);
/* By rows and columns; values of one place are added up. */
yoke_status sparse_build_finish(const struct sparse_build *build, const struct sparse_spec *spec,
                                struct sparse *out);
void sparse_build_close(struct sparse_build *build);

/* What readers of files share: a number that is finite, and a count from `least` to `most`; or an
 * error that says `what` belongs there. */
yoke_status sparse_take_value(const struct text_file *from, const char **at, double *out);
struct sparse_whole {
    const char *what;
    int64_t least, most;
};
yoke_status sparse_take_whole(const struct text_file *from, const char **at,
                              const struct sparse_whole *kind, int64_t *out);
/* The line has nothing more. */
yoke_status sparse_take_end(const struct text_file *from, const char **at);

#endif
