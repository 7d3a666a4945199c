/* result.c - what a job did, in one block of memory that its owner frees at once. */
#include <string.h>

#include "../base/alloc.h"
#include "job.h"

struct room { /* the block being filled */
    char *next;
};

static void *carve(struct room *room, size_t bytes)
{
    void *place = room->next;
    room->next += (bytes + 15) / 16 * 16;
    return place;
}

static const char *keep(struct room *room, const char *text)
{
    size_t bytes = strlen(text ? text : "") + 1;
    return memcpy(carve(room, bytes), text ? text : "", bytes);
}

static size_t padded(const char *text)
{
    return (strlen(text ? text : "") + 1 + 15) / 16 * 16;
}

static size_t measure(const struct yk_job *job, size_t decisions)
{
    size_t bytes =
        (sizeof(yoke_result) + 15) / 16 * 16 + padded(yk_dispatch_partitioner(job->dispatch));
    int d;
    bytes += ((size_t)job->device_count * sizeof(yoke_device_result) + 15) / 16 * 16;
    bytes += ((size_t)job->device_count * sizeof(yoke_wait_result) + 15) / 16 * 16;
    bytes += (decisions * sizeof(yoke_decision) + 15) / 16 * 16;
    for (d = 0; d < job->device_count; d++) {
        char text[YK_WAIT_TEXT];
        yk_wait_explain(job, d, text);
        bytes += padded(yk_dispatch_reason(job->dispatch, d)) + padded(text);
    }
    return bytes;
}

static void fill_devices(const struct yk_job *job, struct room *room, yoke_result *result)
{
    yoke_device_result *devices =
        carve(room, (size_t)job->device_count * sizeof(yoke_device_result));
    double all = (double)(job->last - job->first);
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_split_outcome outcome;
        yk_dispatch_outcome(job->dispatch, d, &outcome);
        devices[d].device = d;
        devices[d].items = outcome.items;
        devices[d].share = all > 0 ? (double)outcome.items / all : 0;
        devices[d].busy_seconds = (double)outcome.busy_ns * 1e-9;
        devices[d].chunks = outcome.chunks;
        devices[d].reason = keep(room, yk_dispatch_reason(job->dispatch, d));
    }
    result->devices = devices;
    result->device_count = job->device_count;
}

static void fill_waits(const struct yk_job *job, struct room *room, yoke_result *result)
{
    yoke_wait_result *waits = carve(room, (size_t)job->device_count * sizeof *waits);
    char text[YK_WAIT_TEXT];
    int d;
    for (d = 0; d < job->device_count; d++) {
        waits[d].waiting = yk_wait_explain(job, d, text);
        waits[d].reason = keep(room, text);
    }
    result->waits = waits;
}

static void fill_decisions(const struct yk_job *job, struct room *room, yoke_result *result)
{
    size_t count, i;
    const struct yk_decision *from = yk_dispatch_decisions(job->dispatch, &count);
    yoke_decision *to = carve(room, count * sizeof *to);
    for (i = 0; i < count; i++) {
        to[i].seconds = (double)(from[i].when - job->submitted_ns) * 1e-9;
        to[i].device = from[i].device;
        to[i].lane = from[i].lane;
        to[i].first = from[i].first;
        to[i].last = from[i].last;
        to[i].reason = from[i].reason;
    }
    result->decisions = to;
    result->decision_count = (int64_t)count;
}

yoke_status yk_result_open(struct yk_job *job, yoke_result **out)
{
    struct room room;
    yoke_result *result;
    size_t decisions;
    yk_dispatch_decisions(job->dispatch, &decisions);
    room.next = yk_calloc(1, measure(job, decisions));
    if (!room.next)
        return YOKE_ENOMEM;
    result = carve(&room, sizeof *result);
    result->version = 2;
    result->seconds = (double)(job->ended_ns - job->submitted_ns) * 1e-9;
    result->partitioner = keep(&room, yk_dispatch_partitioner(job->dispatch));
    result->traffic.to_devices = atomic_load(&job->bytes_to);
    result->traffic.from_devices = atomic_load(&job->bytes_from);
    fill_devices(job, &room, result);
    fill_waits(job, &room, result);
    fill_decisions(job, &room, result);
    *out = result;
    return YOKE_OK;
}

void yoke_result_close(yoke_result *result)
{
    yk_free(result);
}
