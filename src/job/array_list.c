/* array_list.c - the list of a runtime's arrays. When a device fails, retire.c walks it to mark the
 * rows that are lost. */
#include "array_list.h"

void yk_arrays_add(yoke_array *array)
{
    yoke_runtime *runtime = array->runtime;
    array->previous = NULL;
    array->next = runtime->arrays;
    if (array->next)
        array->next->previous = array;
    runtime->arrays = array;
}

void yk_arrays_remove(yoke_array *array)
{
    *(array->previous ? &array->previous->next : &array->runtime->arrays) = array->next;
    if (array->next)
        array->next->previous = array->previous;
}
