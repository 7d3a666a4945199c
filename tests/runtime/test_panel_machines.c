/* test_panel_machines.c - jobs on column panels and on their array, on every kind of machine, or on
 * the machines of the command line.
 *
 * A long random history of jobs, acquires, and panels that are opened and closed must end as if one
 * thread had done everything at once and in order. Simulated GPUs are behind the checking wrapper.
 */
#include <string.h>

#include "job/array_handle.h"
#include "panel_scene.h"

enum { INNER = 33 };

static const char *const all_machines[] = {
    "cpu:1,opencl:0:units=1", /* drivers first: see test_run.c */
    "opencl:0:lanes=2",
    "cpu:2",
    "sim:cpu:cores=2,sim:gpu",
    "sim:gpu:pin=yes:staging=yes:pages=4K",
    "sim:cpu:cores=2,sim:gpu*2:pin=yes:staging=yes",
    "sim:gpu*2:pin=yes:pages=512,sim:gpux:staging=yes:lanes=3", /* one cannot pin, */
    "sim:gpu*2:pin=yes,sim:gpux",                               /* nor stage */
    "sim:cpu:rate=1e6,sim:gpu:mem=20K:staging=yes",             /* smaller than an array */
    "sim:cpu:rate=1e6,sim:gpu:mem=64K:pages=1K",                /* smaller than all of them */
    "sim:cpu:rate=1e6,sim:gpu:mem=20K:pages=256", /* rows are committed and released one by one */
    "sim:gpu:mem=24K:pages=512:staging=yes"
};
static const char *const *machines = all_machines; /* or those of the command line */
static int machine_count = sizeof all_machines / sizeof *all_machines;

static int is_there(const char *devices)
{
    yoke_runtime *rt;
    const yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
    if (status == YOKE_ENODEV && machines == all_machines) {
        print_message("%s: not on this machine: %s\n", devices, yoke_error_text());
        return 0;
    }
    OK(status);
    OK(yoke_close(rt));
    return 1;
}

static void on_all_machines(void (*test)(const char *devices))
{
    int m;
    for (m = 0; m < machine_count; m++)
        if (is_there(machines[m]))
            test(machines[m]);
}

/* --- a product in panels --- */

static struct product {
    int32_t a[ROWS * INNER], b[INNER * WIDTH], c[ROWS * WIDTH], right[ROWS * WIDTH];
} product;

static void fill_product(struct product *p)
{
    int i, j, k;
    for (i = 0; i < ROWS * INNER; i++)
        p->a[i] = i % 17 - 8;
    for (i = 0; i < INNER * WIDTH; i++)
        p->b[i] = i % 13 - 6;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < WIDTH; j++) {
            int32_t s = p->c[i * WIDTH + j] = i - j;
            for (k = 0; k < INNER; k++)
                s += p->a[i * INNER + k] * p->b[k * WIDTH + j];
            p->right[i * WIDTH + j] = s;
        }
}

static void multiply(const char *devices, yoke_home home)
{
    struct product *p = &product;
    yoke_runtime *rt = open_runtime(devices);
    yoke_array *a, *b, *c, *bs[PANELS], *cs[PANELS];
    yoke_ticket *tickets[PANELS];
    int n;
    fill_product(p);
    a = open_array(rt, p->a, ROWS, INNER);
    b = open_array(rt, p->b, INNER, WIDTH);
    c = open_array(rt, p->c, ROWS, WIDTH);
    for (n = 0; n < PANELS; n++) {
        const tile_t tile = { INNER, WIDTH, WIDTH * n / PANELS, WIDTH * (n + 1) / PANELS };
        OK(yoke_array_panel(b, tile.first, tile.last - tile.first, &bs[n]));
        OK(yoke_array_panel(c, tile.first, tile.last - tile.first, &cs[n]));
    }
    for (n = 0; n < PANELS; n++) {
        const tile_t tile = { INNER, WIDTH, WIDTH * n / PANELS, WIDTH * (n + 1) / PANELS };
        yoke_job job = { .kernel = &k_tile,
                         .range = { 0, ROWS },
                         .args = { yoke_value(tile), yoke_in(a), yoke_in_whole(bs[n]),
                                   yoke_inout(cs[n]) } };
        job.args[3].home = home;
        OK(yoke_submit(rt, &job, &tickets[n]));
    }
    for (n = 0; n < PANELS; n++)
        OK(yoke_wait(tickets[n], NULL));
    OK(yoke_array_acquire(c, YOKE_READ));
    if (memcmp(p->c, p->right, sizeof p->c) != 0)
        fail_msg("%s: the product is wrong", devices);
    for (n = 0; n < PANELS; n++) {
        OK(yoke_array_close(bs[n]));
        OK(yoke_array_close(cs[n]));
    }
    assert_null(yk_array_of(b, "a test")->panels);
    OK(yoke_array_close(a));
    OK(yoke_array_close(b));
    OK(yoke_array_close(c));
    OK(yoke_close(rt));
}

