/* contract_launch.c - kernels of every form, whole arrays and windows of them; builds that fail. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "contract.h"
#include "contract_kernel.h"
#include "platform/clock.h"
#include "platform/thread.h"

enum { COUNT = 3001 };

static void run(struct contract *c, const yoke_kernel *kernel, struct yk_launch launch)
{
    struct yk_program *program;
    struct yk_event *event = NULL;
    if (!launch.extent[0])
        launch.extent[0] = 1;
    if (!launch.extent[1])
        launch.extent[1] = 1;
    launch.team = 1;
    yoke_status status = c->backend->build(c->device, kernel, &program);
    if (status != YOKE_OK)
        print_error("%s\n", yoke_error_text());
    assert_int_equal(status, YOKE_OK);
    assert_int_equal(c->backend->launch(c->queue, program, &launch, &event), YOKE_OK);
    assert_int_equal(finish(c->backend, event), YOKE_OK);
    c->backend->program_close(c->device, program);
}

/* Chunk [first, last) of saxpy on memory that holds only elements window .. COUNT - 1. */
static void saxpy_part(struct contract *c, int64_t window, int64_t first, int64_t last)
{
    float x[COUNT], y[COUNT], expected[COUNT], a = 1.5f;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 97);
        y[i] = expected[i] = (float)(i % 31) - 7;
        if (i >= first && i < last)
            expected[i] = a * x[i] + y[i];
    }
    int64_t bytes = (COUNT - window) * (int64_t)sizeof *x;
    struct memory mx = memory_open(c, x + window, bytes), my = memory_open(c, y + window, bytes);
    struct yk_launch_arg args[] = { { .value = &a },
                                    memory_arg(&mx, window, sizeof *x),
                                    memory_arg(&my, window, sizeof *y) };
    run(c, &contract_saxpy, (struct yk_launch){ .first = first, .last = last, .args = args });
    memory_read(c, &my, y + window);
    for (int i = 0; i < COUNT; i++)
        assert_float_equal(y[i], expected[i], 0);
    memory_close(c, &mx);
    memory_close(c, &my);
}

static void whole(struct contract *c)
{
    saxpy_part(c, 0, 0, COUNT);
}

static void parts(struct contract *c)
{
    saxpy_part(c, 0, 1000, 1001);
    saxpy_part(c, 0, 1, COUNT - 1);
}

static void windows(struct contract *c)
{
    saxpy_part(c, 700, 700, COUNT);
    saxpy_part(c, 1, 17, 2018);
}

/* Rows 5 .. 11 of a plane whose memory starts at row 4, columns first .. last - 1. */
static void plane_part(struct contract *c, int64_t first, int64_t last)
{
    enum { ROWS = 8, COLUMNS = 37, START = 4 };
    int32_t m[ROWS * COLUMNS], p[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        m[i] = i;
        p[i] = -1;
    }
    struct memory mm = memory_open(c, m, sizeof m), mp = memory_open(c, p, sizeof p);
    struct yk_launch_arg args[] = { memory_arg(&mm, START * COLUMNS, sizeof *m),
                                    memory_arg(&mp, START * COLUMNS, sizeof *p) };
    run(c, &contract_plane,
        (struct yk_launch){ .first = START + 1,
                            .last = START + ROWS,
                            .extent = { COLUMNS },
                            .second = { first, last },
                            .args = args });
    memory_read(c, &mp, p);
    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < COLUMNS; j++) {
            int at = row * COLUMNS + j;
            const int is_done = row && j >= first && (j < last || !last);
            assert_int_equal(p[at], is_done ? 1000 * at + 10 * (row + START) + j : -1);
        }
    memory_close(c, &mm);
    memory_close(c, &mp);
}

static void plane(struct contract *c)
{
    plane_part(c, 0, 0);
    plane_part(c, 0, 1);
    plane_part(c, 1, 36);
    plane_part(c, 36, 37);
}

