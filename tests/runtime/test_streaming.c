/* test_streaming.c - jobs over several times the memory of their devices: nearly as fast as the
 * slower of copies and kernels alone; correct whatever the memory. For many jobs at once see
 * test_crowd.c.
 *
 * Times are of the virtual clock, so they are the same in every run. The link is slow and memory
 * small here: only ratios matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/runtime.h"
#include "job_kernels.h"
#include "ok.h"
#include "walk.h"
#include "work.h"

enum { HANGS_SECONDS = 120 };

static yoke_runtime *open_on(const char *devices)
{
    alarm(HANGS_SECONDS);
    return open_runtime(devices);
}

/* --- speed --- */

/* Device memory in bytes; the job's data in multiples of it; bytes and items per second. */
#define MEMORY (2 << 20)
#define TIMES  4
#define LINK   1e9
#define RATE   1e9

static struct work_spec spec_of(enum work_kind kind, const char *partitioner)
{
    struct work_spec spec = { .kind = kind, .items = 1 << 16, .partitioner = partitioner };
    spec.items = (int64_t)(TIMES * (double)MEMORY * 65536 / (double)work_bytes(&spec));
    return spec;
}

/* Time of the copies in the busier direction alone. */
static double links_seconds(const struct work_spec *spec)
{
    int64_t in = work_bytes_in(spec), out = work_bytes_out(spec);
    return (double)(in > out ? in : out) / LINK;
}

struct course {
    const char *partitioner, *extra, *beside;
    double most; /* limit, as a factor of the longer of copies and kernels alone */
};

/* Kernels take `aim` times as long as copies. */
static void run_course(const struct course *course, enum work_kind kind, double aim)
{
    const struct work_spec spec = spec_of(kind, course->partitioner);
    double links = links_seconds(&spec), bound = aim > 1 ? aim * links : links;
    struct work work;
    yoke_result *result;
    yoke_runtime *rt;
    char devices[256];
    int i, right;
    snprintf(devices, sizeof devices,
             "sim:gpu:lanes=4:link=1e9:rate=1e9:latency=2us:fixed=1us:mem=%d:work=%.9g%s%s", MEMORY,
             aim * links * RATE / (double)spec.items, course->extra, course->beside);
    rt = open_on(devices);
    OK(work_open(rt, &spec, &work));
    for (i = 0; i < 3; i++) {
        OK(work_run(&work, 0, spec.items, &result));
        print_message("%-8s %-18s %3.1f: %5.3f\n", work_names[kind],
                      course->partitioner ? course->partitioner : "auto", aim,
                      result->seconds / bound);
        if (result->seconds > course->most * bound)
            fail_msg("%s on %s: job %d took %g s, %g alone", work_names[kind], devices, i,
                     result->seconds, bound);
        yoke_result_close(result);
    }
    OK(work_check(&work, &right));
    assert_true(right);
    work_close(&work);
    OK(yoke_close(rt));
}

static void run_all(const struct course *course)
{
    int kind;
    for (kind = 0; kind < WORK_KINDS; kind++) {
        run_course(course, kind, 0.2);
        run_course(course, kind, 1);
        run_course(course, kind, 3);
    }
}

static void streams_with_auto(void **state)
{
    (void)state;
    run_all(&(struct course){ NULL, "", "", 1.15 });
}

static void streams_with_fixed_chunks(void **state)
{
    (void)state;
    run_all(&(struct course){ "dynamic:chunk=16k", "", "", 1.15 });
    run_all(&(struct course){ "guided", "", "", 1.15 });
}

static void streams_in_pages(void **state)
{
    (void)state;
    run_all(&(struct course){ NULL, ":pages=64K", "", 1.15 });
}

/* Cores only make it faster: they do as much as a link can bring in a fifth of its time. */
static void streams_beside_cores(void **state)
{
    (void)state;
    run_all(&(struct course){ NULL, "", ",sim:cpu:cores=2:rate=2e7", 1 });
}

/* --- what stays, what is evicted --- */

/* Every job needs the table again, and it fits. */
static void what_fits_stays(void **state)
{
    const struct work_spec spec = spec_of(WORK_TABLE, NULL);
    yoke_runtime *rt = open_on("sim:gpu:lanes=4:link=1e9:mem=2M");
    struct work work;
    int i;
    (void)state;
    OK(work_open(rt, &spec, &work));
    for (i = 0; i < 3; i++)
        OK(work_run(&work, 0, spec.items, NULL));
    assert_int_equal(yoke_array_traffic(work.table).to_devices, work.entries * 4);
    assert_int_equal(yoke_array_traffic(work.x).to_devices, 3 * spec.items * 4);
    work_close(&work);
    OK(yoke_close(rt));
}

