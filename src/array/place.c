/* place.c - opens, connects and closes the memories of devices. See place.h. */
#include "place.h"

#include "../base/status.h"

static yoke_status open_queues(struct yk_place *place)
{
    struct yk_device *device = place->device;
    yoke_status status = device->backend->queue_open(device, &place->upload);
    if (status != YOKE_OK)
        return status;
    status = device->backend->queue_open(device, &place->download);
    if (status != YOKE_OK) {
        device->backend->queue_close(place->upload);
        place->upload = NULL;
    }
    return status;
}

yoke_status yk_place_open(struct yk_device *device, int number, struct yk_place *out)
{
    yoke_status status;
    *out = (struct yk_place){ .device = device, .number = number };
    atomic_init(&out->lost, 0);
    atomic_init(&out->mapped, 0);
    atomic_init(&out->direct, 0);
    atomic_init(&out->nearer, 0);
    status = yk_mutex_open(&out->lock);
    if (status != YOKE_OK)
        goto close_device;
    status = yk_mutex_open(&out->upload_lock);
    if (status != YOKE_OK)
        goto close_lock;
    status = yk_mutex_open(&out->lend_lock);
    if (status != YOKE_OK)
        goto close_upload_lock;
    if (device->desc.host_memory)
        return YOKE_OK;
    if (device->backend->pin) {
        status = yk_pinner_open(device, &out->pinner);
        if (status != YOKE_OK)
            goto close_lend_lock;
    }
    status = open_queues(out);
    if (status == YOKE_OK) { /* opened now, so that the first job need not do it */
        if (device->backend->host_alloc && !device->desc.virtual_clock)
            yk_stage_open(&out->stage, device);
        return YOKE_OK;
    }
    yk_pinner_close(out->pinner, device);
    out->device = device = NULL;
close_lend_lock:
    yk_mutex_close(&out->lend_lock);
close_upload_lock:
    yk_mutex_close(&out->upload_lock);
close_lock:
    yk_mutex_close(&out->lock);
close_device:
    if (device)
        device->backend->close(device);
    out->device = NULL;
    return status;
}

yoke_status yk_place_check(const struct yk_place *place)
{
    if (!atomic_load(&place->lost))
        return YOKE_OK;
    return yk_fail(YOKE_EDEVICE, "%s was lost before", place->device->desc.name);
}

void yk_place_close(struct yk_place *place)
{
    const struct yk_backend *backend;
    int i;
    if (!place->device)
        return;
    backend = place->device->backend;
    while (yk_place_free_spare(place))
        ;
    for (i = 0; i < YK_RECENT_UPLOADS; i++)
        backend->event_close(place->recent_uploads[i]);
    if (!place->lender)
        backend->event_close(place->last_upload);
    yk_exchange_close(place);
    if (place->upload)
        backend->queue_close(place->upload);
    if (place->lending)
        backend->queue_close(place->lending);
    if (place->download)
        backend->queue_close(place->download);
    yk_stage_close(&place->stage, place->device);
    yk_pinner_close(place->pinner, place->device);
    yk_mutex_close(&place->lend_lock);
    yk_mutex_close(&place->upload_lock);
    yk_mutex_close(&place->lock);
    place->device = NULL;
}

void yk_place_drain_locked(struct yk_place *place)
{
    struct yk_event *upload;
    yk_lock(&place->lock);
    upload = place->last_upload;
    if (place->lender)
        place->lender->event = NULL;
    place->last_upload = NULL;
    place->lender = NULL;
    yk_unlock(&place->lock);
    yk_place_wait(place, upload);
    yk_exchange_drain(place);
}

void yk_place_drain(struct yk_place *place)
{
    yk_lock(&place->upload_lock);
    yk_place_drain_locked(place);
    yk_unlock(&place->upload_lock);
}

static int can_exchange(const struct yk_place *a, const struct yk_place *b)
{
    return a->device->desc.backend == b->device->desc.backend && a->number != YK_HOST &&
           b->number != YK_HOST && a->device->backend->reach;
}

/* Both places' locks held. */
static void connect(struct yk_place *to, struct yk_place *from)
{
    double speed = to->device->backend->reach(to->device, from->device);
    if (speed <= 0)
        return;
    if (yk_exchange_open(to) != YOKE_OK) {
        yk_log(YOKE_LOG_WARN, "%s: rows of other devices come by way of the host: %s",
               to->device->desc.name, yoke_error_text());
        return;
    }
    to->reach[from->number] = speed;
    atomic_fetch_or(&to->direct, yk_place_bit(from->number));
    if (speed > to->device->desc.link_bytes_per_ns)
        atomic_fetch_or(&to->nearer, yk_place_bit(from->number));
}

void yk_places_connect(struct yk_places *places, int count)
{
    struct yk_place *made = &places->items[count];
    int i;
    for (i = 0; i < count; i++) {
        struct yk_place *other = &places->items[i];
        if (atomic_load(&other->lost) || !can_exchange(other, made))
            continue;
        yk_lock(&other->lock);
        yk_lock(&made->lock);
        connect(made, other);
        connect(other, made);
        yk_unlock(&made->lock);
        yk_unlock(&other->lock);
    }
}

struct yk_place *yk_places_find(struct yk_places *places, int number)
{
    int i, count = atomic_load_explicit(&places->count, memory_order_acquire);
    for (i = 0; i < count; i++)
        if (places->items[i].number == number && number != YK_HOST)
            return &places->items[i];
    return NULL;
}

static int64_t readied(struct yk_place *place)
{
    int64_t pinned = place->pinner ? yk_pinner_pinned(place->pinner) : 0;
    return pinned + atomic_load(&place->mapped);
}

int64_t yk_places_readied(struct yk_places *places)
{
    int64_t bytes = 0;
    const int count = atomic_load(&places->count);
    for (int i = 0; i < count; i++)
        bytes += readied(&places->items[i]);
    return bytes;
}
