/* sparse_build.h - builds a matrix from entries in any order, as files have them. */
#ifndef YOKE_APPS_SPMV_SPARSE_BUILD_H
#define YOKE_APPS_SPMV_SPARSE_BUILD_H

#include "../text_file.h"
#include "sparse.h"

struct sparse_entry {
    int32_t row, column;
    double value;
};

/* Grows with the entries that were added, not with the number that a file announces. */
struct sparse_build {
    const char *path; /* of the file, for messages */
    int64_t rows, columns;
    struct sparse_entry *entries;
    int64_t count, room;
};

yoke_status sparse_build_add(struct sparse_build *build, struct sparse_entry entry);
/* YOKE_EINVAL: nearly all rows and columns are empty. Otherwise, a file of a few bytes could
 * announce gigabytes. */
yoke_status sparse_build_check(const struct sparse_build *build, const struct text_file *from);
/* Sorts by rows and columns; adds up the values of the same place. */
yoke_status sparse_build_finish(const struct sparse_build *build, const struct sparse_spec *spec,
                                struct sparse *out);
void sparse_build_close(struct sparse_build *build);

/* Used by all readers of files: a finite number, and a count from `least` to `most`. An error says
 * that `what` belongs there. */
yoke_status sparse_take_value(const struct text_file *from, const char **at, double *out);
struct sparse_whole {
    const char *what;
    int64_t least, most;
};
yoke_status sparse_take_whole(const struct text_file *from, const char **at,
                              const struct sparse_whole *kind, int64_t *out);
/* Fails if the line has more. */
yoke_status sparse_take_end(const struct text_file *from, const char **at);

#endif
