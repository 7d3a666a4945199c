/* yoke/array.h - data that jobs work on: rows of equal size, split along the first dimension.
 *
 * yoke keeps track, row by row, of which device has a current copy, and moves only what is missing.
 * Between yoke_run and yoke_array_acquire the host's copy may be out of date.
 */
#ifndef YOKE_ARRAY_H
#define YOKE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yoke_array yoke_array;

/* An array's shape. Zero fields take the default in brackets. */
typedef struct yoke_array_spec {
    void *host;   /* the caller's memory, borrowed until yoke_array_close: freed before, copies fail
                     or, if it was pinned, reach what was there. NULL: yoke allocates, and rows
                     nobody has written yet have no defined contents */
    int64_t rows; /* may be 0 */
    int64_t first_row;    /* global index of the first row; host points to that row [0] */
    int64_t row_elements; /* elements in a row [1] */
    size_t element_size;  /* bytes, as the kernel's parameter type */
    const char *name;     /* for messages and traces, copied ["array"] */
} yoke_array_spec;

YOKE_API yoke_status yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec,
                                     yoke_array **out);
/* Shorthand: `rows` elements of `element_size` bytes at `host`, one to a row. */
YOKE_API yoke_status yoke_array_wrap(yoke_runtime *runtime, void *host, int64_t rows,
                                     size_t element_size, yoke_array **out);
/* Waits for jobs that use the array, brings rows that only devices have home into borrowed memory,
 * and frees every copy. Fails (array still closed) if rows were lost with a device. NULL is fine.
 */
YOKE_API yoke_status yoke_array_close(yoke_array *array);

typedef enum yoke_access_mode {
    YOKE_READ,  /* host may read; devices' copies stay valid */
    YOKE_WRITE, /* host will write all rows without reading; devices' copies become invalid */
    YOKE_READ_WRITE
} yoke_access_mode;

/* Make the host's copy usable: waits for jobs submitted before that use the array, then moves what
 * is missing. From here to release no job may use the array in a conflicting way (YOKE_EBUSY at
 * submit). */
YOKE_API yoke_status yoke_array_acquire(yoke_array *array, yoke_access_mode mode);
/* The same for rows first .. last - 1 (global). */
YOKE_API yoke_status yoke_array_acquire_rows(yoke_array *array, yoke_access_mode mode,
                                             int64_t first, int64_t last);
/* The host is done with it. Optional after YOKE_READ: the next job or close releases as well. */
YOKE_API yoke_status yoke_array_release(yoke_array *array);

/* Host address of the array's first row; contents are only defined while acquired. */
YOKE_API void *yoke_array_host(yoke_array *array);

/* Host memory that every device reaches quickly: page aligned, in large pages where it is large,
 * and once pinned it stays so while arrays come and go (docs/memory.md). Not touched: its pages
 * come to be where they are first written. Freed by yoke_free, which must come after the arrays
 * that wrap it are closed (else it is kept, with a warning), and may come after yoke_close. NULL on
 * failure. */
YOKE_API void *yoke_alloc(yoke_runtime *runtime, size_t bytes);
YOKE_API void yoke_free(yoke_runtime *runtime, void *memory);

/* Bytes moved for this array since it was opened. */
typedef struct yoke_traffic {
    int64_t to_devices, from_devices, between_devices;
} yoke_traffic;
YOKE_API yoke_traffic yoke_array_traffic(const yoke_array *array);

#ifdef __cplusplus
}
#endif
#endif
