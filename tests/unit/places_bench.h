/* places_bench.h - two mock devices with room for one replica each, and two arrays. A copy is made
 * when it is waited for, and lets the test act just before, so that each interleaving occurs in
 * every run. */
#ifndef PLACES_BENCH_H
#define PLACES_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array/array.h"
#include "platform/thread.h"

enum { ROWS = 16, FIRST = 1, SECOND = 2, OLD = 1, NEW = 2 };

/* --- the device --- */

struct yk_buffer {
    char bytes[64];
};
struct yk_event {
    struct yk_copy copy;
};

static int buffers[3], room; /* per place: number of buffers, and the limit */
static void (*before_landing)(void);
static int refused_copy; /* counts down to the copy for which the driver has no memory; 0: none */

static inline int number_of(const struct yk_device *device)
{
    return device->desc.lanes;
}

static inline yoke_status stand_in_alloc(struct yk_device *device, int64_t bytes,
                                         struct yk_buffer **out)
{
    assert_true(bytes <= (int64_t)sizeof(**out).bytes);
    if (buffers[number_of(device)] == room)
        return YOKE_ENOMEM;
    buffers[number_of(device)]++;
    *out = calloc(1, sizeof **out);
    return *out ? YOKE_OK : YOKE_ENOMEM;
}

static inline void stand_in_free(struct yk_device *device, struct yk_buffer *buffer)
{
    buffers[number_of(device)]--;
    free(buffer);
}

static inline yoke_status stand_in_queue_open(struct yk_device *device, struct yk_queue **out)
{
    *out = (struct yk_queue *)device;
    return YOKE_OK;
}

static inline void stand_in_queue_close(struct yk_queue *queue)
{
    (void)queue;
}

static inline yoke_status stand_in_copy(struct yk_queue *queue, const struct yk_copy *copy,
                                        struct yk_event **event)
{
    (void)queue;
    if (refused_copy && --refused_copy == 0)
        return YOKE_ENOMEM;
    *event = calloc(1, sizeof **event);
    (*event)->copy = *copy;
    return YOKE_OK;
}

/* Copies end when a thread waits for them. */
static inline int stand_in_poll(struct yk_event *event, yoke_status *outcome)
{
    (void)event;
    (void)outcome;
    return 0;
}

static inline yoke_status stand_in_wait(struct yk_event *event)
{
    const struct yk_copy *copy = &event->copy;
    char *there = copy->buffer->bytes + copy->offset;
    void (*act)(void) = before_landing;
    before_landing = NULL;
    if (act)
        act();
    if (copy->kind == YK_COPY_TO_DEVICE)
        memcpy(there, copy->host, (size_t)copy->bytes);
    else
        memcpy(copy->host, there, (size_t)copy->bytes);
    return YOKE_OK;
}

static inline void stand_in_event_close(struct yk_event *event)
{
    free(event);
}

static inline void stand_in_close(struct yk_device *device)
{
    (void)device;
}

static const struct yk_backend stand_in = { .name = "stand-in",
                                            .close = stand_in_close,
                                            .alloc = stand_in_alloc,
                                            .free = stand_in_free,
                                            .queue_open = stand_in_queue_open,
                                            .queue_close = stand_in_queue_close,
                                            .copy = stand_in_copy,
                                            .poll = stand_in_poll,
                                            .wait = stand_in_wait,
                                            .event_close = stand_in_event_close };

/* --- two such devices and two arrays --- */

static struct yk_places places;
static struct yk_device devices[3];
static int host[2][ROWS];
static yoke_array *array, *other;
static struct yk_thread thread;
static int started;

static inline struct yk_interval rows(int64_t first, int64_t last)
{
    return (struct yk_interval){ first, last };
}

static inline int open_all(void **state)
{
    yoke_array_spec spec = { .host = host[0], .rows = ROWS, .element_size = sizeof(int) };
    int number;
    (void)state;
    room = 1;
    refused_copy = 0;
    started = 0;
    memset(host, 0, sizeof host);
    memset(&places, 0, sizeof places);
    assert_int_equal(yk_mutex_open(&places.evict_lock), YOKE_OK);
    for (number = FIRST; number <= SECOND; number++) {
        devices[number] = (struct yk_device){ .backend = &stand_in, .desc = { .lanes = number } };
        assert_int_equal(yk_place_open(&devices[number], number, &places.items[number - FIRST]),
                         YOKE_OK);
    }
    atomic_init(&places.count, 2);
    assert_int_equal(yk_array_open(&places, &spec, &array), YOKE_OK);
    spec.host = host[1];
    assert_int_equal(yk_array_open(&places, &spec, &other), YOKE_OK);
    atomic_store(&array->host_only, 0);
    return 0;
}

static inline int close_all(void **state)
{
    (void)state;
    yk_array_close(array);
    yk_array_close(other);
    yk_place_close(&places.items[0]);
    yk_place_close(&places.items[1]);
    yk_mutex_close(&places.evict_lock);
    assert_int_equal(buffers[FIRST] + buffers[SECOND], 0);
    return 0;
}

/* As if a kernel at this place had written OLD to these rows and its job were over. */
static inline void write_there(int number, struct yk_interval of)
{
    struct yk_replica *replica;
    int64_t row;
    assert_int_equal(yk_replica_claim(array, &places.items[number - FIRST], NULL, &replica),
                     YOKE_OK);
    for (row = of.first; row < of.last; row++)
        ((int *)replica->buffer->bytes)[row] = OLD;
    assert_int_equal(yk_transfer_written(array, number, of), YOKE_OK);
    yk_replica_unclaim(replica, NULL);
}

/* Lets another thread run while a copy is in progress. It has enough time, unless it waits for the
 * copy. */
static inline void meanwhile(void (*run)(void *context))
{
    const struct timespec enough = { .tv_nsec = 50000000 };
    struct yk_thread_spec spec = { .name = "meanwhile", .cpu = -1, .run = run };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    started = 1;
    nanosleep(&enough, NULL);
}

static inline void evict_for_other(void)
{
    struct yk_replica *replica;
    assert_int_equal(yk_replica_claim(other, &places.items[0], NULL, &replica), YOKE_OK);
    yk_replica_unclaim(replica, NULL);
    assert_true(started);
    yk_thread_join(&thread);
}

#endif
