/* array_handle.c - see array_handle.h: the table of array handles. */

#include "array_handle.h"

#include "../base/handles.h"
#include "../base/status.h"

static struct yk_handles handles = YK_HANDLES_INITIAL;

yoke_status yk_array_handle_take(yoke_array *array, yoke_array **out)
{
    yoke_array *handle = yk_handle_take(&handles, array);
    if (!handle)
        return YOKE_ENOMEM;
    *out = handle;
    return YOKE_OK;
}

static yoke_array *fail(const yoke_array *handle, const char *call)
{
    if (handle)
        yk_fail(YOKE_EINVAL, "%s: there is no such array; it was closed, or never opened", call);
    else
        yk_fail(YOKE_EINVAL, "%s: the array is NULL", call);
    return NULL;
}

yoke_array *yk_array_of(const yoke_array *handle, const char *call)
{
    yoke_array *array = yk_handle_find(&handles, handle);
    return array ? array : fail(handle, call);
}

yoke_array *yk_array_handle_end(const yoke_array *handle, int (*is_needed)(const void *array),
                                const char *call)
{
    yoke_array *array = yk_handle_put_back(&handles, handle, is_needed);
    return array || yk_handle_find(&handles, handle) ? array : fail(handle, call);
}
