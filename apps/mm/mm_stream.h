/* mm_stream.h - PURE. Column panels for devices whose memory cannot hold the whole product: how
 * many are needed so that B comes panel by panel, and A and C pass through in rows.
 */
#ifndef YOKE_APPS_MM_STREAM_H
#define YOKE_APPS_MM_STREAM_H

#include <stdint.h>

struct mm_stream_spec {
    int64_t rows, inner, columns, element_size; /* of the product */
    int64_t memory_bytes;                       /* of the device */
    int lanes;                                  /* number of chunks that it has at a time */
    int devices;                                /* number of devices that share the rows; each has
                                                 * all of B */
    int panels_most;
};

/* Returns the bytes that the device needs for a job on one of `panels` panels: B's columns, and the
 * fewest rows of A and C. */
int64_t mm_stream_bytes(const struct mm_stream_spec *spec, int panels);
/* Returns 1 if the device can take part with this number of panels. */
int mm_stream_fits(const struct mm_stream_spec *spec, int panels);
/* Returns the best number of panels for the device; 0 if it can hold A, B and C with any number; -1
 * if no number is enough. */
int mm_stream_panels(const struct mm_stream_spec *spec);

#endif