static void multiply_and_go_home(const char *devices)
{
    multiply(devices, YOKE_HOME_NOW);
}

static void multiply_and_stay(const char *devices)
{
    multiply(devices, YOKE_HOME_LATER);
}

static void products(void **state)
{
    (void)state;
    on_all_machines(multiply_and_go_home);
    on_all_machines(multiply_and_stay);
}

/* --- a random history --- */

enum { STEPS = 300, MANY = 6 };

static uint64_t seed;
static int below(int most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (unsigned)most);
}

struct history {
    const char *devices;
    yoke_runtime *rt;
    yoke_array *array, *panels[MANY];
    int first[MANY], last[MANY]; /* columns; first == last: closed */
    uint32_t m[ROWS * WIDTH], right[ROWS * WIDTH];
};

/* The list of panels covers all columns, in order. */
static void check_list(const struct history *h)
{
    const yoke_array *panel, *array = yk_array_of(h->array, "a test");
    int64_t at = 0;
    int named = 0, n;
    for (panel = array->panels; panel; panel = panel->next_panel) {
        assert_int_equal(panel->column, at);
        assert_true(panel->row_bytes > 0);
        at += panel->row_bytes;
    }
    assert_true(at == array->row_bytes || !array->panels);
    for (n = 0; n < MANY; n++)
        named += h->first[n] < h->last[n];
    assert_int_equal(yk_panels_named(array), named);
    assert_int_equal(array->panels != NULL, named > 0);
}

static void toggle_panel(struct history *h, int n)
{
    int other, first = below(WIDTH), count = 1 + below(WIDTH - first);
    if (h->first[n] < h->last[n]) {
        OK(yoke_array_close(h->panels[n]));
        h->first[n] = h->last[n] = 0;
        return;
    }
    for (other = 0; other < MANY; other++)
        if (h->first[other] < first + count && first < h->last[other]) {
            assert_int_equal(yoke_array_panel(h->array, first, count, &h->panels[n]), YOKE_EINVAL);
            return;
        }
    OK(yoke_array_panel(h->array, first, count, &h->panels[n]));
    h->first[n] = first;
    h->last[n] = first + count;
}

/* The array or one of its panels, and its columns. */
static yoke_array *choose(struct history *h, tile_t *tile)
{
    const int n = below(MANY + 1);
    *tile = (tile_t){ .width = WIDTH, .last = WIDTH };
    if (n == MANY || h->first[n] == h->last[n])
        return h->array;
    tile->first = h->first[n];
    tile->last = h->last[n];
    return h->panels[n];
}

static void add(struct history *h)
{
    static const char *const partitioners[] = { "dynamic:chunk=7", "dynamic:chunk=40", "even" };
    tile_t tile;
    yoke_array *array = choose(h, &tile);
    const uint32_t by = (uint32_t)below(1000);
    yoke_job job = columns_job(array, &tile, &by);
    yoke_ticket *ticket;
    int64_t i, j;
    job.range.first = below(ROWS);
    job.range.last = job.range.first + below(ROWS - (int)job.range.first + 1);
    job.partitioner = partitioners[below(3)];
    job.args[2].home = below(3) ? YOKE_HOME_LATER : YOKE_HOME_NOW;
    OK(yoke_submit(h->rt, &job, &ticket)); /* its ticket ends with the runtime */
    for (i = job.range.first; i < job.range.last; i++)
        for (j = tile.first; j < tile.last; j++)
            h->right[i * WIDTH + j] = h->right[i * WIDTH + j] * 3u + by * (uint32_t)(i + 7 * j + 1);
}

