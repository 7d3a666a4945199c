/* test_memory.c - host memory on its way to devices: pinned, staged, refused, shared, foreign,
 * gone.
 *
 * Simulated GPUs keep a driver's books and stand behind the checking wrapper, so memory that is
 * pinned twice, let go while in use or not at all, and copies across parts pinned apart end the
 * test. Sizes are made small, so that a few pages take every path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/copy.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "runtime/runtime.h"
#include "walk.h"

enum { PAGE = 4096, N = 7 * 1024, BINS = 5, SHIFT = 5 };

/* Unaligned: some bytes before the first whole page and behind the last. */
static struct scene {
    _Alignas(PAGE) float room[3][N + 16];
    int32_t keys[N];
    uint32_t h[BINS];
    float w[BINS];
    float *x, *y, *z;
} scene;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s", #call, yoke_error_text());                                          \
    } while (0)

static void fill(struct scene *s)
{
    int i;
    s->x = s->room[0] + SHIFT;
    s->y = s->room[1] + SHIFT;
    s->z = s->room[2] + SHIFT;
    memset(s->h, 0, sizeof s->h);
    for (i = 0; i < N; i++) {
        s->x[i] = (float)(i % 100);
        s->y[i] = 1;
        s->z[i] = -1;
        s->keys[i] = i;
    }
}

static yoke_status saxpy(yoke_runtime *rt, yoke_array *x, yoke_array *y, int home)
{
    const float a = 2;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, N },
                     .partitioner = "dynamic:chunk=1000",
                     .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
    job.args[2].home = home ? YOKE_HOME_NOW : YOKE_HOME_LATER;
    return yoke_run(rt, &job, NULL);
}

static yoke_status blur(yoke_runtime *rt, yoke_array *x, yoke_array *z)
{
    const bounds_t b = { 0, N, 1 };
    yoke_job job = { .kernel = &k_blur,
                     .range = { 0, N },
                     .partitioner = "dynamic:chunk=3000",
                     .args = { yoke_value(b), yoke_in_halo(x, 1, 1), yoke_out_home(z) } };
    return yoke_run(rt, &job, NULL);
}

static yoke_status count(yoke_runtime *rt, struct scene *s, yoke_array *keys)
{
    const int32_t bins = BINS;
    yoke_array *h = NULL, *w = NULL;
    yoke_status status = yoke_array_wrap(rt, s->h, BINS, 4, &h);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->w, BINS, 4, &w);
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, N },
                     .args = { yoke_value(bins), yoke_in(keys), yoke_add_to(h), yoke_add_to(w) } };
    if (status == YOKE_OK)
        status = yoke_run(rt, &job, NULL);
    if (status == YOKE_OK)
        status = yoke_array_acquire(h, YOKE_READ);
    yoke_array_close(h);
    yoke_array_close(w);
    return status;
}

enum { ROUNDS = 3 };

static yoke_status work(struct scene *s, yoke_runtime *rt)
{
    yoke_array *x = NULL, *y = NULL, *z = NULL, *keys = NULL;
    yoke_status status = yoke_array_wrap(rt, s->x, N, 4, &x), closing;
    int round;
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->y, N, 4, &y);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->z, N, 4, &z);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, s->keys, N, 4, &keys);
    for (round = 0; round < ROUNDS && status == YOKE_OK; round++) {
        status = saxpy(rt, x, y, round % 2);
        if (status == YOKE_OK)
            status = yoke_array_acquire(y, YOKE_READ_WRITE); /* so it goes up again */
        if (status == YOKE_OK)
            status = yoke_array_release(y);
        if (status == YOKE_OK)
            status = blur(rt, x, z);
    }
    if (status == YOKE_OK)
        status = count(rt, s, keys);
    if (status == YOKE_OK)
        status = yoke_array_acquire(z, YOKE_READ);
    closing = yoke_array_close(x);
    closing = status == YOKE_OK ? closing : status;
    if (yoke_array_close(y) != YOKE_OK && status == YOKE_OK)
        closing = YOKE_ELOST;
    yoke_array_close(z);
    yoke_array_close(keys);
    return closing;
}

static void check(const struct scene *s, const char *where)
{
    int i;
    for (i = 0; i < N; i++) {
        float x = (float)(i % 100), before = i ? (float)((i - 1) % 100) : 0;
        float after = i < N - 1 ? (float)((i + 1) % 100) : 0;
        if (s->y[i] != 1 + 2 * ROUNDS * x || s->z[i] != before + x + after)
            fail_msg("%s: y[%d] = %g, z = %g", where, i, s->y[i], s->z[i]);
    }
    for (i = 0; i < BINS; i++)
        assert_true(s->h[i] == N / BINS || s->h[i] == N / BINS + 1);
}