static void groups(struct contract *c)
{
    enum { ROWS = 19 };
    int64_t columns = 101;
    float m[ROWS * 101], s[ROWS];
    for (int i = 0; i < ROWS * 101; i++)
        m[i] = (float)(i % 13);
    for (int row = 0; row < ROWS; row++)
        s[row] = -1;
    struct memory mm = memory_open(c, m, sizeof m), ms = memory_open(c, s, sizeof s);
    struct yk_launch_arg args[] = { { .value = &columns },
                                    memory_arg(&mm, 0, sizeof *m),
                                    memory_arg(&ms, 0, sizeof *s) };
    run(c, &contract_sums, (struct yk_launch){ .first = 3, .last = ROWS, .args = args });
    memory_read(c, &ms, s);
    for (int row = 0; row < ROWS; row++) {
        float sum = 0; /* small integers: exact in any order */
        for (int j = 0; j < 101; j++)
            sum += m[row * 101 + j];
        assert_float_equal(s[row], row < 3 ? -1 : sum, 0);
    }
    memory_close(c, &mm);
    memory_close(c, &ms);
}

static void structs(struct contract *c)
{
    contract_body bodies[50];
    contract_force force = { .time = 0.5, .pull = 2, .steps = 4 };
    for (int i = 0; i < 50; i++)
        bodies[i] = (contract_body){ (float)i, (float)(2 * i), 0, (float)(i % 5) };
    struct memory memory = memory_open(c, bodies, sizeof bodies);
    struct yk_launch_arg args[] = { { .value = &force }, memory_arg(&memory, 0, sizeof *bodies) };
    run(c, &contract_move, (struct yk_launch){ .first = 0, .last = 50, .args = args });
    memory_read(c, &memory, bodies);
    for (int i = 0; i < 50; i++) {
        assert_float_equal(bodies[i].x, i + 4 * (i % 5), 0);
        assert_float_equal(bodies[i].z, 2 * i, 0);
    }
    memory_close(c, &memory);
}

static void adding(struct contract *c)
{
    enum { BINS = 7 };
    int32_t x[COUNT], h[BINS] = { 0 }, bins = BINS;
    for (int i = 0; i < COUNT; i++)
        x[i] = i * 11;
    struct memory mx = memory_open(c, x, sizeof x), mh = memory_open(c, h, sizeof h);
    struct yk_launch_arg args[] = { { .value = &bins },
                                    memory_arg(&mx, 0, sizeof *x),
                                    memory_arg(&mh, 0, sizeof *h) };
    run(c, &contract_count, (struct yk_launch){ .first = 0, .last = COUNT, .args = args });
    memory_read(c, &mh, h);
    int32_t expected[BINS] = { 0 };
    for (int i = 0; i < COUNT; i++)
        expected[x[i] % BINS]++;
    assert_memory_equal(h, expected, sizeof h);
    memory_close(c, &mx);
    memory_close(c, &mh);
}

/* A kernel reads what a copy on another queue uploads, and a copy downloads what it wrote. */
static void pipeline(struct contract *c)
{
    enum { N = 1 << 18 };
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *out = malloc(N * sizeof *out);
    float a = 2;
    struct yk_queue *other;
    struct yk_program *program;
    struct yk_event *events[4] = { NULL };
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i & 1023);
        y[i] = 1;
        out[i] = 0;
    }
    struct memory mx = memory_open(c, out, N * sizeof *x), my = memory_open(c, y, N * sizeof *y);
    assert_int_equal(c->backend->queue_open(c->device, &other), YOKE_OK);
    assert_int_equal(c->backend->build(c->device, &contract_saxpy, &program), YOKE_OK);
    struct yk_copy in = {
        .kind = YK_COPY_TO_DEVICE, .host = x, .buffer = mx.buffer, .bytes = N * sizeof *x
    };
    assert_int_equal(c->backend->copy(other, &in, &events[0]), YOKE_OK);
    struct yk_launch_arg args[] = { { .value = &a },
                                    memory_arg(&mx, 0, sizeof *x),
                                    memory_arg(&my, 0, sizeof *y) };
    struct yk_launch launch = { .first = 0,
                                .last = N,
                                .extent = { 1, 1 },
                                .args = args,
                                .team = 1,
                                .after = events,
                                .after_count = 1 };
    assert_int_equal(c->backend->launch(c->queue, program, &launch, &events[1]), YOKE_OK);
    struct yk_copy back = { .kind = YK_COPY_FROM_DEVICE,
                            .host = out,
                            .buffer = my.buffer,
                            .bytes = N * sizeof *y,
                            .after = &events[1],
                            .after_count = 1 };
    assert_int_equal(c->backend->copy(other, &back, &events[2]), YOKE_OK);
    a = 99; /* values are copied at launch */
    for (int i = 2; i >= 0; i--)
        assert_int_equal(finish(c->backend, events[i]), YOKE_OK);
    for (int i = 0; i < N; i++)
        assert_float_equal(out[i], 2 * (float)(i & 1023) + 1, 0);
    c->backend->program_close(c->device, program);
    c->backend->queue_close(other);
    memory_close(c, &mx);
    memory_close(c, &my);
    free(x);
    free(y);
    free(out);
}

