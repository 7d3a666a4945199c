/* test_opencl_memory.c - host memory that is copied to an OpenCL device that pins: memory of
 * yoke_alloc and the program's own, with every call failing in turn, and as seen by another
 * runtime.
 *
 * Uses the first OpenCL device; a CPU (PoCL) pins only because of a setting. The device is behind
 * the checking wrapper, so these end the test: memory pinned twice, unpinned while in use or never,
 * and copies across parts that were pinned separately. Sizes are small, so that a few pages take
 * every path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/copy.h"
#include "base/alloc.h"
#include "job/array_handle.h"
#include "job_kernels.h"
#include "ok.h"
#include "platform/clock.h"
#include "runtime/device.h"
#include "walk.h"

enum { PAGE = 4096, N = 64 * 1024, SHIFT = 5 };

/* to += 2 * from, repeatedly. */
struct scene {
    yoke_runtime *rt;
    float *from, *to; /* memory of yoke_alloc; the program's own, not page aligned */
    yoke_array *from_array, *to_array;
    int items, times;
};

static void fill(struct scene *s)
{
    for (int i = 0; i < s->items; i++) {
        s->from[i] = (float)(i % 100);
        s->to[i] = 1;
    }
}

static yoke_status scene_open(struct scene *s, yoke_runtime *rt, float *to, int items)
{
    *s = (struct scene){ .rt = rt, .to = to, .items = items };
    s->from = yoke_alloc(rt, (size_t)items * sizeof *s->from);
    if (!s->from)
        return YOKE_ENOMEM;
    fill(s);
    yoke_status status = yoke_array_wrap(rt, s->from, items, 4, &s->from_array);
    return status == YOKE_OK ? yoke_array_wrap(rt, s->to, items, 4, &s->to_array) : status;
}

static void scene_close(struct scene *s)
{
    yoke_array_close(s->from_array);
    yoke_array_close(s->to_array);
    yoke_free(s->rt, s->from);
}

/* Both arrays are uploaded again, and one comes home. */
static yoke_status add_once(struct scene *s)
{
    const float two = 2;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, s->items },
                     .partitioner = "even",
                     .args = { yoke_value(two), yoke_in(s->from_array),
                               yoke_inout_home(s->to_array) } };
    yoke_status status = yoke_array_acquire(s->from_array, YOKE_READ_WRITE);
    if (status == YOKE_OK)
        status = yoke_array_release(s->from_array);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->to_array, YOKE_READ_WRITE);
    if (status == YOKE_OK)
        status = yoke_array_release(s->to_array);
    if (status == YOKE_OK)
        status = yoke_run(s->rt, &job, NULL);
    s->times += status == YOKE_OK;
    return status;
}

static void check(const struct scene *s)
{
    for (int i = 0; i < s->items; i++)
        if (s->to[i] != 1 + 2 * (float)s->times * (float)(i % 100))
            fail_msg("to[%d] = %g after %d jobs", i, s->to[i], s->times);
}

static int64_t pinned_bytes(const yoke_runtime *rt)
{
    int64_t bytes = 0;
    for (int d = 0; d < atomic_load(&rt->device_count); d++)
        if (rt->devices[d].place->pinner)
            bytes += yk_pinner_pinned(rt->devices[d].place->pinner);
    return bytes;
}

/* Runs jobs until `wanted` bytes are pinned; a separate thread pins. */
static yoke_status work_until_pinned(struct scene *s, int64_t wanted)
{
    enum { JOBS = 4, PATIENCE_NS = 20000000 };
    yoke_status status = YOKE_OK;
    int64_t deadline = yk_clock_ns() + PATIENCE_NS;
    for (int i = 0; status == YOKE_OK; i++) {
        if (i >= JOBS && (pinned_bytes(s->rt) >= wanted || yk_clock_ns() > deadline))
            break;
        status = add_once(s);
    }
    return status;
}

static float room[N + 16];

static yoke_status program(const char *devices)
{
    yoke_runtime *rt = NULL;
    struct scene scene;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    status = scene_open(&scene, rt, room + SHIFT, N);
    if (status == YOKE_OK)
        status = work_until_pinned(&scene, PAGE);
    if (status == YOKE_OK)
        status = yoke_array_acquire(scene.to_array, YOKE_READ);
    if (status == YOKE_OK)
        check(&scene);
    scene_close(&scene);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return status;
}

static void every_way(void **state)
{
    static const char *const machines[] = { "opencl:0:pin=yes", "opencl:0:pin=stage",
                                            "opencl:0:pin=no", "opencl:0:pin=yes:mem=300K:lanes=2",
                                            "cpu:1,opencl:0:pin=yes" };
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        if (program(machines[m]) != YOKE_OK)
            fail_msg("%s: %s", machines[m], yoke_error_text());
}

static void every_allocation(void **state)
{
    (void)state;
    walk_allocations(program, "opencl:0:pin=yes",
                     1u << YOKE_OK | 1u << YOKE_ENOMEM | 1u << YOKE_EDEVICE | 1u << YOKE_ELOST);
}