static yoke_status program(const char *devices)
{
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    fill(&scene);
    status = work(&scene, rt);
    if (status == YOKE_OK)
        check(&scene, devices);
    assert_int_equal(yk_sim.pinned_bytes, 0);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    assert_null(yk_sim.devices);
    return status;
}

static const char *const machines[] = {
    "sim:gpu:pin=yes:staging=yes",
    "sim:gpu:pin=yes",
    "sim:gpu:staging=yes",
    "sim:gpu:pin=refused:staging=yes",
    "sim:gpu:pin=yes:staging=refused",
    "sim:gpu:pin=yes:staging=yes:pinnable=16K:lanes=3",
    "sim:cpu:cores=2,sim:gpu*2:pin=yes:staging=yes:pages=4K",
    "sim:gpu:pin=yes:staging=yes:mem=40K",
    "sim:cpu:cores=2:rate=1e6,sim:gpu:staging=yes:mem=24K:pages=512",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void every_way(void **state)
{
    int m;
    (void)state;
    for (m = 0; m < MACHINES; m++)
        if (program(machines[m]) != YOKE_OK)
            fail_msg("%s: %s", machines[m], yoke_error_text());
}

static void every_allocation(void **state)
{
    static const int tried[] = { 0, 6, 7 };
    size_t m;
    (void)state;
    for (m = 0; m < sizeof tried / sizeof *tried; m++)
        walk_allocations(program, machines[tried[m]],
                         1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_ELOST);
}

static void every_call(const char *devices, yoke_status kind)
{
    int64_t went_well;
    walk_calls(program, devices, kind, &went_well);
    assert_true(went_well > 0);
}

static void every_backend_call(void **state)
{
    (void)state;
    every_call("sim:gpu:pin=yes:staging=yes", YOKE_ENOMEM);
    every_call("sim:cpu:cores=2,sim:gpu:pin=yes:staging=yes:pages=4K", YOKE_ENOMEM);
    every_call("sim:cpu:cores=2,sim:gpu:pin=yes:staging=yes:pages=4K", YOKE_EDEVICE);
    every_call("sim:cpu:cores=2,sim:gpu:staging=yes:mem=40K", YOKE_EDEVICE);
}

static yoke_runtime *open_runtime(const char *devices)
{
    yoke_runtime *rt;
    OK(yoke_open(&(yoke_config){ .devices = devices }, &rt));
    return rt;
}

/* Small pieces of a block are not worth pinning until enough of them have passed. */
static void pinned_when_it_pays(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    yoke_array *x, *y;
    double before = yk_pin_terms.pin_ns;
    int round;
    (void)state;
    yk_pin_terms.pin_ns = 20000; /* lost with seven times the two pages of a block */
    fill(&scene);
    OK(yoke_array_wrap(rt, scene.x, N, 4, &x));
    OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
    OK(saxpy(rt, x, y, 0));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    for (round = 0; round < 12; round++) {
        OK(yoke_array_acquire(x, YOKE_READ_WRITE));
        OK(yoke_array_release(x));
        OK(saxpy(rt, x, y, 0));
    }
    assert_in_range(yk_sim.pinned_bytes, 5 * PAGE, 7 * PAGE); /* x, and not y, which stays there */
    OK(yoke_array_close(x));
    OK(yoke_array_close(y));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(rt));
    yk_pin_terms.pin_ns = before;
}

static void memory_of_yoke_alloc(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    size_t bytes = 3 << 20;
    float *memory = yoke_alloc(rt, bytes), *little = yoke_alloc(rt, 100);
    int64_t pinned = 0, left = yk_alloc_outstanding();
    int round, i;
    (void)state;
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % (2 << 20), 0);
    assert_int_equal((uintptr_t)little % PAGE, 0);
    for (i = 0; i < 2 * N; i++)
        memory[i] = 1;
    for (round = 0; round < 3; round++) {
        yoke_array *x, *y;
        OK(yoke_array_wrap(rt, memory, N, 4, &x));
        OK(yoke_array_wrap(rt, memory + N, N, 4, &y));
        OK(saxpy(rt, x, y, 1));
        OK(yoke_array_close(x));
        OK(yoke_array_close(y));
        assert_true(yk_sim.pinned_bytes > 0); /* stays */
        if (round == 1)
            pinned = yk_sim.pinned_bytes;
    }
    assert_int_equal(yk_sim.pinned_bytes, pinned);
    for (i = 0; i < N; i++)
        assert_true(memory[N + i] == 7);
    OK(yoke_close(rt));
    assert_int_equal(yk_sim.pinned_bytes, 0); /* gone with the device */
    assert_true(yk_alloc_outstanding() < left);
    yoke_free(NULL, memory);
    yoke_free(NULL, little);
    yoke_free(NULL, NULL);
}

