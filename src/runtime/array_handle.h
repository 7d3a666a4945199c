/* array_handle.h - what programs hold of arrays: handles (base/handles.h), so that closing an array
 * twice, or using a closed one, is an error with a name. `call` is what the error's text begins
 * with.
 */
#ifndef YK_RUNTIME_ARRAY_HANDLE_H
#define YK_RUNTIME_ARRAY_HANDLE_H

#include <yoke/array.h>

/* *out: a handle of the array. */
yoke_status yk_array_handle_take(yoke_array *array, yoke_array **out);
/* The array; NULL with the thread's error text if the handle is of none (any more). */
yoke_array *yk_array_of(const yoke_array *handle, const char *call);
/* The handle is of no array from now on; only one of several calls gets the array. */
yoke_array *yk_array_handle_end(const yoke_array *handle, const char *call);

#endif
