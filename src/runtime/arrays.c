/* arrays.c - the public functions of arrays, most of which must wait for jobs. */
#include "../array/panel.h"
#include "../array/poison.h"
#include "../base/status.h"
#include "../job/array_handle.h"
#include "../job/array_list.h"
#include "../job/entry.h"
#include "../life/decomposition.h"
#include "../work/wait.h"
#include "panel_calls.h"

yoke_status yoke_array_open(yoke_runtime *runtime, const yoke_array_spec *spec, yoke_array **out)
{
    yoke_array *array;
    yoke_status status;
    if (yk_runtime_check(runtime, "yoke_array_open") != YOKE_OK)
        return YOKE_EINVAL;
    if (!spec || !out)
        return yk_fail(YOKE_EINVAL, "yoke_array_open: %s is NULL", spec ? "out" : "spec");
    status = yk_array_open(&runtime->places, spec, &array);
    if (status != YOKE_OK)
        return status;
    array->runtime = runtime;
    status = yk_array_handle_take(array, out);
    if (status != YOKE_OK) {
        yk_array_close(array);
        return status;
    }
    yk_lock(&runtime->lock);
    yk_arrays_add(array);
    yk_unlock(&runtime->lock);
    return YOKE_OK;
}

yoke_status yoke_array_wrap(yoke_runtime *runtime, void *host, int64_t rows, size_t element_size,
                            yoke_array **out)
{
    yoke_array_spec spec = { .host = host, .rows = rows, .element_size = element_size };
    if (yk_runtime_check(runtime, "yoke_array_wrap") != YOKE_OK)
        return YOKE_EINVAL;
    if (!host && rows > 0)
        return yk_fail(YOKE_EINVAL, "yoke_array_wrap: the memory to wrap is NULL; yoke_array_open "
                                    "allocates");
    return yoke_array_open(runtime, &spec, out);
}

/* Returns 1 if the array must not be closed yet; the error text says why. */
static int is_needed(const void *given)
{
    const yoke_array *array = given;
    if (yk_runtime_refuses(array->runtime, "yoke_array_close"))
        return 1;
    if (array->whole != array || !yk_panels_named(array))
        return 0;
    yk_fail(YOKE_EINVAL, "array %s still has %d panel(s); close them first", array->name,
            yk_panels_named(array));
    return 1;
}

yoke_status yoke_array_close(yoke_array *handle)
{
    yoke_array *array;
    yoke_runtime *runtime;
    yoke_status status = YOKE_OK;
    if (!handle)
        return YOKE_OK;
    array = yk_array_handle_end(handle, is_needed, "yoke_array_close");
    if (!array)
        return YOKE_EINVAL;
    if (array->whole != array)
        return yk_panel_close(array);
    runtime = array->runtime;
    yk_jobs_wait_for(runtime, array, 1);
    if (!array->owns_host) {
        const yoke_status changed =
            yk_poison_check(array, yk_array_rows(array), YK_POISON_HOST, "yoke_array_close");
        status = yk_transfer_home(array, yk_array_rows(array));
        if (status == YOKE_OK)
            status = changed;
    }
    yk_lock(&runtime->lock);
    yk_arrays_remove(array);
    yk_decomposition_leave(array);
    yk_unlock(&runtime->lock);
    yk_array_close(array);
    return status;
}

/* Places the pages of an array in yoke's own memory when the program first acquires all of it, to
 * fill it or to get the first results. Until then the host's memory may not be needed at all. In
 * checking mode the memory may be protected, so it is left alone. */
static void place(yoke_array *array)
{
    if (array->owns_host && !array->places->checks && !atomic_load(&array->placed) &&
        yk_pages_place(&array->pages))
        atomic_store(&array->placed, 1);
}

/* Brings the rows home, and tells the plan that the program reads them. The first time counts as
 * `readied`, because it may also open staging buffers and a queue. */
