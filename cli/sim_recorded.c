/* sim_recorded.c - what items cost, from the timeline of a run (yoke run APP --trace FILE.json).
 *
 * Of the kernel that took the most time, every chunk says what its items cost on the device that
 * did it. Devices are compared by their averages, so a chunk counts as so many times what its
 * device took for an item on average, and stretches of equal length get the mean of the chunks that
 * covered them, in all the runs that were recorded. What nobody recorded costs the average.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "sim.h"

enum { stretches_max = 4096, processes_max = 256, file_bytes_max = 1 << 30 };

static int fail(const char *path, const char *why)
{
    fprintf(stderr, "yoke: %s: %s; write one with 'yoke run APP --trace FILE.json'\n", path, why);
    return 1;
}

static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    long bytes;
    if (!stream) {
        fail(path, strerror(errno));
        return NULL;
    }
    if (fseek(stream, 0, SEEK_END) || (bytes = ftell(stream)) < 0 || bytes > file_bytes_max ||
        fseek(stream, 0, SEEK_SET)) {
        fail(path, "it is no file that can be read whole");
    } else if (!(text = malloc((size_t)bytes + 1))) {
        fail(path, "it is too large for memory");
    } else {
        size_t got = fread(text, 1, (size_t)bytes, stream);
        text[got] = '\0';
    }
    fclose(stream);
    return text;
}

/* A chunk of the timeline; 0 if the event is none. */
struct chunk {
    const char *name;
    double first, last, seconds;
    int process, thread;
};

static int read_number(const cJSON *object, const char *name, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item))
        return 0;
    *out = item->valuedouble;
    return 1;
}

static int read_chunk(const cJSON *event, struct chunk *out)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(event, "cat");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(event, "args");
    double process, thread;
    if (!cJSON_IsString(kind) || strcmp(kind->valuestring, "chunk") != 0 || !cJSON_IsString(name) ||
        !read_number(event, "dur", &out->seconds) || !read_number(event, "pid", &process) ||
        !read_number(event, "tid", &thread) || !read_number(arguments, "first", &out->first) ||
        !read_number(arguments, "last", &out->last))
        return 0;
    out->name = name->valuestring;
    out->seconds *= 1e-6;
    out->process = (int)process;
    out->thread = (int)thread;
    return out->last > out->first && out->first >= 0 && out->last <= 9e15 && out->seconds >= 0 &&
           process >= 0;
}

/* Seconds and items, of a device or of the cores. */
struct sum {
    int process;
    double seconds, items;
};

struct reading {
    const cJSON *events;
    const char *kernel;
    double first, last; /* of its range */
    struct sum devices[processes_max], cores;
    int device_count;
};

static double kernel_seconds(const cJSON *events, const char *name)
{
    double seconds = 0;
    const cJSON *event;
    struct chunk chunk;
    cJSON_ArrayForEach(event, events) if (read_chunk(event, &chunk) && !strcmp(chunk.name, name))
        seconds += chunk.seconds;
    return seconds;
}

/* The one that took the most time. There are few names, and each is looked at once or twice. */
static const char *find_kernel(const cJSON *events)
{
    const char *found = NULL, *latest = "";
    double most = -1;
    const cJSON *event;
    struct chunk chunk;
    cJSON_ArrayForEach(event, events)
    {
        if (!read_chunk(event, &chunk) || !strcmp(chunk.name, latest) ||
            (found && !strcmp(chunk.name, found)))
            continue;
        double seconds = kernel_seconds(events, chunk.name);
        latest = chunk.name;
        if (seconds > most) {
            found = chunk.name;
            most = seconds;
        }
    }
    return found;
}

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

static struct sum *sum_of(struct reading *reading, int process)
{
    int d = 0;
    while (d < reading->device_count && reading->devices[d].process != process)
        d++;
    if (d == processes_max)
        return NULL;
    if (d == reading->device_count)
        reading->devices[reading->device_count++].process = process;
    return &reading->devices[d];
}

static void count_chunk(struct reading *reading, const struct chunk *chunk, int core)
{
    struct sum *sums[] = { sum_of(reading, chunk->process), core ? &reading->cores : NULL };
    for (int i = 0; i < 2; i++)
        if (sums[i]) {
            sums[i]->seconds += chunk->seconds;
            sums[i]->items += chunk->last - chunk->first;
        }
    if (reading->last == 0 || chunk->first < reading->first)
        reading->first = chunk->first;
    if (chunk->last > reading->last)
        reading->last = chunk->last;
}

static void count_all(struct reading *reading)
{
    int core = 0, thread = -1;
    const cJSON *event;
    struct chunk chunk;
    cJSON_ArrayForEach(event, reading->events)
    {
        if (!read_chunk(event, &chunk) || strcmp(chunk.name, reading->kernel) != 0)
            continue;
        if (chunk.thread != thread) /* events lie thread by thread */
            core = is_core(reading->events, chunk.thread);
        thread = chunk.thread;
        count_chunk(reading, &chunk, core);
    }
}

/* Stretches with what was recorded of each: cost times length, and length, both in stretches. */
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

static void add_all(struct reading *reading, const struct stretches *to)
{
    double scale = (double)to->count / (reading->last - reading->first);
    const cJSON *event;
    struct chunk chunk;
    cJSON_ArrayForEach(event, reading->events)
    {
        if (!read_chunk(event, &chunk) || strcmp(chunk.name, reading->kernel) != 0)
            continue;
        const struct sum *device = sum_of(reading, chunk.process);
        double seconds = chunk.seconds / (chunk.last - chunk.first);
        if (device && device->seconds > 0)
            add_chunk(to, (chunk.first - reading->first) * scale,
                      (chunk.last - reading->first) * scale,
                      seconds * device->items / device->seconds);
    }
    for (int64_t at = 0; at < to->count; at++)
        to->costs[at] = to->covered[at] > 0 ? to->costs[at] / to->covered[at] : 1;
}

static int read_costs(const char *path, struct reading *reading, struct sim_recording *out)
{
    struct stretches stretches;
    count_all(reading);
    double items = reading->last - reading->first;
    stretches.count = items < stretches_max ? (int64_t)items : stretches_max;
    stretches.costs = calloc((size_t)stretches.count, sizeof *stretches.costs);
    stretches.covered = calloc((size_t)stretches.count, sizeof *stretches.covered);
    if (!stretches.costs || !stretches.covered) {
        free(stretches.costs);
        free(stretches.covered);
        return fail(path, "no memory for its costs");
    }
    add_all(reading, &stretches);
    free(stretches.covered);
    *out = (struct sim_recording){ .costs = stretches.costs,
                                   .count = stretches.count,
                                   .items = (int64_t)items };
    if (reading->cores.items > 0)
        out->core_seconds = reading->cores.seconds / reading->cores.items;
    return 0;
}

int sim_recording_read(const char *path, struct sim_recording *out)
{
    struct reading *reading;
    char *text = read_file(path);
    int status = 1;
    if (!text)
        return 1;
    cJSON *top = cJSON_Parse(text);
    free(text);
    reading = calloc(1, sizeof *reading);
    if (reading) {
        reading->events = cJSON_GetObjectItemCaseSensitive(top, "traceEvents");
        reading->kernel = find_kernel(reading->events);
    }
    if (!reading)
        fail(path, "no memory to read it");
    else if (!cJSON_IsArray(reading->events))
        fail(path, "it is no timeline");
    else if (!reading->kernel)
        fail(path, "it has no chunk of a kernel");
    else
        status = read_costs(path, reading, out);
    free(reading);
    cJSON_Delete(top);
    return status;
}
