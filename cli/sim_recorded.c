/* sim_recorded.c - what items cost, from the timeline of a run (yoke run APP --trace FILE.json).
 *
 * Uses the kernel that took the most time, and cuts its range into stretches of equal length. A
 * stretch gets the mean cost of the chunks that covered it, over all recorded runs; a stretch
 * without a recording gets the average cost. Times of different devices are first made comparable:
 * all are scaled to those of the cores or, if no core took part, of the device that did most. Items
 * of neighbouring chunks should cost nearly the same, so where two devices' chunks are neighbours,
 * the median of the ratios is the scale. A recording of the cores alone needs no scaling.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "sim.h"

enum { stretches_max = 4096, kernels_max = 64, devices_max = 256 };

static int fail(const char *path, const char *why)
{
    fprintf(stderr, "yoke: %s: %s; write one with 'yoke run APP --trace FILE.json'\n", path, why);
    return 1;
}

/* A chunk of the timeline. */
struct chunk {
    const char *name;
    double first, last, seconds;
    int process, thread; /* of the timeline; later, process is the index in reading.devices */
};

static int read_number(const cJSON *object, const char *name, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item))
        return 0;
    *out = item->valuedouble;
    return 1;
}

/* The number of a process or thread. */
static int read_id(const cJSON *event, const char *name, int *out)
{
    double number;
    if (!read_number(event, name, &number) || !(number >= 0 && number < 1e6))
        return 0;
    *out = (int)number;
    return 1;
}

/* Returns 0 if the event is not a chunk. */
static int read_chunk(const cJSON *event, struct chunk *out)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(event, "cat");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(event, "args");
    if (!cJSON_IsString(kind) || strcmp(kind->valuestring, "chunk") != 0 || !cJSON_IsString(name) ||
        !read_number(event, "dur", &out->seconds) || !read_id(event, "pid", &out->process) ||
        !read_id(event, "tid", &out->thread) || !read_number(arguments, "first", &out->first) ||
        !read_number(arguments, "last", &out->last))
        return 0;
    out->name = name->valuestring;
    out->seconds *= 1e-6;
    return out->last > out->first && out->first >= 0 && out->last <= 9e15 && out->seconds > 0;
}

/* The kernel that took the most time, among the first kernels_max. */
static const char *find_kernel(const cJSON *events)
{
    struct {
        const char *name;
        double seconds;
    } kernels[kernels_max] = { { NULL, 0 } };
    int count = 0, most = 0, k;
    const cJSON *event;
    struct chunk chunk;
    cJSON_ArrayForEach(event, events)
    {
        if (!read_chunk(event, &chunk))
            continue;
        for (k = 0; k < count && strcmp(kernels[k].name, chunk.name) != 0; k++)
            continue;
        if (k == kernels_max)
            continue;
        count += k == count;
        kernels[k].name = chunk.name;
        kernels[k].seconds += chunk.seconds;
    }
    for (k = 1; k < count; k++)
        if (kernels[k].seconds > kernels[most].seconds)
            most = k;
    return kernels[most].name;
}

/* Returns 1 if a thread of the timeline is a core. */
static int is_core(const cJSON *events, int thread)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        double number;
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name");
        if (!cJSON_IsString(name) || strcmp(name->valuestring, "thread_name") != 0 ||
            !read_number(event, "tid", &number) || (int)number != thread)
            continue;
        name = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(event, "args"),
                                                "name");
        return cJSON_IsString(name) && !strncmp(name->valuestring, "core", 4);
    }
    return 0;
}

struct device {
    int process, core;
    double seconds, items;
    double scale; /* factor from its seconds to the reference's; 0: not known yet */
};

struct reading {
    struct chunk *chunks; /* of one kernel; sorted by items when all are read */
    int64_t count;
    double first, last; /* of the kernel's range */
    struct device devices[devices_max];
    int device_count;
};

