/* bare.c - the calls that the runtime makes for chunks of resident data, in the same order, without
 * any decision, look-up or bookkeeping.
 */
#include "bare.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "overhead_kernels.h"

static yoke_status wait_for(const struct bare *bare, struct yk_event *event)
{
    yoke_status outcome = YOKE_OK;
    if (!event)
        return YOKE_OK;
    if (bare->backend->advance)
        while (!bare->backend->poll(event, &outcome))
            bare->backend->advance(0);
    else
        outcome = bare->backend->wait(event);
    bare->backend->event_close(event);
    return outcome;
}

static yoke_status open_buffer(struct bare *bare, struct yk_buffer **out)
{
    const struct yk_backend *backend = bare->backend;
    int64_t bytes = bare->items * (int64_t)sizeof(float);
    struct yk_event *event = NULL;
    yoke_status status = backend->alloc(bare->device, bytes, out);
    if (status == YOKE_OK && backend->commit)
        status = backend->commit(bare->device, *out, 0, bytes);
    if (status == YOKE_OK)
        status =
            backend->zero(bare->queues[0], &(struct yk_buffer_range){ *out, 0, bytes }, &event);
    return status == YOKE_OK ? wait_for(bare, event) : status;
}

static yoke_status open_home(struct bare *bare)
{
    size_t bytes = (size_t)bare->items * sizeof(float);
    if (bare->backend->host_alloc)
        return bare->backend->host_alloc(bare->device, (int64_t)bytes, (void **)&bare->home);
    bare->home = yk_alloc_aligned(bytes, 4096);
    return bare->home ? YOKE_OK : YOKE_ENOMEM;
}

yoke_status bare_open(const char *text, int64_t items, struct bare *out)
{
    *out = (struct bare){ .items = items };
    yoke_status status = yk_devices_find(text, &out->list);
    if (status == YOKE_OK && out->list.items[0].host_memory)
        status = yk_fail(YOKE_EINVAL, "%s works in host memory; name a device that has its own",
                         out->list.items[0].name);
    if (status != YOKE_OK)
        return status;
    status = out->list.items[0].backend->open(&out->list.items[0], &out->device);
    if (status != YOKE_OK)
        return status;
    out->backend = out->device->backend;
    status = out->backend->build(out->device, &burn, &out->program);
    while (status == YOKE_OK && out->lanes < out->device->desc.lanes &&
           out->lanes < BARE_LANES_MAX) {
        status = out->backend->queue_open(out->device, &out->queues[out->lanes]);
        out->lanes += status == YOKE_OK;
    }
    if (status == YOKE_OK)
        status = open_buffer(out, &out->x);
    if (status == YOKE_OK)
        status = open_buffer(out, &out->y);
    return status == YOKE_OK ? open_home(out) : status;
}

void bare_close(struct bare *bare)
{
    const struct yk_backend *backend = bare->backend;
    if (bare->home && backend->host_free)
        backend->host_free(bare->device, bare->home);
    else
        yk_free(bare->home);
    if (bare->x)
        backend->free(bare->device, bare->x);
    if (bare->y)
        backend->free(bare->device, bare->y);
    while (bare->lanes > 0)
        backend->queue_close(bare->queues[--bare->lanes]);
    if (bare->program)
        backend->program_close(bare->device, bare->program);
    if (bare->device)
        backend->close(bare->device);
    yk_device_list_close(&bare->list);
}

static yoke_status issue(struct bare *bare, int lane, int64_t first, int64_t last,
                         struct yk_event **home)
{
    const int32_t rounds = 0;
    const struct yk_launch_arg args[] = { { .value = &rounds },
                                          { .buffer = bare->x },
                                          { .buffer = bare->y } };
    const struct yk_launch launch = {
        .first = first, .last = last, .extent = { 1, 1 }, .args = args, .team = 1
    };
    struct yk_event *kernel = NULL;
    yoke_status status = bare->backend->launch(bare->queues[lane], bare->program, &launch, &kernel);
    if (status != YOKE_OK)
        return status;
    const struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE,
                                  .host = bare->home + first,
                                  .buffer = bare->y,
                                  .offset = first * (int64_t)sizeof(float),
                                  .bytes = (last - first) * (int64_t)sizeof(float),
                                  .after = &kernel,
                                  .after_count = 1 };
    status = bare->backend->copy(bare->queues[lane], &copy, home);
    bare->backend->event_close(kernel);
    return status;
}

yoke_status bare_run(struct bare *bare, int64_t chunk)
{
    struct yk_event *home[BARE_LANES_MAX] = { NULL };
    yoke_status status = YOKE_OK, ended;
    int lane = 0;
    for (int64_t first = 0; status == YOKE_OK && first < bare->items; first += chunk) {
        int64_t last = first + chunk < bare->items ? first + chunk : bare->items;
        status = wait_for(bare, home[lane]);
        home[lane] = NULL;
        if (status == YOKE_OK)
            status = issue(bare, lane, first, last, &home[lane]);
        lane = (lane + 1) % bare->lanes;
    }
    for (lane = 0; lane < bare->lanes; lane++) {
        ended = wait_for(bare, home[lane]);
        status = status == YOKE_OK ? ended : status;
    }
    return status;
}
