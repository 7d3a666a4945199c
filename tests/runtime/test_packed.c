/* test_packed.c - panels of arrays that exceed a device's memory, with kernels that are told the
 * distance between rows: each panel is uploaded once, during work on the panel before it, and the
 * result is correct on every machine and whatever fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "runtime/device.h"
#include "walk.h"

enum { ROWS = 96, INNER = 96, WIDTH = 128, PANELS = 8, HANGS_SECONDS = 120 };
/* A panel of B has 6 KiB, A 36, B and C 48 each. */
enum { A_BYTES = ROWS * INNER * 4, B_BYTES = INNER * WIDTH * 4, C_BYTES = ROWS * WIDTH * 4 };

static struct {
    int32_t a[ROWS * INNER], b[INNER * WIDTH], c[ROWS * WIDTH], right[ROWS * WIDTH];
} product;

static int fill(void **state)
{
    int i, j, k;
    (void)state;
    for (i = 0; i < ROWS * INNER; i++)
        product.a[i] = i % 17 - 8;
    for (i = 0; i < INNER * WIDTH; i++)
        product.b[i] = i % 13 - 6;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < WIDTH; j++)
            for (k = 0; k < INNER; k++)
                product.right[i * WIDTH + j] += product.a[i * INNER + k] * product.b[k * WIDTH + j];
    return 0;
}

struct scene {
    yoke_runtime *rt;
    yoke_array *a, *b, *c, *bs[PANELS], *cs[PANELS];
};

static yoke_status open_one(yoke_runtime *rt, void *host, int64_t rows, int64_t columns,
                            yoke_array **out)
{
    return yoke_array_open(
        rt,
        &(yoke_array_spec){
            .host = host, .rows = rows, .row_elements = columns, .element_size = 4, .name = "m" },
        out);
}

static yoke_status open_scene(const char *devices, struct scene *s)
{
    yoke_status status;
    int n;
    alarm(HANGS_SECONDS);
    *s = (struct scene){ 0 };
    memset(product.c, 0xff, sizeof product.c);
    status = yoke_open(&(yoke_config){ .devices = devices }, &s->rt);
    if (status == YOKE_OK)
        status = open_one(s->rt, product.a, ROWS, INNER, &s->a);
    if (status == YOKE_OK)
        status = open_one(s->rt, product.b, INNER, WIDTH, &s->b);
    if (status == YOKE_OK)
        status = open_one(s->rt, product.c, ROWS, WIDTH, &s->c);
    for (n = 0; n < PANELS && status == YOKE_OK; n++) {
        const int64_t width = WIDTH / PANELS;
        status = yoke_array_panel(s->b, n * width, width, &s->bs[n]);
        if (status == YOKE_OK)
            status = yoke_array_panel(s->c, n * width, width, &s->cs[n]);
    }
    return status;
}

static void close_scene(struct scene *s)
{
    int n;
    for (n = 0; n < PANELS; n++) {
        yoke_array_close(s->bs[n]);
        yoke_array_close(s->cs[n]);
    }
    yoke_array_close(s->a);
    yoke_array_close(s->b);
    yoke_array_close(s->c);
    if (s->rt)
        assert_int_equal(yoke_close(s->rt), YOKE_OK);
}

static yoke_job panel_job(const struct scene *s, int n, const tile_t *tile)
{
    return (yoke_job){ .kernel = &k_apart,
                       .range = { 0, ROWS },
                       .args = { yoke_value_of(tile, sizeof *tile), yoke_row_distance(s->bs[n]),
                                 yoke_row_distance(s->cs[n]), yoke_in(s->a),
                                 yoke_in_whole(s->bs[n]), yoke_out_home(s->cs[n]) } };
}

static tile_t tile_of(int n)
{
    const int64_t width = WIDTH / PANELS;
    return (tile_t){ INNER, WIDTH, n * width, (n + 1) * width };
}

/* Submits the first `panels` panels at once. */
static yoke_status multiply_some(const struct scene *s, int panels)
{
    yoke_ticket *tickets[PANELS];
    yoke_status status = YOKE_OK;
    int n, count;
    for (count = 0; count < panels && status == YOKE_OK; count += status == YOKE_OK) {
        const tile_t tile = tile_of(count);
        const yoke_job job = panel_job(s, count, &tile);
        status = yoke_submit(s->rt, &job, &tickets[count]);
    }
    for (n = 0; n < count; n++) {
        const yoke_status one = yoke_wait(tickets[n], NULL);
        status = status != YOKE_OK ? status : one;
    }
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->c, YOKE_READ);
    return status;
}

