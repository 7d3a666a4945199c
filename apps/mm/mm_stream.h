/* mm_stream.h - PURE. Column panels for devices whose memory does not hold the whole product: how
 * many there have to be so that B comes and goes panel by panel, and A and C pass by in rows.
 */
#ifndef YOKE_APPS_MM_STREAM_H
#define YOKE_APPS_MM_STREAM_H

#include <stdint.h>

struct mm_stream_spec {
    int64_t rows, inner, columns, element_size; /* of the product */
    int64_t memory_bytes;                       /* of the device, */
    int lanes;                                  /* and how many chunks it has at a time */
    int devices;                                /* that share the rows; each has all of B */
    int panels_most;
};

/* What the device needs for a job on one of so many panels, in bytes: B's columns, and the fewest
 * rows of A and C. */
int64_t mm_stream_bytes(const struct mm_stream_spec *spec, int panels);
/* Whether it can take part with so many. */
int mm_stream_fits(const struct mm_stream_spec *spec, int panels);
/* How many are good for it; 0: it holds A, B and C, whatever the number; -1: none are enough. */
int mm_stream_panels(const struct mm_stream_spec *spec);

#endif
