/* test_pinning.c - which memory is pinned, which part of it, when, and until when. Sizes are small,
 * so that a few pages take every path (unaligned.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "array/pinner.h"
#include "backend/sim/sim.h"
#include "base/alloc.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "ok.h"
#include "unaligned.h"

/* Small pieces of a block are worth pinning only after enough of them have been copied. */
static void pinned_when_it_pays(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    yoke_array *x, *y;
    double before = yk_pin_terms.pin_ns;
    int round;
    (void)state;
    yk_pin_terms.pin_ns = 20000; /* the cost of copying the two pages of a block seven times */
    unaligned_fill(&unaligned);
    OK(yoke_array_wrap(rt, unaligned.x, N, 4, &x));
    OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
    OK(unaligned_saxpy(rt, x, y, 0));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    for (round = 0; round < 12; round++) {
        OK(yoke_array_acquire(x, YOKE_READ_WRITE));
        OK(yoke_array_release(x));
        OK(unaligned_saxpy(rt, x, y, 0));
    }
    assert_in_range(yk_sim.pinned_bytes, 5 * PAGE, 7 * PAGE); /* x, not y, which stays there */
    OK(yoke_array_close(x));
    OK(yoke_array_close(y));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(rt));
    yk_pin_terms.pin_ns = before;
}

/* Total bytes that the runtime's GPU has pinned so far, in pages. */
static int pages_pinned(yoke_runtime *rt)
{
    struct yk_pinner *pinner = NULL;
    for (int d = 0; d < rt->device_count && !pinner; d++)
        pinner = rt->devices[d].place->pinner;
    assert_non_null(pinner);
    return (int)(yk_pinner_pinned(pinner) / PAGE);
}

/* It is known how often a loop copies its memory: x once, y twice. So what one copy does not pay
 * for is pinned for y and staged for x, at once and in each call. */
static void memory_of_a_loop(void **state)
{
    const struct yk_pin_terms before = yk_pin_terms;
    const double gain = before.slow_mib_ns - before.fast_mib_ns;
    const struct {
        double cost;
        int least, most;
    } cases[] = { { 0.7, 9, 12 }, { 1.4, 4, 6 }, { 2.1, 0, 0 } };
    (void)state;
    for (int c = 0; c < 3; c++) {
        yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
        yk_pin_terms.pin_mib_ns = 0.8 * cases[c].cost * gain;
        yk_pin_terms.unpin_mib_ns = 0.2 * cases[c].cost * gain;
        unaligned_fill(&unaligned);
        for (int call = 1; call <= 3; call++) {
            OK(yoke_for(rt, &k_saxpy, N, 2.0f, unaligned.x, unaligned.y));
            assert_in_range(pages_pinned(rt), call * cases[c].least, call * cases[c].most);
            assert_int_equal(yk_sim.pinned_bytes, 0);
        }
        for (int i = 0; i < N; i++)
            assert_true(unaligned.y[i] == 1 + 3 * 2 * (float)(i % 100));
        OK(yoke_close(rt));
    }
    yk_pin_terms = before;
}

enum { MANY = 2 << 20 };
static float many_x[MANY], many_y[MANY];

/* Returns the pages that the GPU pins for three calls of a loop beside cores of this speed, if
 * copies alone never pay for pins. */
static int pinned_beside(double cores_per_s)
{
    const struct yk_pin_terms before = yk_pin_terms;
    char devices[200];
    yoke_runtime *rt;
    int call, pinned;
    snprintf(devices, sizeof devices,
             "sim:cpu:cores=4:rate=%g,sim:gpu:rate=4e9:link=10e9:pin=yes:staging=yes", cores_per_s);
    rt = open_runtime(devices);
    yk_pin_terms.pin_ns = 2e6;
    for (call = 0; call < 3; call++)
        OK(yoke_for(rt, &k_saxpy, MANY, 2.0f, many_x, many_y));
    pinned = pages_pinned(rt);
    OK(yoke_close(rt));
    yk_pin_terms = before;
    return pinned;
}

/* From the second call on memory is pinned ahead, but only if the cores would still be at work when
 * that is done: the pins serve this call alone. */
static void a_loop_that_ends_before_its_pins(void **state)
{
    (void)state;
    assert_true(pinned_beside(1e7) > 100); /* 50 ms by the cores */
    assert_int_equal(pinned_beside(6e7), 0);
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
        OK(unaligned_saxpy(rt, x, y, 1));
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
    assert_int_equal(yk_sim.pinned_bytes, 0); /* unpinned with the device */
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
    unaligned_fill(&unaligned);
    memset(memory, 0, 1 << 20);
    OK(yoke_array_wrap(rt, memory, N, 4, &x));
    OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
    OK(unaligned_saxpy(rt, x, y, 1));
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

/* Untouched pages are pinned where results fill them, and nowhere else. */
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
    unaligned_fill(&unaligned);
    OK(yoke_array_wrap(rt, unaligned.x, N, 4, &x));
    OK(yoke_array_wrap(rt, memory, (int64_t)bytes / 4, 4, &z));
    OK(unaligned_blur(rt, x, z));
    assert_int_equal(resident_pages(memory, PAGES), N * 4 / PAGE);
    assert_true(((float *)memory)[1] == 0 + 1 + 2);
    OK(yoke_array_close(x));
    assert_in_range(yk_sim.pinned_bytes, PAGE, N * 4 - PAGE); /* not at the border of two chunks */
    OK(yoke_array_close(z));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(rt));
    munmap(memory, bytes);
}

