/* array_handle.h - programs hold arrays by handles (base/handles.h), so that closing an array
 * twice, or using a closed one, is an error with a name. `call` begins the error's text. */
#ifndef YK_JOB_ARRAY_HANDLE_H
#define YK_JOB_ARRAY_HANDLE_H

#include <yoke/array.h>

/* *out: a handle of the array. */
yoke_status yk_array_handle_take(yoke_array *array, yoke_array **out);
/* The array; NULL with the thread's error text if the handle has no array (any more). */
yoke_array *yk_array_of(const yoke_array *handle, const char *call);
/* Ends the handle; only one of several concurrent calls gets the array. */
yoke_array *yk_array_handle_end(const yoke_array *handle, const char *call);

#endif
