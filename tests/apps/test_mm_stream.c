/* test_mm_stream.c - mm with matrices larger than a device's memory: the number of panels, the
 * bytes copied, the time, and the message if memory is too small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver.h"
#include "mm/mm_stream.h"
#include "mm/mm_tiles.h"

/* --- how many panels --- */

static struct mm_stream_spec square(int64_t side, int64_t memory)
{
    return (struct mm_stream_spec){ .rows = side,
                                    .inner = side,
                                    .columns = side,
                                    .element_size = 8,
                                    .memory_bytes = memory,
                                    .lanes = 4,
                                    .devices = 1,
                                    .panels_most = 64 };
}

static void panels_fit_the_memory(void **unused)
{
    static const int64_t sides[] = { 100, 1000, 1024, 4096, 20000 };
    const int64_t halves = 30;
    size_t n;
    int64_t h;
    (void)unused;
    for (n = 0; n < sizeof sides / sizeof *sides; n++) {
        const int64_t all = 3 * sides[n] * sides[n] * 8;
        for (h = 0; h < halves; h++) {
            const struct mm_stream_spec spec =
                square(sides[n], (int64_t)((double)all / pow(2, (double)h / 2)));
            const int panels = mm_stream_panels(&spec);
            if (panels < 0) {
                assert_false(mm_stream_fits(&spec, (int)fmin((double)sides[n], 64)));
                break;
            }
            assert_true(panels <= 64);
            assert_true((panels == 0) == (spec.memory_bytes >= all));
            assert_true(!panels || mm_stream_bytes(&spec, panels) <= spec.memory_bytes);
        }
        assert_true(h > 4 && h < halves);
    }
}

/* B takes a third of the memory: it stays. All matrices take four times the memory: three panels,
 * two of which fit. A flat product, whose A is small compared with B: prefetching the next panel is
 * worth another pass. */
static void two_at_a_time_where_that_pays(void **unused)
{
    struct mm_stream_spec spec = square(20000, (int64_t)3 * 20000 * 20000 * 8 / 4);
    (void)unused;
    assert_int_equal(mm_stream_panels(&spec), 3);
    assert_true(2 * mm_stream_bytes(&spec, 3) <= spec.memory_bytes);
    spec = square(20000, (int64_t)5 * 20000 * 20000 * 8 / 2);
    assert_int_equal(mm_stream_panels(&spec), 1);
    spec = square(20000, (int64_t)3 * 20000 * 20000 * 8 / 40);
    assert_true(2 * mm_stream_bytes(&spec, mm_stream_panels(&spec)) > spec.memory_bytes);
    spec.devices = 20; /* each has a part of A, and all of B */
    assert_true(2 * mm_stream_bytes(&spec, mm_stream_panels(&spec)) <= spec.memory_bytes);
    spec.devices = 1;
    spec.rows = 1000;
    assert_true(2 * mm_stream_bytes(&spec, mm_stream_panels(&spec)) <= spec.memory_bytes);
}

/* --- the whole --- */

struct asked {
    const char *devices, *panels;
    int64_t size[3];
    int verify;
};

static yoke_status run_mm(const struct asked *asked, struct measure *out)
{
    struct measure_spec spec = {
        .app = app_find("mm"),
        .input = { .size = { asked->size[0], asked->size[1], asked->size[2] }, .seed = 1 },
        .config.devices = asked->devices,
        .verify = asked->verify,
        .repeat = 1
    };
    yoke_status status;
    int k;
    for (k = 0; spec.app->options[k].name; k++)
        spec.input.values[k] = spec.app->options[k].initial;
    spec.input.values[1] = "none";
    if (asked->panels)
        spec.input.values[2] = asked->panels;
    alarm(200);
    status = measure(&spec, out);
    if (status == YOKE_OK && asked->verify && out->verified != 1)
        fail_msg("%s: %s", asked->devices, out->note);
    return status;
}

/* MB of a matrix. */
static double mb(int64_t rows, int64_t columns)
{
    return 8e-6 * (double)(rows * columns);
}

/* A is uploaded `times` times in all, and B once to each of `gpus`. */
static void moves(const char *devices, int times, int gpus)
{
    const struct asked asked = { .devices = devices, .size = { 320, 352, 384 }, .verify = 1 };
    const double in = times * mb(320, 352) + gpus * mb(352, 384);
    struct measure out;
    if (run_mm(&asked, &out) != YOKE_OK)
        fail_msg("%s: %s", devices, app_error_text());
    if (fabs(1e-6 * (double)out.traffic.to_devices - in) > 1e-9)
        fail_msg("%s: %g MB went to the devices, not %g", devices,
                 1e-6 * (double)out.traffic.to_devices, in);
    assert_true(fabs(1e-6 * (double)out.traffic.from_devices - mb(320, 384)) < 1e-9);
    measure_close(&out);
}