static void freed_too_early(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    float *memory = yoke_alloc(rt, 1 << 20);
    yoke_array *x, *y;
    (void)state;
    fill(&scene);
    memset(memory, 0, 1 << 20);
    OK(yoke_array_wrap(rt, memory, N, 4, &x));
    OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
    OK(saxpy(rt, x, y, 1));
    yoke_free(rt, memory); /* is kept */
    memory[0] = 3;
    OK(yoke_array_close(x));
    yoke_free(rt, memory);
    OK(yoke_array_close(y));
    OK(yoke_close(rt));
}

static int resident_pages(char *memory, int pages)
{
    unsigned char there[1024];
    int i, all = 0;
    assert_int_equal(mincore(memory, (size_t)pages * PAGE, there), 0);
    for (i = 0; i < pages; i++)
        all += there[i] & 1;
    return all;
}

/* Pages nobody has touched are pinned where results fill them, and nowhere else. */
static void untouched_memory(void **state)
{
    enum { PAGES = 300 };
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    size_t bytes = (size_t)PAGES * PAGE;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    yoke_array *x, *z;
    (void)state;
    assert_true(memory != MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    fill(&scene);
    OK(yoke_array_wrap(rt, scene.x, N, 4, &x));
    OK(yoke_array_wrap(rt, memory, (int64_t)bytes / 4, 4, &z));
    OK(blur(rt, x, z));
    assert_int_equal(resident_pages(memory, PAGES), N * 4 / PAGE);
    assert_true(((float *)memory)[1] == 0 + 1 + 2);
    OK(yoke_array_close(x));
    assert_in_range(yk_sim.pinned_bytes, PAGE, N * 4 - PAGE); /* not where two chunks meet */
    OK(yoke_array_close(z));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(rt));
    munmap(memory, bytes);
}

/* Nor for copies to a device: what was read first is not placed by it. */
static void untouched_sources(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    float *memory = yoke_alloc(rt, 1 << 20);
    yoke_array *x, *y;
    int i;
    (void)state;
    fill(&scene);
    OK(yoke_array_wrap(rt, memory, N, 4, &x));
    OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
    OK(saxpy(rt, x, y, 1));
    OK(yoke_array_close(y));
    /* Where two chunks meet, the first one's reading brings a page of zeros. */
    assert_in_range(yk_sim.pinned_bytes, 0, 2 * PAGE);
    for (i = 0; i < N; i++)
        assert_true(scene.y[i] == 1); /* zeros were added */
    OK(yoke_array_close(x));
    yoke_free(rt, memory);
    OK(yoke_close(rt));
}

static void two_runtimes_share_pages(void **state)
{
    static const char devices[] = "sim:gpu:pin=yes:staging=yes";
    yoke_runtime *first = open_runtime(devices), *second = open_runtime(devices);
    yoke_array *x1, *y1, *x2, *y2;
    (void)state;
    fill(&scene);
    OK(yoke_array_wrap(first, scene.x, N, 4, &x1));
    OK(yoke_array_wrap(first, scene.y, N, 4, &y1));
    OK(yoke_array_wrap(second, scene.x, N, 4, &x2));
    OK(yoke_array_wrap(second, scene.z, N, 4, &y2));
    OK(saxpy(first, x1, y1, 1));
    int64_t pinned = yk_sim.pinned_bytes;
    OK(saxpy(second, x2, y2, 1));
    assert_true(yk_sim.pinned_bytes < 2 * pinned); /* x only once */
    OK(yoke_array_close(x1));
    OK(yoke_array_close(y1));
    OK(yoke_close(first));
    assert_true(yk_sim.pinned_bytes > 0);
    assert_non_null(yk_sim.devices->next); /* the first one's, for x */
    OK(yoke_array_acquire(x2, YOKE_READ_WRITE));
    OK(yoke_array_release(x2));
    OK(saxpy(second, x2, y2, 1));
    OK(yoke_array_close(x2));
    assert_null(yk_sim.devices->next);
    OK(yoke_array_close(y2));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(second));
}

