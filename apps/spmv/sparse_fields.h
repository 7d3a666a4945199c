/* sparse_fields.h - numbers in fields of fixed width, as FORTRAN writes them. */
#ifndef YOKE_APPS_SPMV_SPARSE_FIELDS_H
#define YOKE_APPS_SPMV_SPARSE_FIELDS_H

#include "../text_file.h"

/* One number on a line: `width` characters after `skip` others. */
struct sparse_field {
    int skip, width;
    int decimals; /* digits after the point, if the field has no point (Fw.d) */
    int scale;    /* kP: divides numbers without an exponent by 10^k */
};
enum { SPARSE_FIELDS_MOST = 128 };
/* The fields of a line: (16I5), (1P,4E20.12), (3(F7.1,2X)). */
struct sparse_format {
    int count;
    struct sparse_field fields[SPARSE_FIELDS_MOST];
};
/* Reads the format at `*at` and moves `*at` behind it. */
yoke_status sparse_take_format(const struct text_file *from, const char **at,
                               struct sparse_format *out);

struct sparse_fields {
    struct text_file *from;
    const struct sparse_format *format;
    const char *line; /* rest of the present line; NULL: read a new line next */
    int at;           /* fields of the line that were read */
};
/* The next field; on the next line if this line has no more. An error says that `what` belongs
 * there. */
yoke_status sparse_next_whole(struct sparse_fields *fields, const char *what, int64_t *out);
yoke_status sparse_next_value(struct sparse_fields *fields, double *out);

#endif