static yoke_status multiply(const struct scene *s)
{
    return multiply_some(s, PANELS);
}

static void check(const char *devices, int panels)
{
    int i;
    for (i = 0; i < ROWS * WIDTH; i++)
        if (i % WIDTH < panels * WIDTH / PANELS && product.c[i] != product.right[i])
            fail_msg("%s: the product is wrong", devices);
}

/* --- correct on all machines --- */

static const char *const machines[] = {
    "sim:gpu:mem=24K",
    "sim:gpu:mem=24K:lanes=4",
    "sim:gpu:mem=16K:lanes=1",
    "sim:gpu:mem=40K:lanes=3", /* several panels at a time */
    "sim:gpu:mem=64K",         /* a job holds all of B, */
    "sim:gpu:mem=128K",        /* and A */
    "sim:gpu:mem=24K:pages=256",
    "sim:gpu:mem=80K:pages=1K",
    "sim:gpu:mem=24K:staging=yes",
    "sim:gpu:mem=24K:pin=yes:staging=yes:pages=4K",
    "sim:gpu*2:mem=24K",
    "sim:gpu*3:mem=24K:peer=8e9",
    "sim:gpu:mem=24K,sim:gpu", /* one has room for all */
    "sim:gpu:mem=24K,sim:cpu:cores=3",
};

static void right_on(const char *devices)
{
    struct scene s;
    OK(open_scene(devices, &s));
    OK(multiply(&s));
    check(devices, PANELS);
    memset(product.c, 0xff, sizeof product.c);
    OK(yoke_array_acquire(s.b, YOKE_READ_WRITE)); /* invalidates the devices' copies, */
    product.b[5] += 1;
    OK(yoke_array_release(s.b));
    OK(multiply(&s)); /* which must not be used */
    product.b[5] -= 1;
    if (product.c[5] != product.right[5] + product.a[0] || product.c[6] != product.right[6])
        fail_msg("%s: the second product has an old panel", devices);
    close_scene(&s);
}

static void products(void **state)
{
    size_t m;
    (void)state;
    yk_check_devices = 1;
    for (m = 0; m < sizeof machines / sizeof *machines; m++)
        right_on(machines[m]);
    yk_check_devices = 0;
}

static void on_opencl(void **state)
{
    static const char *const few[] = { "opencl:0:mem=24K", "cpu:2,opencl:0:mem=24K",
                                       "opencl:0:mem=48K:pin=yes" };
    yoke_runtime *rt;
    size_t m;
    (void)state;
    if (yoke_open(&(yoke_config){ .devices = few[0] }, &rt) != YOKE_OK)
        skip();
    OK(yoke_close(rt));
    for (m = 0; m < sizeof few / sizeof *few; m++)
        right_on(few[m]);
}

/* Panels that earlier jobs wrote on a device are current when later jobs read them. */
static void what_devices_wrote(void **state)
{
    const tile_t tile = tile_of(0);
    struct scene s;
    yoke_job job;
    int i;
    (void)state;
    OK(open_scene("sim:gpu:mem=24K,sim:gpu", &s));
    for (i = 0; i < ROWS * WIDTH; i++)
        product.c[i] = i % 13 - 6;
    job = (yoke_job){ .kernel = &k_columns,
                      .range = { 0, INNER },
                      .args = { yoke_value(tile), yoke_value_of(&(uint32_t){ 0 }, 4),
                                yoke_inout(s.bs[0]) } };
    OK(yoke_run(s.rt, &job, NULL)); /* times three */
    job = panel_job(&s, 0, &tile);
    OK(yoke_run(s.rt, &job, NULL));
    OK(yoke_array_acquire(s.c, YOKE_READ));
    for (i = 0; i < ROWS; i++)
        assert_int_equal(product.c[i * WIDTH + 3], 3 * product.right[i * WIDTH + 3]);
    close_scene(&s);
    for (i = 0; i < INNER * WIDTH; i++)
        product.b[i] = i % 13 - 6;
}

/* --- no unnecessary copies --- */

