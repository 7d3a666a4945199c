/* link.c - yoke/link.h: copies and an empty kernel, timed through the backend's functions.
 *
 * Uses its own queues, buffers and host memory, so that a runtime with arrays and kernels on the
 * device is not changed. Every figure is the median of repetitions within a time limit. The time of
 * a first copy determines the size of all others, so that these do not take too long on slow links
 * and latency does not dominate on fast ones. Threads wait as in jobs: asleep, or in virtual time
 * with a virtual clock.
 */
#include <stdlib.h>
#include <string.h>
#include <yoke/link.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/entry.h"
#include "../life/retire.h"
#include "../work/wait.h"
#include "triad.h"

#define ROOM_MAX ((int64_t)128 << 20) /* most bytes of each of the two buffers */
#define ROOM_MIN ((int64_t)4096)
#define PROBE    ((int64_t)4 << 20) /* bytes of the first copy */
/* Time of one timed copy, and time limit of all repetitions of a figure, in ns. */
#define COPY_NS  1e7
#define TRIAL_NS 60000000
enum { REPEATS = 101, REPEATS_LEAST = 3 }; /* most and fewest repetitions of a figure */

enum { TO = 1, FROM = 2 }; /* directions of copies, as bits */

struct bench {
    const yoke_runtime *runtime;
    struct yk_place *place;
    struct yk_device *device;
    const struct yk_backend *backend;
    struct yk_queue *queues[2];   /* to the device (also for kernels); from the device */
    struct yk_buffer *buffers[2]; /* to the device, from it; `room` bytes each */
    void *pageable[2], *pinned[2];
    void **host; /* the host memory that copies use: pageable or pinned */
    int64_t room;
    struct yk_program *program;
};

struct trial {
    yoke_status (*once)(struct bench *bench, const struct trial *trial);
    unsigned ways;
    int64_t bytes;
};

static void nothing_on_cpu(void *const *args, const yoke_chunk *chunk)
{
    (void)args;
    (void)chunk;
}

static const yoke_kernel nothing = {
    .struct_size = sizeof nothing,
    .kind = YOKE_KERNEL_NATIVE,
    .name = "yoke_nothing",
    .cpu = { .variant = { nothing_on_cpu } },
    .opencl = { .source = { "__kernel void yoke_nothing(long first, long last, long extent1, "
                            "long extent2) {}\n",
                            "yoke_nothing" } },
    .cuda = { .source = { "extern \"C\" __global__ void yoke_nothing(long long first, "
                          "long long last, long long extent1, long long extent2) {}\n",
                          "yoke_nothing" } },
};

/* Issues both directions before it waits for either. */
static yoke_status copy_once(struct bench *b, const struct trial *trial)
{
    struct yk_event *events[2] = { NULL, NULL };
    yoke_status status = YOKE_OK, outcome;
    int w;
    yk_lock(&b->place->lock);
    for (w = 0; w < 2 && status == YOKE_OK; w++) {
        struct yk_copy copy = { .kind = w == 0 ? YK_COPY_TO_DEVICE : YK_COPY_FROM_DEVICE,
                                .host = b->host[w],
                                .buffer = b->buffers[w],
                                .bytes = trial->bytes };
        if (trial->ways & (w == 0 ? TO : FROM))
            status = b->backend->copy(b->queues[w], &copy, &events[w]);
    }
    yk_unlock(&b->place->lock);
    for (w = 0; w < 2; w++) {
        outcome = yk_place_wait(b->place, events[w]);
        if (status == YOKE_OK)
            status = outcome;
    }
    return status;
}