/* The kernel reads and writes memory of the host that holds elements WINDOW .. COUNT - 1, which
 * begin at its 1024th byte. */
static void in_host_memory(struct contract *c)
{
    enum { WINDOW = 700, BEFORE = 1024 / sizeof(float) };
    float x[COUNT], a = 3, *own;
    void *out = NULL;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i % 97);
    struct memory mx = memory_open(c, x, sizeof x);
    assert_int_equal(c->backend->host_alloc(c->device, 1024 + sizeof x, &out), YOKE_OK);
    own = out;
    for (int i = 0; i < BEFORE + COUNT; i++)
        own[i] = 1;
    struct yk_launch_arg args[] = { { .value = &a },
                                    memory_arg(&mx, 0, sizeof *x),
                                    { .host = own + BEFORE, .shift = -WINDOW * 4 } };
    run(c, &contract_saxpy, (struct yk_launch){ .first = WINDOW, .last = COUNT - 1, .args = args });
    for (int i = 0; i < BEFORE + COUNT; i++) {
        const int at = i - BEFORE + WINDOW, is_done = i >= BEFORE && at < COUNT - 1;
        assert_float_equal(own[i], is_done ? 1 + 3 * x[at] : 1, 0);
    }
    c->backend->host_free(c->device, out);
    memory_close(c, &mx);
}

/* Source that no compiler accepts, and no alternative. */
static void bad_source(struct contract *c)
{
    static const yoke_kernel broken = { .struct_size = sizeof broken,
                                        .name = "broken",
                                        .file = "broken.c",
                                        .opencl = { .source = { "__kernel void broken(long a, long "
                                                                "b, long c, long d) { undeclared_"
                                                                "thing = a; }",
                                                                "broken" } } };
    struct yk_program *program = (void *)c;
    int compiles = !strcmp(c->backend->name, "opencl");
    yoke_status status = c->backend->build(c->device, &broken, &program);
    assert_int_equal(status, compiles ? YOKE_EBUILD : YOKE_ENOIMPL);
    assert_ptr_equal(program, c);
    assert_non_null(strstr(yoke_error_text(), c->device->desc.name));
    if (compiles)
        assert_non_null(strstr(yoke_error_text(), "undeclared_thing"));
    whole(c); /* the device still works */
}

struct builder {
    struct contract *contract;
    atomic_int stop, built;
};

static void build_again(void *context)
{
    struct builder *builder = context;
    struct contract *c = builder->contract;
    while (!atomic_load(&builder->stop)) {
        struct yk_program *program;
        if (c->backend->build(c->device, &contract_saxpy, &program) != YOKE_OK)
            return;
        c->backend->program_close(c->device, program);
        atomic_fetch_add(&builder->built, 1);
    }
}

/* build() runs concurrently with all other calls. */
static void build_beside(struct contract *c)
{
    struct builder builder = { .contract = c };
    struct yk_thread thread;
    struct yk_thread_spec spec = {
        .name = "builder", .cpu = -1, .run = build_again, .context = &builder
    };
    assert_int_equal(yk_thread_open(&spec, &thread), YOKE_OK);
    for (int i = 0; i < 10 || !atomic_load(&builder.built); i++)
        saxpy_part(c, 0, i % 7, COUNT);
    atomic_store(&builder.stop, 1);
    yk_thread_join(&thread);
}

const struct named_case contract_launch_cases[] = {
    { "kernel on all", whole, NEEDS_NOTHING },
    { "kernel on a part", parts, NEEDS_NOTHING },
    { "kernel on windows", windows, NEEDS_NOTHING },
    { "kernel in 2-D", plane, NEEDS_NOTHING },
    { "kernel of groups", groups, NEEDS_NOTHING },
    { "kernel on structs", structs, NEEDS_NOTHING },
    { "kernel that adds", adding, NEEDS_NOTHING },
    { "copy, kernel, copy", pipeline, NEEDS_MEMORY },
    { "kernel on the host's memory", in_host_memory, NEEDS_REACH },
    { "source that does not compile", bad_source, NEEDS_NOTHING },
    { "building beside running", build_beside, NEEDS_NOTHING },
    { 0 },
};