static void every_backend_call(void **state)
{
    int64_t went_well;
    (void)state;
    walk_calls(program, "opencl:0:pin=yes", YOKE_ENOMEM, &went_well);
    assert_true(went_well > 0);
    walk_calls(program, "opencl:0:pin=yes", YOKE_EDEVICE, &went_well);
    walk_calls(program, "cpu:1,opencl:0:pin=yes", YOKE_EDEVICE, &went_well);
    assert_true(went_well > 0);
}

/* All whole pages of both arrays. */
static void all_is_pinned(struct scene *s)
{
    int64_t wanted = 2 * ((int64_t)s->items * 4 / PAGE * PAGE - PAGE), deadline;
    for (deadline = yk_clock_ns() + 30000000000; pinned_bytes(s->rt) < wanted;) {
        assert_true(yk_clock_ns() < deadline);
        OK(add_once(s));
    }
}

static void what_is_pinned(void **state)
{
    struct scene scene;
    yoke_runtime *rt = open_runtime("opencl:0:pin=yes");
    (void)state;
    OK(scene_open(&scene, rt, room + SHIFT, N));
    all_is_pinned(&scene);
    OK(add_once(&scene)); /* from and to pinned memory only */
    check(&scene);
    scene_close(&scene);
    OK(yoke_close(rt));
    rt = open_runtime("opencl:0:pin=no");
    assert_null(rt->devices[0].place->pinner);
    assert_null(rt->devices[0].place->stage.memory);
    OK(yoke_close(rt));
}

static int is_fast(const struct scene *s)
{
    struct yk_piece piece;
    OK(yk_pages_ready(
        &(struct yk_pages_question){ .pinner = s->rt->devices[0].place->pinner,
                                     .range = &yk_array_of(s->to_array, "a test")->pages,
                                     .name = "to",
                                     .host = s->to + PAGE,
                                     .bytes = PAGE },
        &piece));
    return piece.fast;
}

/* The same device opened twice: memory that one runtime has pinned is staged by the other, as long
 * as the first one's blocks exist; these outlive their runtime. */
static void pinned_for_one_only(void **state)
{
    struct scene first, second;
    yoke_runtime *one = open_runtime("opencl:0:pin=yes"), *other = open_runtime("opencl:0:pin=yes");
    (void)state;
    OK(scene_open(&first, one, room + SHIFT, N));
    all_is_pinned(&first);
    OK(scene_open(&second, other, room + SHIFT, N));
    OK(add_once(&second));
    check(&second);
    assert_true(is_fast(&first));
    assert_false(is_fast(&second));
    scene_close(&first);
    OK(yoke_close(one)); /* its device stays open for `room` */
    OK(add_once(&second));
    check(&second);
    assert_false(is_fast(&second));
    yoke_array_close(second.to_array); /* now it closes */
    OK(yoke_array_wrap(other, second.to, N, 4, &second.to_array));
    all_is_pinned(&second);
    assert_true(is_fast(&second));
    scene_close(&second);
    OK(yoke_close(other));
}

/* With real sizes and costs, and beside a core: memory is pinned ahead of a job like earlier ones.
 */
static void large_arrays(void **state)
{
    enum { ITEMS = 4 << 20, JOBS_MOST = 300 };
    const struct yk_pin_terms small = yk_pin_terms, *real = *state;
    const int64_t small_slot = yk_stage_slot_bytes;
    struct scene scene;
    yk_pin_terms = *real;
    yk_stage_slot_bytes = 1 << 20;
    yoke_runtime *rt = open_runtime("cpu:1,opencl:0:pin=yes");
    float *to = yoke_alloc(rt, ITEMS * sizeof *to);
    assert_non_null(to);
    OK(scene_open(&scene, rt, to, ITEMS));
    for (int i = 0; i < JOBS_MOST && pinned_bytes(rt) < 1 << 20; i++)
        OK(add_once(&scene));
    assert_true(pinned_bytes(rt) >= 1 << 20);
    OK(add_once(&scene));
    check(&scene);
    scene_close(&scene);
    yoke_free(rt, to);
    OK(yoke_close(rt));
    yk_pin_terms = small;
    yk_stage_slot_bytes = small_slot;
}

/* Small sizes, and pinning costs next to nothing. */
static int small_sizes(void **state)
{
    (void)state;
    yk_check_devices = 1;
    yk_pin_terms = (struct yk_pin_terms){ .page = PAGE,
                                          .unit = PAGE,
                                          .most = 32 * PAGE,
                                          .pin_mib_ns = 36e3,
                                          .slow_mib_ns = 400e3,
                                          .fast_mib_ns = 18e3 };
    yk_stage_slot_bytes = 2 * PAGE;
    yk_copy_small_bytes = 40;
    return 0;
}

static int device_present(void)
{
    struct yk_device_list list = { 0 };
    yoke_status status = yk_devices_find("opencl:0", &list);
    yk_device_list_close(&list);
    if (status != YOKE_OK)
        print_message("no OpenCL device here: %s\n", yoke_error_text());
    return status == YOKE_OK;
}

int main(void)
{
    static struct yk_pin_terms real;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),           cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_backend_call),  cmocka_unit_test(what_is_pinned),
        cmocka_unit_test(pinned_for_one_only), cmocka_unit_test_prestate(large_arrays, &real),
    };
    real = yk_pin_terms;
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    return device_present() ? cmocka_run_group_tests(tests, small_sizes, NULL) : 77;
}