static int64_t chunks_of(struct work *work)
{
    yoke_result *result;
    int64_t chunks;
    OK(work_run(work, 0, work->spec.items, &result));
    chunks = result->devices[0].chunks;
    yoke_result_close(result);
    return chunks;
}

/* Rows that are no longer used do not reduce the room of a job that streams: the least recently
 * used ones are evicted, as many as necessary; rows that only the device has come home first. */
static void what_is_left_makes_room(void **state)
{
    struct work_spec large = spec_of(WORK_SCALE, NULL), small = large;
    yoke_runtime *rt = open_on("sim:gpu:lanes=4:link=1e9:mem=2M");
    struct work old, work, other;
    int64_t chunks;
    int right;
    (void)state;
    OK(work_open(rt, &large, &work));
    chunks = chunks_of(&work);
    small.items = MEMORY / 8 - 1000; /* two arrays, nearly all of the memory */
    OK(work_open(rt, &small, &old));
    OK(work_run(&old, 0, small.items, NULL));
    assert_int_equal(yoke_array_traffic(old.z).from_devices, 0); /* is still there */
    assert_in_range(chunks_of(&work), chunks - 1, chunks + 1);
    assert_int_equal(yoke_array_traffic(old.z).from_devices, 0); /* evicting old.x was enough */
    OK(work_open(rt, &small, &other));
    OK(work_run(&other, 0, small.items, NULL));
    assert_int_equal(yoke_array_traffic(old.z).from_devices, small.items * 4);
    work_close(&other);
    OK(work_check(&old, &right));
    assert_true(right);
    OK(work_check(&work, &right));
    assert_true(right);
    work_close(&old);
    work_close(&work);
    OK(yoke_close(rt));
}

/* --- rows are evicted one by one --- */

static int64_t bytes_up(const struct work *work)
{
    return yoke_array_traffic(work->x).to_devices;
}

/* Jobs over parts of arrays that exceed the memory: a part that was used lately is still there, the
 * least recently used one was evicted, and results written there are on the host. Eight parts,
 * three of which fit (x and z of each). */
enum { TOUR_PARTS = 8 };

static void make_the_tour(const char *devices, int64_t part)
{
    static const struct {
        int part, there;
    } tour[] = { { 0, 0 },
                 { 1, 0 },
                 { 2, 0 },
                 { 1, 1 },
                 { 0, 1 },
                 { 2, 1 },
                 { 3, 0 } /* evicts 1 */,
                 { 0, 1 },
                 { 2, 1 },
                 { 3, 1 },
                 { 1, 0 } /* evicts 0 */,
                 { 0, 0 } /* evicts 2 */,
                 { 3, 1 },
                 { 1, 1 } };
    const struct work_spec spec = { .kind = WORK_SCALE, .items = TOUR_PARTS * part };
    yoke_runtime *rt = open_on(devices);
    struct work work;
    size_t i;
    int right, p;
    OK(work_open(rt, &spec, &work));
    for (i = 0; i < sizeof tour / sizeof *tour; i++) {
        int64_t before = bytes_up(&work), want = tour[i].there ? 0 : part * 4;
        OK(work_run(&work, tour[i].part * part, (tour[i].part + 1) * part, NULL));
        if (bytes_up(&work) - before != want)
            fail_msg("%s, step %d: %d bytes went up for part %d", devices, (int)i,
                     (int)(bytes_up(&work) - before), tour[i].part);
    }
    assert_int_equal(yoke_array_traffic(work.z).from_devices, 3 * part * 4); /* 1, 0 and 2 left */
    for (p = 0; p < TOUR_PARTS; p++)
        OK(work_run(&work, p * part, (p + 1) * part, NULL));
    OK(work_check(&work, &right));
    assert_true(right);
    work_close(&work);
    OK(yoke_close(rt));
}

static void parts_stay_while_there_is_room(void **state)
{
    (void)state;
    make_the_tour("sim:gpu:lanes=4:mem=1700K:pages=4K", 1 << 16);
}

/* With the pages of CUDA's driver, of 2 MiB here. */
static void parts_stay_on_cuda(void **state)
{
    static const char devices[] = "cuda:0:mem=26M";
    yoke_runtime *rt;
    int64_t page = 0;
    (void)state;
    if (yoke_open(&(yoke_config){ .devices = devices }, &rt) == YOKE_OK) {
        page = rt->devices[0].device->desc.page_bytes;
        OK(yoke_close(rt));
    }
    print_message("%s: pages of %d bytes\n", devices, (int)page);
    if (page == 2 << 20)
        make_the_tour(devices, 1 << 20);
}

