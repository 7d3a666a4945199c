/* contract_event.c - events: polling, waiting, notification, times, closing early. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "contract.h"
#include "platform/clock.h"

enum { BYTES = 1 << 20 };

struct scene {
    struct memory memory;
    unsigned char *bytes;
};

static struct scene scene_open(struct contract *c)
{
    struct scene scene = { .bytes = malloc(BYTES) };
    assert_non_null(scene.bytes);
    memset(scene.bytes, 7, BYTES);
    scene.memory = memory_open(c, scene.bytes, BYTES);
    return scene;
}

static void scene_close(struct contract *c, struct scene *scene)
{
    memory_close(c, &scene->memory);
    free(scene->bytes);
}

static struct yk_event *issue(struct contract *c, const struct scene *scene)
{
    struct yk_event *event = NULL;
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                            .host = scene->bytes,
                            .buffer = scene->memory.buffer,
                            .bytes = BYTES,
                            .timed = 1 };
    assert_int_equal(c->backend->copy(c->queue, &copy, &event), YOKE_OK);
    return event;
}

/* Waits for the event by polling alone. */
static yoke_status poll_until(struct contract *c, struct yk_event *event)
{
    yoke_status outcome = YOKE_EINVAL;
    int64_t limit = yk_clock_ns() + INT64_C(20000000000);
    while (!c->backend->poll(event, &outcome)) {
        assert_true(yk_clock_ns() < limit);
        if (c->backend->advance)
            assert_true(c->backend->advance(0));
    }
    return outcome;
}

static void polling(struct contract *c)
{
    struct scene scene = scene_open(c);
    struct yk_event *event = issue(c, &scene);
    yoke_status outcome = YOKE_EINVAL;
    if (event) {
        assert_int_equal(poll_until(c, event), YOKE_OK);
        for (int i = 0; i < 3; i++) { /* complete stays complete */
            assert_int_equal(c->backend->poll(event, &outcome), 1);
            assert_int_equal(outcome, YOKE_OK);
        }
    }
    c->backend->event_close(event);
    c->backend->event_close(NULL);
    scene_close(c, &scene);
}

static void waiting(struct contract *c)
{
    struct scene scene = scene_open(c);
    struct yk_event *event = issue(c, &scene);
    if (event && !c->backend->advance) {
        assert_int_equal(c->backend->wait(event), YOKE_OK);
        assert_int_equal(c->backend->wait(event), YOKE_OK);
        assert_int_equal(poll_until(c, event), YOKE_OK);
    }
    assert_int_equal(finish(c->backend, event), YOKE_OK);
    scene_close(c, &scene);
}

static void count_up(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

static void wait_for_count(struct contract *c, atomic_int *count)
{
    int64_t limit = yk_clock_ns() + INT64_C(20000000000);
    while (!atomic_load(count)) {
        assert_true(yk_clock_ns() < limit);
        if (c->backend->advance)
            c->backend->advance(0);
    }
}

/* Notified once, also if the event is already complete. */
static void notification(struct contract *c)
{
    struct scene scene = scene_open(c);
    struct yk_event *event = issue(c, &scene), *late = issue(c, &scene);
    atomic_int early_count = 0, late_count = 0;
    if (event && late && c->backend->notify) {
        assert_int_equal(c->backend->notify(event, count_up, &early_count), YOKE_OK);
        wait_for_count(c, &early_count);
        assert_int_equal(poll_until(c, event), YOKE_OK);
        assert_int_equal(poll_until(c, late), YOKE_OK);
        assert_int_equal(c->backend->notify(late, count_up, &late_count), YOKE_OK);
        wait_for_count(c, &late_count);
        yk_clock_sleep_ns(2000000);
        assert_int_equal(early_count, 1);
        assert_int_equal(late_count, 1);
    }
    c->backend->event_close(event);
    c->backend->event_close(late);
    scene_close(c, &scene);
}

static void times(struct contract *c)
{
    struct scene scene = scene_open(c);
    int64_t before = c->backend->now ? c->backend->now() : yk_clock_ns();
    struct yk_event *first = issue(c, &scene), *second = issue(c, &scene);
    if (first && second) {
        struct yk_event_times a, b;
        assert_int_equal(poll_until(c, second), YOKE_OK);
        assert_int_equal(poll_until(c, first), YOKE_OK);
        int64_t after = c->backend->now ? c->backend->now() : yk_clock_ns();
        c->backend->event_times(first, &a);
        c->backend->event_times(second, &b);
        /* A device's clock is matched to the host's with limited accuracy. */
        int64_t slack = c->backend->now ? 0 : 2000000;
        if (a.started && b.started) {
            assert_true(a.started <= a.ended && b.started <= b.ended);
            assert_true(a.ended <= b.started + slack);
            assert_true(a.started >= before - slack && b.ended <= after + slack);
        }
    }
    c->backend->event_close(first);
    c->backend->event_close(second);
    scene_close(c, &scene);
}

/* An event that is closed before it is complete does not undo its operation; closing the queue
 * waits. */
static void closing_early(struct contract *c)
{
    struct scene scene = scene_open(c);
    struct yk_queue *other;
    unsigned char *read = calloc(1, BYTES);
    struct yk_event *event = NULL;
    assert_int_equal(c->backend->queue_open(c->device, &other), YOKE_OK);
    memset(scene.bytes, 0x42, BYTES);
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                            .host = scene.bytes,
                            .buffer = scene.memory.buffer,
                            .bytes = BYTES };
    assert_int_equal(c->backend->copy(other, &copy, &event), YOKE_OK);
    c->backend->event_close(event);
    assert_int_equal(c->backend->copy(other, &copy, NULL), YOKE_OK);
    c->backend->queue_close(other);
    memory_read(c, &scene.memory, read);
    assert_memory_equal(read, scene.bytes, BYTES);
    free(read);
    scene_close(c, &scene);
}

const struct named_case contract_event_cases[] = {
    { "polling", polling, NEEDS_MEMORY },
    { "waiting", waiting, NEEDS_MEMORY },
    { "notification", notification, NEEDS_MEMORY },
    { "times", times, NEEDS_MEMORY },
    { "closing early", closing_early, NEEDS_MEMORY },
    { 0 },
};