static void look(struct history *h)
{
    tile_t tile;
    yoke_array *array = choose(h, &tile);
    const int first = below(ROWS), last = first + 1 + below(ROWS - first);
    const yoke_access_mode mode = below(2) ? YOKE_READ : YOKE_READ_WRITE;
    const uint32_t *rows = yoke_array_host(array);
    int64_t i, j;
    assert_ptr_equal(rows, h->m + tile.first);
    OK(yoke_array_acquire_rows(array, mode, first, last));
    for (i = first; i < last; i++)
        for (j = tile.first; j < tile.last; j++) {
            if (h->m[i * WIDTH + j] != h->right[i * WIDTH + j])
                fail_msg("%s: row %d, column %d: %u, not %u", h->devices, (int)i, (int)j,
                         h->m[i * WIDTH + j], h->right[i * WIDTH + j]);
            if (mode != YOKE_READ)
                h->right[i * WIDTH + j] = h->m[i * WIDTH + j] += 5;
        }
    OK(yoke_array_release(array));
}

static void random_history(const char *devices)
{
    static struct history history;
    struct history *h = &history;
    int step, n;
    *h = (struct history){ .devices = devices, .rt = open_runtime(devices) };
    h->array = open_array(h->rt, h->m, ROWS, WIDTH);
    for (step = 0; step < STEPS; step++) {
        const int what = below(10);
        if (what == 0)
            toggle_panel(h, below(MANY));
        else if (what < 4)
            look(h);
        else
            add(h);
        check_list(h);
    }
    for (n = 0; n < MANY; n++)
        if (h->first[n] < h->last[n])
            OK(yoke_array_close(h->panels[n]));
    OK(yoke_array_close(h->array));
    OK(yoke_close(h->rt));
    assert_memory_equal(h->m, h->right, sizeof h->m);
}

static void random_histories(void **state)
{
    (void)state;
    seed = 1;
    on_all_machines(random_history);
}

/* --- private copies --- */

enum { SUMS_MOST = 60 };

/* Sums into a panel of an array of `rows` rows. */
static void sum_columns_into(const char *devices, int rows)
{
    static uint32_t m[ROWS * WIDTH], sums[SUMS_MOST * WIDTH];
    const tile_t tile = { .width = WIDTH, .first = 5, .last = 25 };
    yoke_runtime *rt = open_runtime(devices);
    yoke_array *from, *to, *panel;
    int i, j;
    for (i = 0; i < ROWS * WIDTH; i++)
        m[i] = (uint32_t)i;
    for (i = 0; i < rows * WIDTH; i++)
        sums[i] = 7;
    from = open_array(rt, m, ROWS, WIDTH);
    to = open_array(rt, sums, rows, WIDTH);
    OK(yoke_array_panel(to, 5, 20, &panel));
    yoke_job job = { .kernel = &k_column_sums,
                     .range = { 0, ROWS },
                     .args = { yoke_value(tile), yoke_in(from), yoke_add_to(panel) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(to, YOKE_READ));
    for (j = 0; j < rows * WIDTH; j++) {
        uint32_t right = 7;
        for (i = 0; i < ROWS && j >= 5 && j < 25; i++)
            right += (uint32_t)(i * WIDTH + j);
        assert_int_equal(sums[j], right);
    }
    OK(yoke_array_close(panel));
    OK(yoke_array_close(to));
    OK(yoke_array_close(from));
    OK(yoke_close(rt));
}

static void sum_columns(const char *devices)
{
    sum_columns_into(devices, 2);
}

static void sums_of_columns(void **state)
{
    (void)state;
    on_all_machines(sum_columns);
}

/* The private copy of a panel is as large as its array: beside it the other array does not fit
 * whole, but it would fit beside the panel's own columns. */
static void room_for_a_private_copy(void **state)
{
    (void)state;
    sum_columns_into("sim:gpu:lanes=1:mem=36K", SUMS_MOST);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(random_histories),
        cmocka_unit_test(sums_of_columns),
        cmocka_unit_test(room_for_a_private_copy),
    };
    if (argc > 1) {
        machines = (const char *const *)argv + 1;
        machine_count = argc - 1;
    }
    return cmocka_run_group_tests(tests, make_small, machines == all_machines ? none_left : NULL);
}
