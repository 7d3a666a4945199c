/* contract_memory.c - device memory: allocation, copies at any offset, clearing, order. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "contract.h"

enum { SPAN = 5003 };

void pattern(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)((i * 31 + seed * 17 + (i >> 8)) & 0xFF);
}

void run_copy(struct contract *c, const struct yk_copy *copy)
{
    struct yk_event *event = NULL;
    assert_int_equal(c->backend->copy(c->queue, copy, &event), YOKE_OK);
    assert_int_equal(finish(c->backend, event), YOKE_OK);
}

static void allocation(struct contract *c)
{
    static const int64_t sizes[] = { 1, 3, 64, 4097, 1 << 20 };
    enum { COUNT = sizeof sizes / sizeof *sizes };
    struct yk_buffer *buffers[COUNT];
    assert_true(c->backend->memory_free(c->device) > 2 << 20);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(c->backend->alloc(c->device, sizes[i], &buffers[i]), YOKE_OK);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(buffers[i], buffers[j]);
    for (int i = 0; i < COUNT; i++)
        c->backend->free(c->device, buffers[i]);
    c->backend->free(c->device, NULL);
}

static void no_memory(struct contract *c)
{
    struct yk_buffer *buffer = (void *)c, *small;
    int64_t bytes = c->device->desc.memory_bytes;
    assert_true(bytes > 0);
    assert_int_equal(c->backend->alloc(c->device, bytes + 1, &buffer), YOKE_ENOMEM);
    assert_ptr_equal(buffer, c); /* not written */
    assert_non_null(strstr(yoke_error_text(), c->device->desc.name));
    assert_int_equal(c->backend->alloc(c->device, INT64_MAX, &buffer), YOKE_ENOMEM);
    assert_int_equal(c->backend->alloc(c->device, 4096, &small), YOKE_OK);
    c->backend->free(c->device, small);
}

static void odd_copies(struct contract *c)
{
    static const struct {
        int64_t offset, bytes;
    } parts[] = { { 0, SPAN }, { 0, 1 },     { SPAN - 1, 1 }, { 1, 2 },
                  { 3, 7 },    { 255, 257 }, { 4095, 3 },     { 1001, SPAN - 1001 } };
    unsigned char expected[SPAN], source[SPAN + 1], read[SPAN];
    pattern(expected, SPAN, 0);
    struct memory memory = memory_open(c, expected, SPAN);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                                .host = source + (i & 1),
                                .buffer = memory.buffer,
                                .offset = parts[i].offset,
                                .bytes = parts[i].bytes };
        pattern(source, sizeof source, i + 1);
        memcpy(expected + parts[i].offset, source + (i & 1), (size_t)parts[i].bytes);
        run_copy(c, &copy);
        memory_read(c, &memory, read);
        assert_memory_equal(read, expected, SPAN);
        memset(read, 0x5A, sizeof read);
        copy.kind = YK_COPY_FROM_DEVICE;
        copy.host = read;
        run_copy(c, &copy);
        assert_memory_equal(read, expected + parts[i].offset, (size_t)parts[i].bytes);
        for (int64_t j = parts[i].bytes; j < SPAN; j++)
            assert_int_equal(read[j], 0x5A); /* no byte more */
    }
    memory_close(c, &memory);
}

/* Rows of a wider buffer, from and to rows of host memory that are equally wide, wider, or
 * adjacent; bytes between rows stay unchanged. */
static void copies_of_rows(struct contract *c)
{
    static const struct {
        int64_t offset, bytes, rows, pitch, host_pitch;
    } parts[] = { { 0, 10, 7, 100, 100 }, { 13, 1, 30, 101, 103 }, { 90, 20, 40, 100, 20 },
                  { 0, 64, 78, 64, 64 },  { 55, 8, 1, 8, 8 },      { 3, 333, 4, 1000, 777 },
                  { 1, 5, 1000, 5, 6 },   { 4999, 2, 2, 2, 1000 }, { SPAN - 7, 7, 0, 0, 0 } };
    enum { HOST = 8000 };
    unsigned char expected[SPAN], host[HOST], source[HOST];
    pattern(expected, SPAN, 0);
    struct memory memory = memory_open(c, expected, SPAN);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                                .host = host,
                                .buffer = memory.buffer,
                                .offset = parts[i].offset,
                                .bytes = parts[i].bytes,
                                .rows = parts[i].rows,
                                .pitch = parts[i].pitch,
                                .host_pitch = parts[i].host_pitch };
        unsigned char read[SPAN];
        pattern(host, HOST, i + 1);
        run_copy(c, &copy);
        for (int64_t row = 0; row < copy.rows || row == 0; row++)
            memcpy(expected + copy.offset + row * copy.pitch, host + row * copy.host_pitch,
                   (size_t)copy.bytes);
        memory_read(c, &memory, read);
        assert_memory_equal(read, expected, SPAN);
        memset(host, 0x5A, HOST);
        memset(source, 0x5A, HOST);
        copy.kind = YK_COPY_FROM_DEVICE;
        run_copy(c, &copy);
        for (int64_t row = 0; row < copy.rows || row == 0; row++)
            memcpy(source + row * copy.host_pitch, expected + copy.offset + row * copy.pitch,
                   (size_t)copy.bytes);
        assert_memory_equal(host, source, HOST);
    }
    memory_close(c, &memory);
}

