/* panel_calls.c - the public functions of column panels (array/panel.h), which must wait for jobs.
 */

#include "panel_calls.h"

#include "../array/panel.h"
#include "../base/status.h"
#include "../job/array_handle.h"
#include "../job/entry.h"
#include "../work/wait.h"

static yoke_status check(const yoke_array *array, int64_t first, int64_t columns)
{
    int64_t all;
    if (array->whole != array)
        return yk_fail(YOKE_EINVAL, "%s is a panel and has none; make it of the array itself",
                       array->name);
    all = array->row_bytes / (int64_t)array->element_size;
    if (first < 0 || columns < 1 || first > all - columns)
        return yk_fail(YOKE_EINVAL,
                       "array %s has columns [0, %lld); a panel of %lld from %lld on is not among "
                       "them, or empty",
                       array->name, (long long)all, (long long)columns, (long long)first);
    return YOKE_OK;
}

/* Changes the list of panels. Takes the locks of all its readers: evictions, searches for
 * conflicting jobs, and devices that fail. */
static void change_list(struct yk_panel_change *change)
{
    yoke_runtime *runtime = change->array->runtime;
    yk_lock(&runtime->places.evict_lock);
    yk_lock(&runtime->lock);
    yk_panels_change(change);
    yk_unlock(&runtime->lock);
    yk_unlock(&runtime->places.evict_lock);
    yk_panels_changed(change);
}

static yoke_status open_panel(yoke_array *array, int64_t first_column, int64_t columns,
                              yoke_array **out)
{
    struct yk_panel_change change;
    struct yk_interval bytes;
    yoke_status status = check(array, first_column, columns);
    if (status != YOKE_OK)
        return status;
    bytes.first = first_column * (int64_t)array->element_size;
    bytes.last = bytes.first + columns * (int64_t)array->element_size;
    yk_jobs_wait_for(array->runtime, array, 1);
    status = yk_panel_prepare(array, bytes, &change);
    if (status != YOKE_OK)
        return status;
    change_list(&change);
    status = yk_array_handle_take(change.panel, out);
    if (status != YOKE_OK)
        yk_panel_close(change.panel);
    return status;
}

yoke_status yoke_array_panel(yoke_array *handle, int64_t first_column, int64_t columns,
                             yoke_array **out)
{
    yoke_array *array = yk_array_of(handle, "yoke_array_panel");
    if (!array || yk_runtime_refuses(array->runtime, "yoke_array_panel"))
        return YOKE_EINVAL;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_array_panel: out is NULL");
    return open_panel(array, first_column, columns, out);
}

/* A panel with lost rows stays, without a name, so that the array knows about them. */
yoke_status yk_panel_close(yoke_array *panel)
{
    yoke_array *array = panel->whole;
    struct yk_panel_change change;
    yoke_status status = YOKE_OK, all;
    yk_jobs_wait_for(array->runtime, panel, 1);
    if (!array->owns_host)
        status = yk_transfer_home(panel, yk_array_rows(panel));
    yk_lock(&array->runtime->lock);
    panel->is_named = panel->held = 0;
    yk_unlock(&array->runtime->lock);
    if (yk_panels_named(array))
        return status;
    yk_jobs_wait_for(array->runtime, array, 1);
    all = yk_panels_prepare_end(array, &change);
    if (all == YOKE_OK)
        change_list(&change);
    return status != YOKE_OK ? status : all;
}
