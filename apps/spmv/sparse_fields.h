/* sparse_fields.h - numbers in fields of fixed width, as FORTRAN writes them. */
#ifndef YOKE_APPS_SPMV_SPARSE_FIELDS_H
#define YOKE_APPS_SPMV_SPARSE_FIELDS_H

#include "../text_file.h"

/* One number on a line: so many characters behind `skip` others. */
struct sparse_field {
    int skip, width;
    int decimals; /* digits behind the point where the field has none (Fw.d) */
    int scale;    /* kP: what has no exponent is divided by 10^k */
};
enum { SPARSE_FIELDS_MOST = 128 };
/* (16I5), (1P,4E20.12), (3(F7.1,2X)): the fields of a line. */
struct sparse_format {
    int count;
    struct sparse_field fields[SPARSE_FIELDS_MOST];
};
/* What is next at `*at`, which is then behind it. */
yoke_status sparse_take_format(const struct text_file *from, const char **at,
                               struct sparse_format *out);

struct sparse_fields {
    struct text_file *from;
    const struct sparse_format *format;
    const char *line; /* NULL: a new one is next */
    int at;           /* fields of the line that were taken */
};
/* The next field, on the next line where a line is used up; an error says that `what` belongs
 * there. */
yoke_status sparse_next_whole(struct sparse_fields *fields, const char *what, int64_t *out);
yoke_status sparse_next_value(struct sparse_fields *fields, double *out);

#endif
