/* bounds.c - see bounds.h. */
#include "bounds.h"

#include <stdlib.h>

#include "backend/backend.h"
#include "base/status.h"
#include "platform/clock.h"

/* --- copies alone --- */

enum { IN, OUT, WAYS };

struct way {
    struct yk_queue *queue;
    struct yk_buffer *buffer;
    struct yk_event *last;
    char *host;
    int64_t left;
};

struct links {
    struct yk_device_list list;
    struct yk_device *device;
    const struct yk_backend *backend;
    int64_t piece;
    struct way ways[WAYS];
    int pinned[WAYS];
};

static int64_t now_of(const struct links *links)
{
    return links->backend->now ? links->backend->now() : yk_clock_ns();
}

static yoke_status wait_for(const struct links *links, struct yk_event *event)
{
    yoke_status outcome = YOKE_OK;
    if (!event)
        return YOKE_OK;
    if (links->backend->advance)
        while (!links->backend->poll(event, &outcome))
            links->backend->advance(0);
    else
        outcome = links->backend->wait(event);
    links->backend->event_close(event);
    return outcome;
}

static yoke_status open_way(struct links *links, int w)
{
    const struct yk_backend *backend = links->backend;
    struct way *way = &links->ways[w];
    int foreign;
    yoke_status status = backend->queue_open(links->device, &way->queue);
    if (status == YOKE_OK)
        status = backend->alloc(links->device, links->piece, &way->buffer);
    if (status == YOKE_OK && backend->commit)
        status = backend->commit(links->device, way->buffer, 0, links->piece);
    way->host = aligned_alloc(4096, (size_t)(links->piece + 4095) / 4096 * 4096);
    if (status == YOKE_OK && !way->host)
        status = YOKE_ENOMEM;
    for (int64_t i = 0; status == YOKE_OK && i < links->piece; i += 4096)
        way->host[i] = 0;
    if (status == YOKE_OK && backend->pin) {
        status =
            backend->pin(links->device, way->host, (links->piece + 4095) / 4096 * 4096, &foreign);
        links->pinned[w] = status == YOKE_OK;
    }
    return status;
}

static void close_links(struct links *links)
{
    const struct yk_backend *backend = links->backend;
    for (int w = 0; links->device && w < WAYS; w++) {
        struct way *way = &links->ways[w];
        if (way->queue)
            backend->queue_close(way->queue);
        if (way->buffer)
            backend->free(links->device, way->buffer);
        if (links->pinned[w])
            backend->unpin(links->device, way->host);
        free(way->host);
    }
    if (links->device)
        backend->close(links->device);
    yk_device_list_close(&links->list);
}

static yoke_status copy_next(struct links *links, int w)
{
    struct way *way = &links->ways[w];
    struct yk_copy copy = { .kind = w == IN ? YK_COPY_TO_DEVICE : YK_COPY_FROM_DEVICE,
                            .host = way->host,
                            .buffer = way->buffer,
                            .bytes = way->left < links->piece ? way->left : links->piece };
    if (way->last)
        links->backend->event_close(way->last);
    way->last = NULL;
    way->left -= copy.bytes;
    return links->backend->copy(way->queue, &copy, &way->last);
}

static yoke_status copy_all(struct links *links)
{
    yoke_status status = YOKE_OK, ended;
    while (status == YOKE_OK && (links->ways[IN].left || links->ways[OUT].left))
        for (int w = 0; w < WAYS && status == YOKE_OK; w++)
            if (links->ways[w].left)
                status = copy_next(links, w);
    for (int w = 0; w < WAYS; w++) {
        ended = wait_for(links, links->ways[w].last);
        links->ways[w].last = NULL;
        status = status == YOKE_OK ? ended : status;
    }
    return status;
}

yoke_status bound_of_links(const char *device, const struct work_spec *spec, int64_t piece,
                           double *seconds)
{
    struct links links = { .piece = piece };
    int64_t start;
    yoke_status status = yk_devices_find(device, &links.list);
    if (status == YOKE_OK)
        links.backend = links.list.items[0].backend;
    if (status == YOKE_OK)
        status = links.backend->open(&links.list.items[0], &links.device);
    if (status == YOKE_OK) /* this table has no functions that the device lacks */
        links.backend = links.device->backend;
    for (int w = 0; w < WAYS && status == YOKE_OK; w++)
        status = open_way(&links, w);
    for (int warm = 1; warm >= 0 && status == YOKE_OK; warm--) {
        links.ways[IN].left = warm ? piece : work_bytes_in(spec);
        links.ways[OUT].left = warm ? piece : work_bytes_out(spec);
        start = now_of(&links);
        status = copy_all(&links);
        *seconds = 1e-9 * (double)(now_of(&links) - start);
    }
    close_links(&links);
    return status;
}

/* --- kernels alone --- */

yoke_status bound_of_cores(const char *device, const struct work_spec *spec, int repeat,
                           double *seconds)
{
    struct work_spec alone = *spec;
    struct work work = { 0 };
    yoke_runtime *rt;
    yoke_status status = yoke_open(&(yoke_config){ .devices = device }, &rt);
    if (status != YOKE_OK)
        return status;
    alone.partitioner = "static:chunks=1";
    status = work_open(rt, &alone, &work);
    *seconds = 0;
    for (int i = 0; i <= repeat && status == YOKE_OK; i++) {
        yoke_result *result;
        status = work_run(&work, 0, spec->items, &result);
        if (status != YOKE_OK)
            break;
        if (i > 0 && (*seconds == 0 || result->seconds < *seconds))
            *seconds = result->seconds;
        yoke_result_close(result);
    }
    work_close(&work);
    yoke_close(rt);
    return status;
}