/* A once per panel, B and C once; with two devices each gets all of B, and its part of A. */
static void moves_what_it_has_to(void **state)
{
    struct scene s;
    int gpus;
    (void)state;
    for (gpus = 1; gpus <= 2; gpus++) {
        OK(open_scene(gpus == 1 ? "sim:gpu:mem=24K" : "sim:gpu*2:mem=24K", &s));
        OK(multiply(&s));
        assert_int_equal(yoke_array_traffic(s.a).to_devices, PANELS * A_BYTES);
        assert_int_equal(yoke_array_traffic(s.b).to_devices, gpus * B_BYTES);
        assert_int_equal(yoke_array_traffic(s.c).to_devices, 0);
        assert_int_equal(yoke_array_traffic(s.c).from_devices, C_BYTES);
        close_scene(&s);
    }
}

/* A small A stays on the device; so does the panels' array if there is room. */
static void keeps_what_fits(void **state)
{
    struct scene s;
    (void)state;
    OK(open_scene("sim:gpu:mem=96K:lanes=1", &s));
    OK(multiply(&s));
    OK(multiply(&s));
    assert_int_equal(yoke_array_traffic(s.b).to_devices, B_BYTES);
    close_scene(&s);
}

/* Copies and arithmetic take equally long, and two panels fit: the next one is uploaded in pieces
 * with the chunks of the present one. */
static void next_panel_arrives_meanwhile(void **state)
{
    static const char devices[] = "sim:gpu:mem=24K:lanes=4:fill=1:latency=100ns:fixed=100ns:"
                                  "link=1e8:rate=225e3";
    const double links = (PANELS * (double)A_BYTES + B_BYTES) / 1e8;
    const double arithmetic = PANELS * ROWS / 225e3;
    double seconds;
    struct scene s;
    int64_t start;
    (void)state;
    assert_true(arithmetic > 0.95 * links && arithmetic < 1.05 * links);
    OK(open_scene(devices, &s));
    start = yk_now(s.rt);
    OK(multiply(&s));
    seconds = 1e-9 * (double)(yk_now(s.rt) - start);
    print_message("%.3f of what the links take\n", seconds / links);
    assert_true(seconds < 1.15 * links);
    assert_true(seconds > links);
    close_scene(&s);
}

/* --- too little memory, and failures --- */

static void too_small(void **state)
{
    const tile_t tile = tile_of(0);
    struct scene s;
    yoke_result *result;
    yoke_job job;
    (void)state;
    OK(open_scene("sim:gpu:mem=6K", &s));
    assert_int_equal(multiply(&s), YOKE_ENOMEM);
    assert_non_null(strstr(yoke_error_text(), "for panels that it reads whole"));
    close_scene(&s);
    OK(open_scene("sim:gpu:mem=6K,sim:gpu:mem=24K", &s)); /* the other one does it */
    OK(multiply(&s));
    check("beside a small one", PANELS);
    job = panel_job(&s, 0, &tile);
    OK(yoke_run(s.rt, &job, &result));
    assert_int_equal(result->devices[0].items, 0);
    assert_non_null(strstr(result->devices[0].reason, "give it more (mem=)"));
    yoke_result_close(result);
    close_scene(&s);
}

enum { FEW = 3 };
static yoke_status once(const char *devices)
{
    struct scene s;
    const yoke_status status = open_scene(devices, &s);
    const yoke_status ran = status == YOKE_OK ? multiply_some(&s, FEW) : status;
    if (ran == YOKE_OK)
        check(devices, FEW);
    close_scene(&s);
    return ran;
}

static void everything_fails(void **state)
{
    static const char *const few[] = { "sim:gpu:mem=24K", "sim:gpu:mem=24K:lanes=1,sim:gpu" };
    size_t m;
    (void)state;
    for (m = 0; m < sizeof few / sizeof *few; m++)
        walk_everything(once, few[m]);
}

static int none_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() == 0 ? 0 : -1;
}

/* Arguments: machines instead of those above. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(products, none_left),
        cmocka_unit_test(on_opencl),
        cmocka_unit_test_teardown(what_devices_wrote, none_left),
        cmocka_unit_test_teardown(moves_what_it_has_to, none_left),
        cmocka_unit_test_teardown(keeps_what_fits, none_left),
        cmocka_unit_test_teardown(next_panel_arrives_meanwhile, none_left),
        cmocka_unit_test_teardown(too_small, none_left),
        cmocka_unit_test_teardown(everything_fails, none_left),
    };
    int i;
    if (argc == 1)
        return cmocka_run_group_tests(tests, fill, NULL);
    fill(NULL);
    for (i = 1; i < argc; i++)
        right_on(argv[i]);
    return 0;
}
