/* test_peer.c - copies between two devices, as specified by backend.h: on the simulated GPUs, or on
 * the devices named by the first argument. Without and with the checking wrapper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "backend/check/check.h"
#include "base/alloc.h"

enum { BYTES = 6 << 20, PART = 12345 };

static const char *devices = "sim:gpu*2:peer=1e10:pages=64K";
static unsigned char sent[BYTES], got[BYTES];

struct pair {
    struct yk_device *device[2];
    struct yk_queue *queue[2];
    struct yk_buffer *buffer[2];
    const struct yk_backend *backend;
};

static void fill(unsigned seed)
{
    size_t i;
    for (i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 31 + (i >> 8) * 7 + seed);
}

static void open_device(struct pair *p, const struct yk_device_desc *desc, int i, int checked)
{
    assert_int_equal(desc->backend->open(desc, &p->device[i]), YOKE_OK);
    if (checked)
        assert_int_equal(yk_backend_check(p->device[i], &p->device[i]), YOKE_OK);
    p->backend = p->device[i]->backend;
    assert_int_equal(p->backend->queue_open(p->device[i], &p->queue[i]), YOKE_OK);
    assert_int_equal(p->backend->alloc(p->device[i], BYTES, &p->buffer[i]), YOKE_OK);
}

/* Half of the source's pages are committed before it is known that they will be read, half later.
 */
static void commit(struct pair *p, int i, int64_t offset, int64_t bytes)
{
    if (p->backend->commit)
        assert_int_equal(p->backend->commit(p->device[i], p->buffer[i], offset, bytes), YOKE_OK);
}

static struct pair opened(const char *text, int checked)
{
    struct yk_device_list list = { 0 };
    struct pair p;
    assert_int_equal(yk_devices_find(text, &list), YOKE_OK);
    assert_int_equal(list.count, 2);
    open_device(&p, &list.items[0], 0, checked);
    commit(&p, 0, 0, BYTES / 2);
    open_device(&p, &list.items[1], 1, checked);
    yk_device_list_close(&list);
    return p;
}

static void close_pair(struct pair *p)
{
    int i;
    for (i = 1; i >= 0; i--) {
        p->device[i]->backend->queue_close(p->queue[i]);
        p->device[i]->backend->free(p->device[i], p->buffer[i]);
    }
    for (i = 1; i >= 0; i--)
        p->device[i]->backend->close(p->device[i]);
}

static yoke_status finish(struct pair *p, int i, struct yk_event *event)
{
    const struct yk_backend *backend = p->device[i]->backend;
    yoke_status outcome = YOKE_OK;
    if (!event)
        return YOKE_OK;
    if (backend->advance)
        while (!backend->poll(event, &outcome))
            assert_true(backend->advance(0));
    else
        outcome = backend->wait(event);
    backend->event_close(event);
    return outcome;
}

static struct yk_event *copy(struct pair *p, int i, const struct yk_copy *what)
{
    struct yk_event *event = NULL;
    assert_int_equal(p->device[i]->backend->copy(p->queue[i], what, &event), YOKE_OK);
    return event;
}

static void read_back(struct pair *p, int i)
{
    memset(got, 0, sizeof got);
    assert_int_equal(finish(p, i,
                            copy(p, i,
                                 &(struct yk_copy){ .kind = YK_COPY_FROM_DEVICE,
                                                    .host = got,
                                                    .buffer = p->buffer[i],
                                                    .bytes = BYTES })),
                     YOKE_OK);
}

/* Copies the first device's whole buffer, which is still being uploaded, ordered only by the event;
 * then a part to another offset; then rows. */