static yoke_status launch_once(struct bench *b, const struct trial *trial)
{
    struct yk_launch_arg no_args = { 0 };
    const struct yk_launch launch = { .last = 1, .extent = { 1, 1 }, .args = &no_args, .team = 1 };
    struct yk_event *event = NULL;
    yoke_status status;
    (void)trial;
    yk_lock(&b->place->lock);
    status = b->backend->launch(b->queues[0], b->program, &launch, &event);
    yk_unlock(&b->place->lock);
    return status == YOKE_OK ? yk_place_wait(b->place, event) : status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs the trial once without measuring, then repeatedly. Sets *seconds to the median. */
static yoke_status repeat(struct bench *b, const struct trial *trial, double *seconds)
{
    double times[REPEATS];
    int count = 0, most = b->runtime->virtual_clock ? REPEATS_LEAST : REPEATS;
    int64_t begin, start, now;
    yoke_status status = trial->once(b, trial);
    begin = now = yk_now(b->runtime);
    while (status == YOKE_OK && count < most && (count < REPEATS_LEAST || now - begin < TRIAL_NS)) {
        start = yk_now(b->runtime);
        status = trial->once(b, trial);
        now = yk_now(b->runtime);
        times[count++] = 1e-9 * (double)(now - start);
    }
    if (status != YOKE_OK)
        return status;
    qsort(times, (size_t)count, sizeof *times, by_value);
    *seconds = times[count / 2];
    return YOKE_OK;
}

static yoke_status measure_speed(struct bench *b, unsigned ways, int64_t bytes, double *out)
{
    const struct trial trial = { copy_once, ways, bytes };
    double seconds;
    yoke_status status = repeat(b, &trial, &seconds);
    if (status == YOKE_OK && seconds > 0)
        *out = (double)bytes * (ways == (TO | FROM) ? 2 : 1) / seconds;
    return status;
}

/* Sets *out to the bytes that take about COPY_NS, estimated from a first copy. */
static yoke_status choose_bytes(struct bench *b, int64_t *out)
{
    const struct trial probe = { copy_once, TO, b->room < PROBE ? b->room : PROBE };
    int64_t start, ns;
    double bytes;
    yoke_status status = copy_once(b, &probe);
    start = yk_now(b->runtime);
    if (status == YOKE_OK)
        status = copy_once(b, &probe);
    ns = yk_now(b->runtime) - start;
    if (status != YOKE_OK)
        return status;
    bytes = COPY_NS * (double)probe.bytes / (double)(ns + 1);
    *out = bytes < (double)b->room ? (int64_t)bytes : b->room;
    if (*out < ROOM_MIN)
        *out = ROOM_MIN;
    return YOKE_OK;
}

static yoke_status measure_memory(struct bench *b, void **host, yoke_link_speed *out)
{
    int64_t bytes = 0;
    yoke_status status;
    if (!host[0] || !host[1])
        return YOKE_OK;
    b->host = host;
    status = choose_bytes(b, &bytes);
    if (status == YOKE_OK)
        status = measure_speed(b, TO, bytes, &out->to_device);
    if (status == YOKE_OK)
        status = measure_speed(b, FROM, bytes, &out->from_device);
    if (status == YOKE_OK)
        status = measure_speed(b, TO | FROM, bytes, &out->both);
    return status;
}

static yoke_status measure_latencies(struct bench *b, yoke_link *out)
{
    const struct trial copy = { copy_once, TO, 4 }, launch = { launch_once, 0, 0 };
    yoke_status status;
    b->host = b->pinned[0] && b->pinned[1] ? b->pinned : b->pageable;
    status = repeat(b, &copy, &out->copy_seconds);
    if (status != YOKE_OK)
        return status;
    status = b->backend->build(b->device, &nothing, &b->program);
    if (status == YOKE_EDEVICE || status == YOKE_ENOMEM)
        return status;
    /* without a compiler copies can still be measured */
    return status == YOKE_OK ? repeat(b, &launch, &out->launch_seconds) : YOKE_OK;
}

static yoke_status open_buffer(struct bench *b, int which)
{
    yoke_status status = b->backend->alloc(b->device, b->room, &b->buffers[which]);
    if (status == YOKE_OK && b->backend->commit)
        status = b->backend->commit(b->device, b->buffers[which], 0, b->room);
    return status;
}

static yoke_status open_on_device(struct bench *b)
{
    yoke_status status = YOKE_OK;
    int w;
    yk_lock(&b->place->lock);
    b->room = b->backend->memory_free(b->device) / 4;
    b->room = b->room < ROOM_MAX ? b->room / 64 * 64 : ROOM_MAX;
    if (b->room < ROOM_MIN)
        status = yk_fail(YOKE_ENOMEM, "%s has no memory left to measure with; close arrays first",
                         b->device->desc.name);
    for (w = 0; w < 2 && status == YOKE_OK; w++) {
        status = b->backend->queue_open(b->device, &b->queues[w]);
        if (status == YOKE_OK)
            status = open_buffer(b, w);
    }
    yk_unlock(&b->place->lock);
    return status;
}

/* Touches the memory, so that no copy meets a missing page. If there is no pinned memory, it is not
 * measured. */
static yoke_status open_on_host(struct bench *b)
{
    int w;
    for (w = 0; w < 2; w++) {
        b->pageable[w] = yk_alloc_aligned((size_t)b->room, 0);
        if (!b->pageable[w])
            return YOKE_ENOMEM;
        memset(b->pageable[w], 1, (size_t)b->room);
        if (!b->backend->host_alloc ||
            b->backend->host_alloc(b->device, b->room, &b->pinned[w]) != YOKE_OK)
            b->pinned[w] = NULL;
        else
            memset(b->pinned[w], 1, (size_t)b->room);
    }
    return YOKE_OK;
}

static void close_bench(struct bench *b)
{
    int w;
    yk_lock(&b->place->lock);
    if (b->program)
        b->backend->program_close(b->device, b->program);
    for (w = 0; w < 2; w++) {
        if (b->queues[w])
            b->backend->queue_close(b->queues[w]);
        if (b->buffers[w])
            b->backend->free(b->device, b->buffers[w]);
        if (b->pinned[w])
            b->backend->host_free(b->device, b->pinned[w]);
        yk_free(b->pageable[w]);
    }
    yk_unlock(&b->place->lock);
}

static yoke_status measure_link(yoke_runtime *runtime, struct yk_runtime_device *device,
                                yoke_link *out)
{
    struct bench bench = { .runtime = runtime,
                           .place = device->place,
                           .device = device->device,
                           .backend = device->device->backend };
    yoke_status status = open_on_device(&bench);
    if (status == YOKE_OK)
        status = open_on_host(&bench);
    if (status == YOKE_OK)
        status = measure_memory(&bench, bench.pinned, &out->pinned);
    if (status == YOKE_OK)
        status = measure_memory(&bench, bench.pageable, &out->pageable);
    if (status == YOKE_OK)
        status = measure_latencies(&bench, out);
    close_bench(&bench);
    if (status == YOKE_EDEVICE)
        yk_runtime_device_lost(runtime, device);
    return status;
}

static yoke_status measure_cores(const struct yk_runtime_device *device, yoke_link *out)
{
    int *cpus = yk_calloc((size_t)device->worker_count, sizeof *cpus), w;
    yoke_status status;
    if (!cpus)
        return YOKE_ENOMEM;
    for (w = 0; w < device->worker_count; w++)
        cpus[w] = device->workers[w].cpu;
    status = yk_triad_measure(cpus, device->worker_count, &out->memory_bytes_per_second);
    yk_free(cpus);
    return status;
}

yoke_status yoke_link_measure(yoke_runtime *runtime, int index, yoke_link *out)
{
    int count;
    struct yk_runtime_device *device;
    yoke_link link = { .copy_seconds = 0 };
    yoke_status status = yk_runtime_check(runtime, "yoke_link_measure");
    if (status != YOKE_OK)
        return status;
    count = yoke_device_count(runtime);
    if (!out || index < 0 || index >= count)
        return yk_fail(YOKE_EINVAL, "there is no device %d to measure, only %d", index, count);
    device = &runtime->devices[index];
    if (atomic_load(&device->place->lost))
        return yk_fail(YOKE_EDEVICE, "%s is lost; nothing can be measured",
                       device->device->desc.name);
    yk_jobs_wait_for(runtime, NULL, 1);
    if (!device->device->desc.host_memory)
        status = measure_link(runtime, device, &link);
    else if (!runtime->virtual_clock)
        status = measure_cores(device, &link);
    if (status == YOKE_OK)
        *out = link;
    return status;
}