static yoke_status fetch(yoke_array *array, struct yk_interval rows)
{
    yoke_runtime *runtime = array->runtime;
    const int64_t begun_ns = yk_now(runtime), readied = yk_places_readied(&runtime->places);
    const int64_t before = atomic_load(&array->bytes_from);
    yoke_status status = yk_transfer_home(array, rows);
    const int came = atomic_load(&array->bytes_from) > before;
    yk_lock(&runtime->lock);
    yk_decomposition_read(array, &(struct yk_program_read){
                                     .rows = rows,
                                     .waited_ns = yk_now(runtime) - begun_ns,
                                     .readied = yk_places_readied(&runtime->places) > readied ||
                                                (came && !array->whole->came_home) });
    array->whole->came_home |= came;
    yk_unlock(&runtime->lock);
    return status;
}

static yoke_status write(yoke_array *array, struct yk_interval rows)
{
    yoke_status status = yk_transfer_written(array, YK_HOST, rows);
    yk_lock(&array->runtime->lock);
    yk_decomposition_written(array, rows);
    yk_unlock(&array->runtime->lock);
    return status;
}

static yoke_status acquire(yoke_array *array, yoke_access_mode mode, int64_t first, int64_t last)
{
    struct yk_interval all = yk_array_rows(array), rows = { first, last };
    yoke_status status;
    if (yk_runtime_refuses(array->runtime, "yoke_array_acquire"))
        return YOKE_EINVAL;
    if (first < all.first || last > all.last || first > last)
        return yk_fail(YOKE_EINVAL,
                       "array %s has rows [%lld, %lld); [%lld, %lld) are not among them",
                       array->name, (long long)all.first, (long long)all.last, (long long)first,
                       (long long)last);
    if ((unsigned)mode > YOKE_READ_WRITE)
        return yk_fail(YOKE_EINVAL, "array %s: mode %d is none of YOKE_READ, WRITE, READ_WRITE",
                       array->name, (int)mode);
    status = yk_jobs_make_way(array, mode != YOKE_READ);
    if (status != YOKE_OK)
        return status;
    if (first == all.first && last == all.last)
        place(array);
    if (mode != YOKE_WRITE)
        status = yk_poison_check(array, rows, YK_POISON_HOST, "yoke_array_acquire");
    if (mode != YOKE_WRITE && status == YOKE_OK)
        status = fetch(array, rows);
    if (mode == YOKE_READ)
        return status;
    if (status == YOKE_OK)
        status = write(array, rows);
    if (status != YOKE_OK)
        yk_jobs_take_way(array);
    return status;
}

yoke_status yoke_array_acquire_rows(yoke_array *handle, yoke_access_mode mode, int64_t first,
                                    int64_t last)
{
    yoke_array *array = yk_array_of(handle, "yoke_array_acquire_rows");
    return array ? acquire(array, mode, first, last) : YOKE_EINVAL;
}

yoke_status yoke_array_acquire(yoke_array *handle, yoke_access_mode mode)
{
    yoke_array *array = yk_array_of(handle, "yoke_array_acquire");
    if (!array)
        return YOKE_EINVAL;
    struct yk_interval rows = yk_array_rows(array);
    return acquire(array, mode, rows.first, rows.last);
}

yoke_status yoke_array_release(yoke_array *handle)
{
    yoke_array *array = yk_array_of(handle, "yoke_array_release");
    if (!array || yk_runtime_refuses(array->runtime, "yoke_array_release"))
        return YOKE_EINVAL;
    return yk_jobs_take_way(array);
}

void *yoke_array_host(yoke_array *handle)
{
    yoke_array *array = yk_array_of(handle, "yoke_array_host");
    return array && array->host ? array->host + array->column : NULL;
}

yoke_traffic yoke_array_traffic(const yoke_array *handle)
{
    const yoke_array *array = yk_array_of(handle, "yoke_array_traffic");
    yoke_traffic traffic = { 0 };
    if (array) {
        traffic.to_devices = atomic_load(&array->bytes_to);
        traffic.from_devices = atomic_load(&array->bytes_from);
        traffic.between_devices = atomic_load(&array->bytes_between);
    }
    return traffic;
}

void *yoke_alloc(yoke_runtime *runtime, size_t bytes)
{
    if (yk_runtime_check(runtime, "yoke_alloc") != YOKE_OK)
        return NULL;
    return yk_pages_alloc_pinned(bytes ? bytes : 1);
}

void yoke_free(yoke_runtime *runtime, void *memory)
{
    (void)runtime; /* may be closed already */
    yk_pages_free(memory);
}
