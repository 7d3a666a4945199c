/* yoke/array.h - data that jobs work on: rows of equal size, split along the first dimension.
 *
 * yoke keeps track, row by row, of which devices have a current copy, and moves only rows that are
 * missing. Between yoke_run and yoke_array_acquire the host's copy may be out of date.
 * docs/memory.md explains how rows are copied and what that costs.
 */
#ifndef YOKE_ARRAY_H
#define YOKE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle, not an address. Calls with an array that was closed or never opened return
 * YOKE_EINVAL. */
typedef struct yoke_array yoke_array;

/* An array's shape. Zero fields take the default in brackets. */
typedef struct yoke_array_spec {
    void *host;           /* the caller's memory, borrowed until yoke_array_close. If it is unmapped
                           * before, a copy fails, crashes the program (as small copies do), or uses
                           * whatever now occupies it (docs/memory.md). NULL: yoke allocates it; rows are
                           * undefined until they are written */
    int64_t rows;         /* may be 0 */
    int64_t first_row;    /* global index of the first row; host points to that row [0] */
    int64_t row_elements; /* elements in a row [1] */
    size_t element_size;  /* bytes, as the kernel's parameter type */
    const char *name;     /* for messages and traces, copied ["(unnamed)"] */
} yoke_array_spec;

/* Opens an array. Nothing is copied before a job needs it. `spec` is read only during the call.
 * Close *out before the runtime. Thread-safe. YOKE_EINVAL: a field is out of range; YOKE_ENOMEM:
 * there is no memory for the rows. */
YOKE_API yoke_status yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec,
                                     yoke_array **out);
/* Shorthand: `rows` elements of `element_size` bytes at `host`, one per row. */
YOKE_API yoke_status yoke_array_wrap(yoke_runtime *runtime, void *host, int64_t rows,
                                     size_t element_size, yoke_array **out);
/* A column panel: an array of the same rows and of elements first_column .. first_column + columns
 * - 1 of each row, for jobs that need blocks of columns (tiles of a matrix; papers/002, section 4.1
 * divides domains in the same way). It lies in the memory of `array`, on the host and on every
 * device, and kernels index it like the array: c[i * n + j], where j starts at first_column and n
 * is the array's row_elements. yoke tracks separately which devices have its columns, so only these
 * are moved, and jobs on different panels of the same rows do not wait for each other.
 *
 * Panels of an array must not overlap, and need not cover it. The array stays usable: a job or an
 * acquire that names it means all its columns, in whatever panel they are. One job must not have
 * both the array and a panel of it if it writes one of them. A device without room for the whole
 * array gets only the rows of each chunk: as wide as the array's, or only as wide as the panel's if
 * the kernel gets the distance between them (yoke_row_distance). Copies for mode add are as large
 * as the whole array.
 *
 * Waits for jobs that use the array, and brings the columns home if needed, so it is best called
 * before the first job. Do not call it concurrently with other calls that use the array. Close a
 * panel with yoke_array_close, before its array (otherwise YOKE_EINVAL). YOKE_EINVAL: the columns
 * are outside the array or in another panel; the array is itself a panel. */
YOKE_API yoke_status yoke_array_panel(yoke_array *array, int64_t first_column, int64_t columns,
                                      yoke_array **out);
/* Waits for jobs that use the array, copies rows that only devices hold to the host if its memory
 * is borrowed, and frees all copies. Returns an error (and still closes the array) if rows were
 * lost with a device. NULL is allowed.
 */
YOKE_API yoke_status yoke_array_close(yoke_array *array);

/* What the host will do with rows that it acquires. */
typedef enum yoke_access_mode {
    YOKE_READ,      /* host may read; devices' copies stay valid */
    YOKE_WRITE,     /* host will write all rows without reading; devices' copies become invalid */
    YOKE_READ_WRITE /* host may do both; devices' copies become invalid */
} yoke_access_mode;

/* Makes the host's copy usable: waits for jobs submitted before that use the array, then moves the
 * rows that are missing. From an acquire for writing to the release, jobs that use the array (at
 * submit) and acquires by other threads return YOKE_EBUSY; the same thread may acquire more of it,
 * and one release ends all its acquires. An acquire for reading holds nothing: jobs and other
 * threads may use the array, and the host's copy is current until one of them writes.
 * YOKE_ELOST: rows were lost with a device, or spoilt by a job that failed; the text names them,
 * and they can be written again. If yoke allocated the memory and a CUDA device is open, the first
 * call also pins it, as yoke_alloc does. */
YOKE_API yoke_status yoke_array_acquire(yoke_array *array, yoke_access_mode mode);
/* As yoke_array_acquire, for rows first .. last - 1 (global) only. */
YOKE_API yoke_status yoke_array_acquire_rows(yoke_array *array, yoke_access_mode mode,
                                             int64_t first, int64_t last);
/* Ends the host's use after an acquire for writing, all of the calling thread's; call it before the
 * next job. After YOKE_READ there is nothing to end, and it may be left out. YOKE_EINVAL: another
 * thread has the array for writing, and this one does not have it. The thread that acquires rows to
 * write them also releases them. */
YOKE_API yoke_status yoke_array_release(yoke_array *array);

/* Host address of the array's first row (for a panel, of its first column in that row). Contents
 * are defined only while acquired. */
YOKE_API void *yoke_array_host(yoke_array *array);

/* Host memory, zeroed, that every device reaches quickly: page aligned, in large pages if it is
 * large. Memory of 4 MiB or more is pinned, and stays pinned while arrays are opened and closed
 * (docs/memory.md). If a CUDA device is open, this call pins it, which takes about 40 ms per GiB;
 * half of that is saved later, when the program fills the memory. Otherwise it is pinned when a
 * CUDA device has been opened; until then its pages are placed where they are first written. Free
 * it with yoke_free, after closing the arrays that wrap it (otherwise, if their rows were copied to
 * a GPU, it is kept, with a warning), before or after yoke_close. NULL on failure. */
YOKE_API void *yoke_alloc(yoke_runtime *runtime, size_t bytes);
/* Frees memory of yoke_alloc. NULL is allowed. */
YOKE_API void yoke_free(yoke_runtime *runtime, void *memory);

/* Bytes moved for this array since it was opened: from the host to devices, back, and directly from
 * device to device. */
typedef struct yoke_traffic {
    int64_t to_devices;      /* from the host */
    int64_t from_devices;    /* to the host */
    int64_t between_devices; /* from device to device */
} yoke_traffic;
/* The array's traffic so far; zeros if there is no such array. Thread-safe. */
YOKE_API yoke_traffic yoke_array_traffic(const yoke_array *array);

#ifdef __cplusplus
}
#endif
#endif