/* A has 0.90 MB, B 1.08, C 0.98. */
static void moves_no_more_than_it_has_to(void **unused)
{
    (void)unused;
    moves("sim:gpu", 1, 1);
    moves("sim:gpu:mem=1500K", 1, 1);  /* B stays */
    moves("sim:gpu:mem=600K", 3, 1);   /* all three are larger */
    moves("sim:gpu*2:mem=600K", 3, 2); /* and each has a part of A's rows */
    moves("sim:gpu:mem=600K:pages=4K", 3, 1);
}

static void on_opencl(void **unused)
{
    yoke_runtime *runtime;
    (void)unused;
    if (yoke_open(&(yoke_config){ .devices = "opencl:0:mem=600K" }, &runtime) != YOKE_OK)
        skip();
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    moves("opencl:0:mem=1500K:lanes=2", 1, 1);
    moves("opencl:0:mem=600K:lanes=2", 3, 1);
}

/* On every machine and for every shape. */
static void results_are_right(void **unused)
{
    static const struct asked all[] = {
        { "sim:gpu:mem=300K,sim:cpu:cores=2", NULL, { 300, 301, 302 }, 1 },
        { "sim:gpu:mem=300K,sim:gpu", NULL, { 300, 301, 302 }, 1 },
        { "sim:gpu:mem=300K:lanes=4", "7", { 300, 301, 302 }, 1 },
        { "sim:gpu*2:mem=100K", NULL, { 700, 90, 500 }, 1 },
        { "sim:gpu:mem=150K", NULL, { 20, 300, 1000 }, 1 },
        { "sim:gpu:mem=150K", NULL, { 1000, 300, 20 }, 1 },
        { "sim:gpu:mem=8000", NULL, { 3, 5, 700 }, 1 },
        { "sim:gpu:mem=14000", NULL, { 700, 40, 1 }, 1 },
    };
    size_t n;
    (void)unused;
    for (n = 0; n < sizeof all / sizeof *all; n++) {
        struct measure out;
        if (run_mm(&all[n], &out) != YOKE_OK)
            fail_msg("%s: %s", all[n].devices, app_error_text());
        measure_close(&out);
    }
}

/* Copies and arithmetic take equally long: at most 1.15 times either, with four times the memory.
 */
static void as_fast_as_links_and_arithmetic(void **unused)
{
    static const struct asked asked = {
        "sim:gpu:mem=1536K:lanes=3:fill=1:link=1e8:latency=100ns:fixed=100ns:rate=19100",
        "4",
        { 512, 512, 512 },
        0
    };
    const double links = 1e6 * (4 * mb(512, 512) + mb(512, 512)) / 1e8;
    const double arithmetic = 4 * 512 / 19100.0;
    struct measure out;
    (void)unused;
    assert_true(arithmetic > links && arithmetic < 1.1 * links);
    assert_int_equal(run_mm(&asked, &out), YOKE_OK);
    print_message("%.3f\n", out.seconds / arithmetic);
    assert_true(out.seconds < 1.15 * arithmetic);
    measure_close(&out);
}

/* --- too little memory --- */

static void fails(const struct asked *asked, const char *words)
{
    struct measure out;
    assert_int_not_equal(run_mm(asked, &out), YOKE_OK);
    if (!strstr(app_error_text(), words))
        fail_msg("not \"%s\": %s", words, app_error_text());
}

static void says_what_to_do(void **unused)
{
    struct measure out;
    (void)unused;
    fails(&(struct asked){ "sim:gpu:mem=600K", "1", { 320, 352, 384 }, 0 },
          "sim:gpu has 0.614; give --panels 3, or leave that to mm");
    fails(&(struct asked){ "sim:gpu:mem=20K", NULL, { 320, 352, 384 }, 0 },
          "give it more memory (mem=) or fewer lanes");
    fails(&(struct asked){ "sim:gpu:mem=20K", "2", { 320, 352, 384 }, 0 },
          "and the narrowest panel of B");
    assert_int_equal(
        run_mm(&(struct asked){ "sim:gpu:mem=20K,sim:gpu", NULL, { 320, 352, 384 }, 1 }, &out),
        YOKE_OK);
    assert_int_equal(out.devices[0].items, 0);
    assert_int_equal(out.devices[1].items, 320);
    measure_close(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_fit_the_memory),
        cmocka_unit_test(two_at_a_time_where_that_pays),
        cmocka_unit_test(moves_no_more_than_it_has_to),
        cmocka_unit_test(on_opencl),
        cmocka_unit_test(results_are_right),
        cmocka_unit_test(as_fast_as_links_and_arithmetic),
        cmocka_unit_test(says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
