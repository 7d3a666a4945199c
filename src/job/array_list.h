/* array_list.h - see array_list.c. */
#ifndef YK_JOB_ARRAY_LIST_H
#define YK_JOB_ARRAY_LIST_H

#include "job.h"

/* Adds the array to the list of array->runtime, or removes it. With runtime.lock held. */
void yk_arrays_add(yoke_array *array);
void yk_arrays_remove(yoke_array *array);

#endif