/* Returns the device's index; devices_max if there are too many devices. */
static int place_of(struct reading *reading, int process)
{
    int d = 0;
    while (d < reading->device_count && reading->devices[d].process != process)
        d++;
    if (d == reading->device_count && d < devices_max)
        reading->devices[reading->device_count++].process = process;
    return d;
}

static void count_chunk(struct reading *reading, struct chunk *chunk, int core)
{
    struct device *device;
    chunk->process = place_of(reading, chunk->process);
    if (chunk->process == devices_max)
        return;
    device = &reading->devices[chunk->process];
    device->core = core;
    device->seconds += chunk->seconds;
    device->items += chunk->last - chunk->first;
    if (reading->count == 0 || chunk->first < reading->first)
        reading->first = chunk->first;
    if (chunk->last > reading->last)
        reading->last = chunk->last;
    reading->chunks[reading->count++] = *chunk;
}

static int by_items(const void *a, const void *b)
{
    const struct chunk *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

static int read_chunks(const cJSON *events, const char *kernel, struct reading *reading)
{
    int core = 0, thread = -1;
    const cJSON *event;
    struct chunk chunk;
    reading->chunks = calloc((size_t)cJSON_GetArraySize(events) + 1, sizeof *reading->chunks);
    if (!reading->chunks)
        return 0;
    cJSON_ArrayForEach(event, events)
    {
        if (!read_chunk(event, &chunk) || strcmp(chunk.name, kernel) != 0)
            continue;
        if (chunk.thread != thread) /* events are sorted by thread */
            core = is_core(events, chunk.thread);
        thread = chunk.thread;
        count_chunk(reading, &chunk, core);
    }
    qsort(reading->chunks, (size_t)reading->count, sizeof *reading->chunks, by_items);
    return reading->count > 0;
}

static double item_seconds(const struct chunk *chunk)
{
    return chunk->seconds / (chunk->last - chunk->first);
}

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Returns the time of an item on the device, relative to the reference; 0 if it is unknown.
 * Compares chunks of the device with neighbouring chunks of devices whose scale is known. `ratios`
 * has room for all chunks. */
static double slowness(const struct reading *reading, int device, double *ratios)
{
    int64_t count = 0;
    for (int64_t i = 1; i < reading->count; i++) {
        const struct chunk *mine = &reading->chunks[i - 1], *other = &reading->chunks[i];
        if (mine->process != device) {
            mine = other;
            other = &reading->chunks[i - 1];
        }
        if (mine->process == device && reading->devices[other->process].scale > 0)
            ratios[count++] =
                item_seconds(mine) / (item_seconds(other) * reading->devices[other->process].scale);
    }
    qsort(ratios, (size_t)count, sizeof *ratios, by_size);
    return count ? ratios[count / 2] : 0;
}

/* Returns the reference: a CPU device if there is one; of several candidates, the one that did
 * most. */
static int find_reference(const struct reading *reading)
{
    int found = 0;
    for (int d = 1; d < reading->device_count; d++) {
        const struct device *best = &reading->devices[found], *device = &reading->devices[d];
        if (device->core > best->core ||
            (device->core == best->core && device->items > best->items))
            found = d;
    }
    return found;
}

/* Sets the scales of all devices, beginning with the reference's neighbours. A device that has no
 * neighbour with a known scale is scaled by its average time of an item. */
static int compare_devices(struct reading *reading, int reference)
{
    const struct device *r = &reading->devices[reference];
    double *ratios = calloc((size_t)reading->count, sizeof *ratios);
    int found = 1, d;
    if (!ratios)
        return 0;
    reading->devices[reference].scale = 1;
    while (found)
        for (d = 0, found = 0; d < reading->device_count; d++) {
            double ratio = reading->devices[d].scale > 0 ? 0 : slowness(reading, d, ratios);
            if (ratio > 0)
                reading->devices[d].scale = 1 / ratio;
            found |= ratio > 0;
        }
    for (d = 0; d < reading->device_count; d++) {
        struct device *device = &reading->devices[d];
        if (!(device->scale > 0))
            device->scale = r->seconds / r->items / (device->seconds / device->items);
    }
    free(ratios);
    return 1;
}

/* For each stretch, two sums over the chunks that cover it: cost times covered length, and covered
 * length. Lengths are in stretches. */
struct stretches {
    double *costs, *covered;
    int64_t count;
};

static void add_part(const struct stretches *to, int64_t at, double length, double cost)
{
    if (at < to->count) {
        to->costs[at] += cost * length;
        to->covered[at] += length;
    }
}

static void add_chunk(const struct stretches *to, double from, double until, double cost)
{
    for (int64_t at = (int64_t)from; at < to->count && (double)at < until; at++) {
        double begin = from > (double)at ? from : (double)at;
        double end = until < (double)at + 1 ? until : (double)at + 1;
        add_part(to, at, end - begin, cost);
    }
}

/* Turns the sums into means. Stretches without a recording get the average of the others. Returns
 * that average. */
static double set_means(const struct stretches *to)
{
    double costs = 0, covered = 0;
    for (int64_t at = 0; at < to->count; at++)
        if (to->covered[at] > 0) {
            to->costs[at] /= to->covered[at];
            costs += to->costs[at];
            covered++;
        }
    for (int64_t at = 0; at < to->count; at++)
        if (!(to->covered[at] > 0))
            to->costs[at] = costs / covered;
    return costs / covered;
}

static void add_all(const struct reading *reading, const struct stretches *to)
{
    double scale = (double)to->count / (reading->last - reading->first);
    for (int64_t i = 0; i < reading->count; i++) {
        const struct chunk *chunk = &reading->chunks[i];
        add_chunk(to, (chunk->first - reading->first) * scale,
                  (chunk->last - reading->first) * scale,
                  item_seconds(chunk) * reading->devices[chunk->process].scale);
    }
}

static int find_costs(const char *path, struct reading *reading, struct sim_recording *out)
{
    struct stretches stretches;
    int reference = find_reference(reading);
    double items = reading->last - reading->first, mean;
    stretches.count = items < stretches_max ? (int64_t)items : stretches_max;
    stretches.costs = calloc((size_t)stretches.count, sizeof *stretches.costs);
    stretches.covered = calloc((size_t)stretches.count, sizeof *stretches.covered);
    if (!stretches.costs || !stretches.covered || !compare_devices(reading, reference)) {
        free(stretches.costs);
        free(stretches.covered);
        return fail(path, "no memory for its costs");
    }
    add_all(reading, &stretches);
    mean = set_means(&stretches);
    free(stretches.covered);
    *out = (struct sim_recording){ .costs = stretches.costs,
                                   .count = stretches.count,
                                   .items = (int64_t)items,
                                   .core_seconds = reading->devices[reference].core ? mean : 0 };
    return 0;
}

static int read_events(const char *path, const cJSON *events, struct sim_recording *out)
{
    const char *kernel = find_kernel(events);
    struct reading *reading = calloc(1, sizeof *reading);
    int status = 1;
    if (!cJSON_IsArray(events))
        fail(path, "it is no timeline");
    else if (!kernel)
        fail(path, "it has no chunk of a kernel");
    else if (!reading || !read_chunks(events, kernel, reading))
        fail(path, "no memory to read it");
    else
        status = find_costs(path, reading, out);
    if (reading)
        free(reading->chunks);
    free(reading);
    return status;
}

int sim_recording_read(const char *path, struct sim_recording *out)
{
    struct json_why why;
    char *text = json_read(path, &why);
    if (!text)
        return fail(path, why.text);
    cJSON *top = cJSON_Parse(text);
    free(text);
    int status = read_events(path, cJSON_GetObjectItemCaseSensitive(top, "traceEvents"), out);
    cJSON_Delete(top);
    return status;
}