static void play(int checked)
{
    struct pair p = opened(devices, checked);
    struct yk_event *up, *across;
    int64_t run;
    assert_true(p.backend->reach(p.device[1], p.device[0]) > 0);
    commit(&p, 0, 0, BYTES);
    commit(&p, 1, 0, BYTES);
    fill(1);
    up = copy(&p, 0,
              &(struct yk_copy){
                  .kind = YK_COPY_TO_DEVICE, .host = sent, .buffer = p.buffer[0], .bytes = BYTES });
    p.backend->event_hold(up); /* held by the dependent work; its owner may close it */
    p.backend->event_close(up);
    struct yk_copy all = { .kind = YK_COPY_PEER,
                           .buffer = p.buffer[1],
                           .bytes = BYTES,
                           .from = p.buffer[0],
                           .peer = p.device[0],
                           .after = &up,
                           .after_count = 1 };
    across = copy(&p, 1, &all);
    assert_int_equal(finish(&p, 1, across), YOKE_OK);
    assert_int_equal(finish(&p, 0, up), YOKE_OK);
    read_back(&p, 1);
    assert_memory_equal(got, sent, BYTES);
    struct yk_copy part = { .kind = YK_COPY_PEER,
                            .buffer = p.buffer[1],
                            .offset = 777,
                            .bytes = PART,
                            .from = p.buffer[0],
                            .from_offset = BYTES - PART,
                            .peer = p.device[0] };
    assert_int_equal(finish(&p, 1, copy(&p, 1, &part)), YOKE_OK);
    struct yk_copy runs = part;
    runs.offset = BYTES / 2;
    runs.from_offset = 64;
    runs.bytes = 100;
    runs.rows = 1000;
    runs.pitch = 300;
    runs.host_pitch = 256;
    assert_int_equal(finish(&p, 1, copy(&p, 1, &runs)), YOKE_OK);
    read_back(&p, 1);
    assert_memory_equal(got + 777, sent + BYTES - PART, PART);
    for (run = 0; run < 1000; run++) {
        assert_memory_equal(got + BYTES / 2 + 300 * run, sent + 64 + 256 * run, 100);
        assert_memory_equal(got + BYTES / 2 + 300 * run + 100, sent + BYTES / 2 + 300 * run + 100,
                            200);
    }
    close_pair(&p);
}

static void bytes_arrive(void **state)
{
    (void)state;
    play(0);
    play(1);
}

/* Small copies may take another way than large ones, and each alignment its own. No byte around
 * them changes. */
static void all_sizes_arrive(void **state)
{
    static const int64_t sizes[] = { 1,    3,    4,     16,        48,           52,
                                     4095, 4096, 70000, (1 << 20), (1 << 20) + 1 };
    static const int64_t offsets[] = { 0, 4, 7, 16, 4096 };
    struct pair p = opened(devices, 0);
    (void)state;
    assert_true(p.backend->reach(p.device[1], p.device[0]) > 0);
    commit(&p, 0, 0, BYTES);
    commit(&p, 1, 0, BYTES);
    fill(2);
    struct yk_copy up = { .host = sent, .bytes = BYTES };
    for (int i = 0; i < 2; i++) {
        up.buffer = p.buffer[i];
        assert_int_equal(finish(&p, i, copy(&p, i, &up)), YOKE_OK);
        fill(3);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            struct yk_copy part = { .kind = YK_COPY_PEER,
                                    .buffer = p.buffer[1],
                                    .offset = offsets[o],
                                    .bytes = sizes[s],
                                    .from = p.buffer[0],
                                    .from_offset = 2 * offsets[o] + 32,
                                    .peer = p.device[0] };
            assert_int_equal(finish(&p, 1, copy(&p, 1, &part)), YOKE_OK);
            read_back(&p, 1);
            fill(2);
            assert_memory_equal(got + part.offset, sent + part.from_offset, part.bytes);
            fill(3);
            assert_memory_equal(got, sent, part.offset);
            assert_memory_equal(got + part.offset + part.bytes, sent + part.offset + part.bytes,
                                BYTES - part.offset - part.bytes);
            up.bytes = part.offset + part.bytes;
            assert_int_equal(finish(&p, 1, copy(&p, 1, &up)), YOKE_OK);
        }
    close_pair(&p);
}