/* The last page of an array takes a whole page, too: this job's rows take two, of 2 MiB, and there
 * is memory for one. */
static void last_pages_are_whole(void **state)
{
    enum { EDGE = (6 << 20) / 4, ROWS = EDGE + 100, FIRST = EDGE - 50, LAST = EDGE + 50 };
    int32_t *y = calloc(ROWS, sizeof *y);
    const int32_t offset = 1;
    yoke_runtime *rt = open_on("cuda:0:mem=3M");
    yoke_array *a;
    int i;
    (void)state;
    OK(yoke_array_wrap(rt, y, ROWS, sizeof *y, &a));
    const yoke_job job = { .kernel = &k_index,
                           .range = { FIRST, LAST },
                           .args = { yoke_value(offset), yoke_out(a) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_close(a));
    for (i = FIRST - 1; i <= LAST; i++)
        assert_int_equal(y[i], i >= FIRST && i < LAST ? i + 1 : 0);
    OK(yoke_close(rt));
    free(y);
}

/* --- too little memory --- */

static void memory_below_a_row(void **state)
{
    const struct work_spec spec = { .kind = WORK_SCALE, .items = 1000 };
    yoke_runtime *rt = open_on("sim:gpu:lanes=2:mem=1000");
    struct work work;
    yoke_result *result;
    int right;
    (void)state;
    OK(work_open(rt, &spec, &work));
    assert_int_equal(work_run(&work, 0, spec.items, NULL), YOKE_ENOMEM);
    assert_non_null(strstr(yoke_error_text(), "give it more (mem=)"));
    work_close(&work);
    OK(yoke_close(rt));
    rt = open_on("sim:gpu:lanes=2:mem=1000,sim:cpu:cores=2"); /* the others do it */
    OK(work_open(rt, &spec, &work));
    OK(work_run(&work, 0, spec.items, &result));
    assert_int_equal(result->devices[0].items, 0);
    assert_non_null(strstr(result->devices[0].reason, "give it more (mem=)"));
    yoke_result_close(result);
    OK(work_check(&work, &right));
    assert_true(right);
    work_close(&work);
    OK(yoke_close(rt));
}

/* --- everything fails in turn --- */

/* Through windows, then in parts that evict each other. */
static yoke_status part_by_part(const char *devices)
{
    enum { PARTS = 4 };
    const struct work_spec spec = { .kind = WORK_TABLE, .items = 4000 };
    struct work work = { 0 };
    yoke_runtime *rt = NULL;
    int right = 1, p;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status != YOKE_OK)
        return status;
    status = work_open(rt, &spec, &work);
    if (status == YOKE_OK)
        status = work_run(&work, 0, spec.items, NULL);
    for (p = 0; p < 2 * PARTS && status == YOKE_OK; p++)
        status = work_run(&work, p % PARTS * spec.items / PARTS,
                          (p % PARTS + 1) * spec.items / PARTS, NULL);
    if (status == YOKE_OK)
        status = work_check(&work, &right);
    assert_true(right);
    work_close(&work);
    assert_int_equal(yoke_close(rt), YOKE_OK);
    return status;
}

static void everything_fails(void **state)
{
    static const char *const machines[] = { "sim:gpu:lanes=2:mem=14K:pages=256",
                                            "sim:cpu:cores=2:rate=1e5,sim:gpu:mem=14K:pages=256",
                                            "sim:gpu*2:mem=12K" };
    size_t m;
    (void)state;
    for (m = 0; m < sizeof machines / sizeof *machines; m++)
        walk_everything(part_by_part, machines[m]);
}

/* With any argument: on CUDA devices instead. */
int main(int argc, char **argv)
{
    const struct CMUnitTest on_cuda[] = { cmocka_unit_test(parts_stay_on_cuda),
                                          cmocka_unit_test(last_pages_are_whole) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_with_auto),
        cmocka_unit_test(streams_with_fixed_chunks),
        cmocka_unit_test(streams_in_pages),
        cmocka_unit_test(streams_beside_cores),
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(what_is_left_makes_room),
        cmocka_unit_test(parts_stay_while_there_is_room),
        cmocka_unit_test(memory_below_a_row),
        cmocka_unit_test(everything_fails),
    };
    (void)argv;
    if (argc > 1)
        return cmocka_run_group_tests(on_cuda, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