/* Columns of the same rows, to the device and back, on two queues at once. */
static void columns_at_once(struct contract *c)
{
    enum { WIDTH = 4096, ROWS = 64, PARTS = 8, PART = WIDTH / PARTS };
    unsigned char *there = malloc(WIDTH * ROWS), *here = malloc(WIDTH * ROWS);
    struct yk_event *ends[PARTS] = { NULL };
    struct yk_queue *other;
    assert_int_equal(c->backend->queue_open(c->device, &other), YOKE_OK);
    pattern(there, WIDTH * ROWS, 1);
    struct memory memory = memory_open(c, there, WIDTH * ROWS);
    memcpy(here, there, WIDTH * ROWS);
    for (int part = 1; part < PARTS; part += 2) /* odd parts are uploaded, the others downloaded */
        for (int row = 0; row < ROWS; row++) {
            pattern(here + row * WIDTH + part * PART, PART, (unsigned)(row + part));
            memset(here + row * WIDTH + part * PART - PART, 0, PART);
        }
    for (int part = 0; part < PARTS; part++) {
        const struct yk_copy copy = { .kind = part % 2 ? YK_COPY_TO_DEVICE : YK_COPY_FROM_DEVICE,
                                      .host = here + part * PART,
                                      .buffer = memory.buffer,
                                      .offset = part * PART,
                                      .bytes = PART,
                                      .rows = ROWS,
                                      .pitch = WIDTH,
                                      .host_pitch = WIDTH };
        assert_int_equal(c->backend->copy(part % 2 ? other : c->queue, &copy, &ends[part]),
                         YOKE_OK);
    }
    for (int part = 0; part < PARTS; part++)
        assert_int_equal(finish(c->backend, ends[part]), YOKE_OK);
    memory_read(c, &memory, there);
    assert_memory_equal(here, there, WIDTH * ROWS);
    c->backend->queue_close(other);
    memory_close(c, &memory);
    free(there);
    free(here);
}

static void copies_within(struct contract *c)
{
    unsigned char a[SPAN], b[SPAN], read[SPAN];
    pattern(a, SPAN, 1);
    pattern(b, SPAN, 2);
    struct memory first = memory_open(c, a, SPAN), second = memory_open(c, b, SPAN);
    run_copy(c, &(struct yk_copy){ .kind = YK_COPY_WITHIN,
                                   .buffer = second.buffer,
                                   .offset = 7,
                                   .bytes = 1234,
                                   .from = first.buffer,
                                   .from_offset = 333 });
    memcpy(b + 7, a + 333, 1234);
    memory_read(c, &second, read);
    assert_memory_equal(read, b, SPAN);
    run_copy(c, &(struct yk_copy){ .kind = YK_COPY_WITHIN,
                                   .buffer = first.buffer,
                                   .offset = 0,
                                   .bytes = 2500,
                                   .from = first.buffer,
                                   .from_offset = 2500 });
    memcpy(a, a + 2500, 2500);
    memory_read(c, &first, read);
    assert_memory_equal(read, a, SPAN);
    memory_close(c, &first);
    memory_close(c, &second);
}

static void clearing(struct contract *c)
{
    unsigned char a[SPAN], read[SPAN];
    static const int64_t parts[][2] = { { 0, 16 }, { 100, 1 }, { 203, 701 }, { 4096, 907 } };
    pattern(a, SPAN, 3);
    struct memory memory = memory_open(c, a, SPAN);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct yk_event *event = NULL;
        assert_int_equal(
            c->backend->zero(c->queue,
                             &(struct yk_buffer_range){ memory.buffer, parts[i][0], parts[i][1] },
                             &event),
            YOKE_OK);
        assert_int_equal(finish(c->backend, event), YOKE_OK);
        memset(a + parts[i][0], 0, (size_t)parts[i][1]);
        memory_read(c, &memory, read);
        assert_memory_equal(read, a, SPAN);
    }
    memory_close(c, &memory);
}