/* The source is lost before its bytes have arrived, or before the copy is issued. */
static void lost_source(void **state)
{
    struct pair p;
    struct yk_event *across;
    (void)state;
    if (strncmp(devices, "sim", 3) != 0)
        skip(); /* a real driver cannot be made to fail between two calls */
    p = opened("sim:gpudying:peer=1e9:fail=1ms,sim:gpu:peer=1e9", 1);
    assert_true(p.backend->reach(p.device[1], p.device[0]) > 0);
    struct yk_copy all = { .kind = YK_COPY_PEER,
                           .buffer = p.buffer[1],
                           .bytes = BYTES,
                           .from = p.buffer[0],
                           .peer = p.device[0] };
    across = copy(&p, 1, &all);
    assert_int_equal(finish(&p, 1, across), YOKE_ELOST);
    across = copy(&p, 1, &all);
    assert_int_equal(finish(&p, 1, across), YOKE_ELOST);
    read_back(&p, 1); /* the destination itself still works */
    close_pair(&p);
}

static char breach[400];
static void hear(void *context, const char *text)
{
    (void)context;
    strncpy(breach, text, sizeof breach - 1);
}

static void expect_breach(const char *words)
{
    if (!strstr(breach, words))
        fail_msg("'%s' is not in '%s'", words, breach);
    breach[0] = 0;
}

/* Reads a source that is still being written, without an event; copies without asking whether the
 * devices can. */
static void breaches_are_found(void **state)
{
    struct pair p;
    struct yk_event *up, *across = NULL;
    (void)state;
    if (strncmp(devices, "sim", 3) != 0)
        skip();
    p = opened("sim:gpu*2:peer=1e9", 1);
    struct yk_copy all = { .kind = YK_COPY_PEER,
                           .buffer = p.buffer[1],
                           .bytes = BYTES,
                           .from = p.buffer[0],
                           .peer = p.device[0] };
    yk_check_on_breach(hear, NULL);
    assert_int_equal(p.backend->copy(p.queue[1], &all, &across), YOKE_EINVAL);
    expect_breach("was not asked for with reach");
    assert_true(p.backend->reach(p.device[1], p.device[0]) > 0);
    assert_true(p.backend->reach(p.device[1], p.device[1]) == 0);
    expect_breach("is no other device of its backend");
    up = copy(&p, 0,
              &(struct yk_copy){
                  .kind = YK_COPY_TO_DEVICE, .host = sent, .buffer = p.buffer[0], .bytes = BYTES });
    assert_int_equal(p.backend->copy(p.queue[1], &all, &across), YOKE_EINVAL);
    expect_breach("may still be running");
    all.from = p.buffer[1];
    assert_int_equal(p.backend->copy(p.queue[1], &all, &across), YOKE_EINVAL);
    expect_breach("belongs to sim:gpu1");
    yk_check_on_breach(NULL, NULL);
    assert_int_equal(finish(&p, 0, up), YOKE_OK);
    close_pair(&p);
}

static void without_links(void **state)
{
    struct pair p;
    (void)state;
    if (strncmp(devices, "sim", 3) != 0)
        skip();
    p = opened("sim:gpu:peer=1e9,sim:gpu", 0);
    assert_true(p.device[1]->backend->reach(p.device[1], p.device[0]) == 0);
    assert_true(p.device[0]->backend->reach(p.device[0], p.device[1]) == 0);
    struct yk_copy all = { .kind = YK_COPY_PEER,
                           .buffer = p.buffer[1],
                           .bytes = BYTES,
                           .from = p.buffer[0],
                           .peer = p.device[0] };
    assert_int_equal(p.device[1]->backend->copy(p.queue[1], &all, NULL), YOKE_EINVAL);
    close_pair(&p);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive),  cmocka_unit_test(all_sizes_arrive),
        cmocka_unit_test(lost_source),   cmocka_unit_test(breaches_are_found),
        cmocka_unit_test(without_links),
    };
    if (count > 1)
        devices = words[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
