/* array.c - opens and closes an array: checks its shape, takes its memory, opens its coherence. */
#include "array.h"

#include <stdint.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "panel.h"
#include "poison.h"

static yoke_status check_shape(const yoke_array_spec *spec)
{
    int64_t elements = spec->row_elements ? spec->row_elements : 1;
    const char *name = spec->name ? spec->name : "array " YK_UNNAMED;
    if (spec->rows < 0 || elements < 1 || spec->element_size < 1)
        return yk_fail(
            YOKE_EINVAL,
            "%s: %lld rows of %lld elements of %zu bytes; rows must be >= 0, the others >= 1", name,
            (long long)spec->rows, (long long)elements, spec->element_size);
    if (elements > INT64_MAX / 16 / (int64_t)spec->element_size ||
        spec->rows > INT64_MAX / 16 / (elements * (int64_t)spec->element_size) ||
        spec->first_row > INT64_MAX / 16 / (elements * (int64_t)spec->element_size) ||
        spec->first_row < -(INT64_MAX / 16 / (elements * (int64_t)spec->element_size)))
        return yk_fail(YOKE_EINVAL, "%s: %lld rows from %lld are more than addresses can count",
                       name, (long long)spec->rows, (long long)spec->first_row);
    return YOKE_OK;
}

static yoke_status take_memory(yoke_array *array, const yoke_array_spec *spec)
{
    static _Alignas(64) char nothing[64]; /* launches want an address, also if there is no row */
    if (spec->host || array->rows == 0) {
        array->host = spec->host ? spec->host : nothing;
        return YOKE_OK;
    }
    array->host = yk_pages_alloc((size_t)yk_array_bytes(array));
    array->owns_host = array->host != NULL;
    return array->host ? YOKE_OK : YOKE_ENOMEM;
}

yoke_status yk_array_open_state(yoke_array *array, enum yk_coherence_start start)
{
    yoke_status status = yk_coherence_open(yk_array_rows(array), start, &array->coherence);
    if (status != YOKE_OK)
        return status;
    status = yk_mutex_open(&array->home_lock);
    if (status != YOKE_OK)
        goto close_coherence;
    status = yk_mutex_open(&array->lock);
    if (status != YOKE_OK)
        goto close_home_lock;
    atomic_init(&array->host_only, start == YK_START_HOST);
    return YOKE_OK;
close_home_lock:
    yk_mutex_close(&array->home_lock);
close_coherence:
    yk_coherence_close(array->coherence);
    return status;
}

void yk_array_close_state(yoke_array *array)
{
    yk_poison_close(array);
    yk_coherence_close(array->coherence);
    yk_mutex_close(&array->lock);
    yk_mutex_close(&array->home_lock);
}

yoke_status yk_array_open(struct yk_places *places, const yoke_array_spec *spec, yoke_array **out)
{
    enum yk_coherence_start start = spec->host ? YK_START_HOST : YK_START_FRESH;
    yoke_array *array;
    yoke_status status = check_shape(spec);
    if (status != YOKE_OK)
        return status;
    array = yk_calloc(1, sizeof *array);
    if (!array)
        return YOKE_ENOMEM;
    array->places = places;
    array->rows = spec->rows;
    array->first_row = spec->first_row;
    array->element_size = spec->element_size;
    array->row_bytes = (spec->row_elements ? spec->row_elements : 1) * (int64_t)spec->element_size;
    array->pitch = array->row_bytes;
    array->whole = array;
    array->name = yk_strdup(spec->name ? spec->name : YK_UNNAMED);
    if (!array->name) {
        status = YOKE_ENOMEM;
        goto free_array;
    }
    status = take_memory(array, spec);
    if (status != YOKE_OK)
        goto free_name;
    array->pages.is_array = 1;
    array->pages.pages = yk_pin_pages(array->host, yk_array_bytes(array));
    status = yk_array_open_state(array, start);
    if (status != YOKE_OK)
        goto free_memory;
    *out = array;
    return YOKE_OK;
free_memory:
    if (array->owns_host)
        yk_pages_free(array->host);
free_name:
    yk_free(array->name);
free_array:
    yk_free(array);
    return status;
}

void yk_array_close(yoke_array *array)
{
    int number;
    if (!array)
        return;
    yk_lock(&array->places->evict_lock);
    for (number = 0; number < YK_PLACES; number++) {
        struct yk_replica *replica = array->replicas[number];
        if (!replica)
            continue;
        if (replica->buffer) {
            struct yk_place *place = replica->place;
            yk_lock(&place->lock);
            yk_replica_close(replica);
            yk_unlock(&place->lock);
        }
        yk_interval_map_close(&replica->committed);
        yk_interval_map_close(&replica->sent);
        yk_free(replica);
    }
    yk_unlock(&array->places->evict_lock);
    yk_panels_free(array->panels);
    yk_array_close_state(array);
    yk_pages_leave(&array->pages);
    if (array->owns_host)
        yk_pages_free(array->host);
    yk_free(array->name);
    yk_free(array);
}