/* Somebody else's pages: all of an array's, or up to its middle. */
static void pinned_by_somebody_else(void **state)
{
    static const int64_t lengths[] = { sizeof scene.room[0] / PAGE * PAGE, 4 * PAGE };
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        struct yk_device_list list = { 0 };
        struct yk_device *other;
        yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
        yoke_array *x, *y;
        int foreign;
        OK(yk_devices_find("sim:gpu:pin=yes", &list));
        OK(yk_backend_sim.open(&list.items[0], &other));
        yk_device_list_close(&list);
        fill(&scene);
        OK(other->backend->pin(other, scene.room[0], lengths[i], &foreign));
        OK(yoke_array_wrap(rt, scene.x, N, 4, &x));
        OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
        OK(saxpy(rt, x, y, 1));
        OK(yoke_array_close(x));
        OK(yoke_array_close(y));
        assert_true(scene.y[N - 1] == 1 + 2 * scene.x[N - 1]);
        assert_int_equal(yk_sim.pinned_bytes, lengths[i]); /* his are still there */
        other->backend->unpin(other, scene.room[0]);
        other->backend->close(other);
        OK(yoke_close(rt));
    }
}

static void freed_while_wrapped(void **state)
{
    static const char *const devices[] = { "sim:gpu:pin=yes:staging=yes", "sim:gpu:pin=yes" };
    size_t d;
    (void)state;
    for (d = 0; d < 2; d++) {
        yoke_runtime *rt = open_runtime(devices[d]);
        size_t bytes = N * sizeof(float) + PAGE;
        /* Far from where the system puts what is mapped next, which would be taken for it; and
         * where the thread sanitizer lets a program have memory, or it would be put there after
         * all. */
        float *memory = mmap((void *)0x590000000000, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        yoke_array *x, *y;
        assert_true(memory != MAP_FAILED);
        fill(&scene);
        OK(yoke_array_wrap(rt, memory, N, 4, &x));
        OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
        munmap(memory, bytes);
        assert_int_equal(saxpy(rt, x, y, 1), YOKE_EINVAL);
        assert_non_null(strstr(yoke_error_text(), "given back"));
        OK(yoke_array_close(x));
        yoke_array_close(y);
        OK(yoke_close(rt));
    }
}

/* Rows of an inout array that are half home when their device dies cannot be computed again; rows
 * that wait in staging buffers can. */
static void dying_on_the_way_home(void **state)
{
    static const char *const kinds[] = { "staging=yes", "pin=yes:staging=yes", "latency=10us" };
    int after, made_good = 0;
    size_t k;
    (void)state;
    for (k = 0; k < 3; k++)
        for (after = 1; after < 120; after++) {
            char devices[96];
            yoke_runtime *rt;
            yoke_array *x, *y;
            yoke_status status;
            int i;
            alarm(60);
            snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu:fail_after=%d:%s", after,
                     kinds[k]);
            rt = open_runtime(devices);
            fill(&scene);
            OK(yoke_array_wrap(rt, scene.x, N, 4, &x));
            OK(yoke_array_wrap(rt, scene.y, N, 4, &y));
            status = saxpy(rt, x, y, 1);
            if (status == YOKE_OK)
                status = yoke_array_acquire(y, YOKE_READ);
            for (i = 0; i < N && status == YOKE_OK; i++)
                if (scene.y[i] != 1 + 2 * (float)(i % 100))
                    fail_msg("%s: y[%d] = %g", devices, i, scene.y[i]);
            if (status != YOKE_OK && status != YOKE_ELOST)
                fail_msg("%s: %s", devices, yoke_error_text());
            made_good += status == YOKE_OK;
            yoke_array_close(x);
            yoke_array_close(y);
            OK(yoke_close(rt));
        }
    print_message("%d of 357 deaths made good\n", made_good);
    assert_true(made_good > 150);
}

/* All is small, and pinning costs next to nothing. */
static int small_sizes(void **state)
{
    (void)state;
    yk_check_devices = 1;
    yk_pin_terms = (struct yk_pin_terms){ .page = PAGE,
                                          .unit = PAGE,
                                          .most = 2 * PAGE,
                                          .pin_mib_ns = 36e3,
                                          .slow_mib_ns = 400e3,
                                          .fast_mib_ns = 18e3 };
    yk_stage_slot_bytes = 300;
    yk_copy_small_bytes = 40;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_backend_call),
        cmocka_unit_test(pinned_when_it_pays),
        cmocka_unit_test(memory_of_yoke_alloc),
        cmocka_unit_test(freed_too_early),
        cmocka_unit_test(untouched_memory),
        cmocka_unit_test(untouched_sources),
        cmocka_unit_test(two_runtimes_share_pages),
        cmocka_unit_test(pinned_by_somebody_else),
        cmocka_unit_test(freed_while_wrapped),
        cmocka_unit_test(dying_on_the_way_home),
    };
    return cmocka_run_group_tests(tests, small_sizes, NULL);
}
