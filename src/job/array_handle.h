/* array_handle.h - programs hold arrays by handles (base/handles.h), so that closing an array
 * twice, or using a closed one, is an error with a message. `call` is the name of the public
 * function; error texts begin with it. No lock need be held: the table of handles has its own. */
#ifndef YK_JOB_ARRAY_HANDLE_H
#define YK_JOB_ARRAY_HANDLE_H

#include <yoke/array.h>

/* Sets *out to a new handle of the array. YOKE_ENOMEM: there is no memory for one. */
yoke_status yk_array_handle_take(yoke_array *array, yoke_array **out);
/* Returns the handle's array, or NULL with the thread's error text if the handle is NULL, closed or
 * unknown. */
yoke_array *yk_array_of(const yoke_array *handle, const char *call);
/* Ends the handle and returns its array. If several threads do that, the others fail as in
 * yk_array_of. Before, while no other thread can end the handle, calls is_needed(array): if that
 * returns not 0, with an error text of its own, the handle stays and the result is NULL. */
yoke_array *yk_array_handle_end(const yoke_array *handle, int (*is_needed)(const void *array),
                                const char *call);

#endif