/* Operations of one queue take effect in order without waits between them. */
static void order_on_a_queue(struct contract *c)
{
    enum { ROUNDS = 20, BYTES = 1 << 16 };
    unsigned char *sources = malloc(ROUNDS * BYTES), *read = malloc(BYTES);
    struct yk_event *event = NULL;
    memset(read, 0, BYTES);
    struct memory memory = memory_open(c, read, BYTES);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned char *source = sources + i * BYTES;
        pattern(source, BYTES, i);
        struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE,
                                .host = source,
                                .buffer = memory.buffer,
                                .bytes = BYTES - (i % 3) };
        assert_int_equal(c->backend->copy(c->queue, &copy, NULL), YOKE_OK);
        if (i == ROUNDS / 2)
            assert_int_equal(c->backend->zero(c->queue,
                                              &(struct yk_buffer_range){ memory.buffer, 0, BYTES },
                                              NULL),
                             YOKE_OK);
    }
    struct yk_copy back = {
        .kind = YK_COPY_FROM_DEVICE, .host = read, .buffer = memory.buffer, .bytes = BYTES
    };
    assert_int_equal(c->backend->copy(c->queue, &back, &event), YOKE_OK);
    assert_int_equal(finish(c->backend, event), YOKE_OK);
    size_t last = BYTES - (ROUNDS - 1) % 3;
    assert_memory_equal(read, sources + (ROUNDS - 1) * BYTES, last);
    memory_close(c, &memory);
    free(sources);
    free(read);
}

/* Across queues `after` gives the order; NULL entries count as complete. */
static void order_across_queues(struct contract *c)
{
    enum { BYTES = 1 << 20 };
    struct yk_queue *other;
    struct yk_buffer *first, *second;
    struct yk_event *written = NULL, *moved = NULL, *read_back = NULL;
    unsigned char *source = malloc(BYTES), *read = malloc(BYTES);
    pattern(source, BYTES, 9);
    assert_int_equal(c->backend->queue_open(c->device, &other), YOKE_OK);
    assert_int_equal(c->backend->alloc(c->device, BYTES, &first), YOKE_OK);
    assert_int_equal(c->backend->alloc(c->device, BYTES, &second), YOKE_OK);
    commit_all(c, first, BYTES);
    commit_all(c, second, BYTES);
    struct yk_copy copy = {
        .kind = YK_COPY_TO_DEVICE, .host = source, .buffer = first, .bytes = BYTES
    };
    assert_int_equal(c->backend->copy(c->queue, &copy, &written), YOKE_OK);
    struct yk_event *after_written[] = { NULL, written, NULL };
    copy = (struct yk_copy){ .kind = YK_COPY_WITHIN,
                             .buffer = second,
                             .from = first,
                             .bytes = BYTES,
                             .after = after_written,
                             .after_count = 3 };
    assert_int_equal(c->backend->copy(other, &copy, &moved), YOKE_OK);
    copy = (struct yk_copy){ .kind = YK_COPY_FROM_DEVICE,
                             .host = read,
                             .buffer = second,
                             .bytes = BYTES,
                             .after = &moved,
                             .after_count = 1 };
    assert_int_equal(c->backend->copy(c->queue, &copy, &read_back), YOKE_OK);
    c->backend->event_close(written);
    c->backend->event_close(moved);
    assert_int_equal(finish(c->backend, read_back), YOKE_OK);
    assert_memory_equal(read, source, BYTES);
    c->backend->queue_close(other);
    c->backend->free(c->device, first);
    c->backend->free(c->device, second);
    free(source);
    free(read);
}

const struct named_case contract_memory_cases[] = {
    { "allocation", allocation, NEEDS_MEMORY },
    { "no memory", no_memory, NEEDS_MEMORY },
    { "copies at odd offsets and sizes", odd_copies, NEEDS_MEMORY },
    { "copies of rows", copies_of_rows, NEEDS_MEMORY },
    { "columns at once", columns_at_once, NEEDS_MEMORY },
    { "copies within the device", copies_within, NEEDS_MEMORY },
    { "clearing", clearing, NEEDS_MEMORY },
    { "order on a queue", order_on_a_queue, NEEDS_MEMORY },
    { "order across queues", order_across_queues, NEEDS_MEMORY },
    { 0 },
};