/* Nor for copies to a device: untouched pages of a source are not placed by pinning. */
static void untouched_sources(void **state)
{
    yoke_runtime *rt = open_runtime("sim:gpu:pin=yes:staging=yes");
    float *memory = yoke_alloc(rt, 1 << 20);
    yoke_array *x, *y;
    int i;
    (void)state;
    unaligned_fill(&unaligned);
    OK(yoke_array_wrap(rt, memory, N, 4, &x));
    OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
    OK(unaligned_saxpy(rt, x, y, 1));
    OK(yoke_array_close(y));
    /* At the border of two chunks, the first chunk's read maps a page of zeros. */
    assert_in_range(yk_sim.pinned_bytes, 0, 2 * PAGE);
    for (i = 0; i < N; i++)
        assert_true(unaligned.y[i] == 1); /* zeros were added */
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
    unaligned_fill(&unaligned);
    OK(yoke_array_wrap(first, unaligned.x, N, 4, &x1));
    OK(yoke_array_wrap(first, unaligned.y, N, 4, &y1));
    OK(yoke_array_wrap(second, unaligned.x, N, 4, &x2));
    OK(yoke_array_wrap(second, unaligned.z, N, 4, &y2));
    OK(unaligned_saxpy(first, x1, y1, 1));
    int64_t pinned = yk_sim.pinned_bytes;
    OK(unaligned_saxpy(second, x2, y2, 1));
    assert_true(yk_sim.pinned_bytes < 2 * pinned); /* x only once */
    OK(yoke_array_close(x1));
    OK(yoke_array_close(y1));
    OK(yoke_close(first));
    assert_true(yk_sim.pinned_bytes > 0);
    assert_non_null(yk_sim.devices->next); /* the first runtime's, for x */
    OK(yoke_array_acquire(x2, YOKE_READ_WRITE));
    OK(yoke_array_release(x2));
    OK(unaligned_saxpy(second, x2, y2, 1));
    OK(yoke_array_close(x2));
    assert_null(yk_sim.devices->next);
    OK(yoke_array_close(y2));
    assert_int_equal(yk_sim.pinned_bytes, 0);
    OK(yoke_close(second));
}

/* The state of the page at the array's first whole page, plus `page`. */
static enum yk_pin_state state_of(const float *memory, int page)
{
    const int64_t at = yk_pin_pages(memory, N * sizeof *memory).first + (int64_t)page * PAGE;
    return yk_pin_look(&yk_pages_map, (struct yk_interval){ at, at + PAGE }).state;
}

/* Pages pinned by another owner: all of an array's, or those up to its middle. They are found with
 * the first copy, even if pinning never pays. */
static void pinned_by_somebody_else(void **state)
{
    const struct yk_pin_terms before = yk_pin_terms;
    static const int64_t lengths[] = { sizeof unaligned.room[0] / PAGE * PAGE, 4 * PAGE };
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
        unaligned_fill(&unaligned);
        OK(other->backend->pin(other, unaligned.room[0], lengths[i], &foreign));
        OK(yoke_array_wrap(rt, unaligned.x, N, 4, &x));
        OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
        yk_pin_terms.pin_ns = 1e12;
        OK(unaligned_saxpy(rt, x, y, 1));
        assert_int_equal(state_of(unaligned.x, 1), YK_PIN_FOREIGN);
        assert_int_equal(state_of(unaligned.x, 4), i == 0 ? YK_PIN_FOREIGN : YK_PIN_NOT);
        assert_int_equal(state_of(unaligned.y, 1), YK_PIN_NOT);
        yk_pin_terms = before;
        OK(unaligned_saxpy(rt, x, y, 1));
        OK(yoke_array_close(x));
        OK(yoke_array_close(y));
        assert_true(unaligned.y[N - 1] == 1 + 2 * 2 * unaligned.x[N - 1]);
        assert_int_equal(yk_sim.pinned_bytes, lengths[i]); /* the other owner's are still pinned */
        other->backend->unpin(other, unaligned.room[0]);
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
        /* Far from where the system places the next mappings, which would be mistaken for it; and
         * where every sanitizer allows memory, otherwise the hint would be ignored. */
        char *const lonely = (char *)0x7e8000000000;
        float *memory =
            mmap(lonely, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        yoke_array *x, *y;
        assert_ptr_equal(memory, lonely);
        unaligned_fill(&unaligned);
        OK(yoke_array_wrap(rt, memory, N, 4, &x));
        OK(yoke_array_wrap(rt, unaligned.y, N, 4, &y));
        munmap(memory, bytes);
        assert_int_equal(unaligned_saxpy(rt, x, y, 1), YOKE_EINVAL);
        assert_non_null(strstr(yoke_error_text(), "given back"));
        OK(yoke_array_close(x));
        yoke_array_close(y);
        OK(yoke_close(rt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_when_it_pays),
        cmocka_unit_test(memory_of_a_loop),
        cmocka_unit_test(a_loop_that_ends_before_its_pins),
        cmocka_unit_test(memory_of_yoke_alloc),
        cmocka_unit_test(freed_too_early),
        cmocka_unit_test(untouched_memory),
        cmocka_unit_test(untouched_sources),
        cmocka_unit_test(two_runtimes_share_pages),
        cmocka_unit_test(pinned_by_somebody_else),
        cmocka_unit_test(freed_while_wrapped),
    };
    return cmocka_run_group_tests(tests, unaligned_sizes, NULL);
}
