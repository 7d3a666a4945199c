/* test_spmv.c - products of matrices with very unequal rows: empty ones, one that is all the work,
 * lengths near the limit at which a row is cut; on every device, split evenly, to the bit.
 *
 * Arguments are devices, which must exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app_machine.h"
#include "driver.h"
#include "random.h"
#include "spmv/spmv_tile.h"

static const char *const all_devices[] = { "cpu:1", "cpu", "opencl:0", "cpu:1,opencl:0:units=1",
                                           "sim:cpu:cores=3,sim:gpu*2" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;
static int ways = 3; /* ways to split; one for devices of the command line, which may be slow */

static int64_t none(int64_t row)
{
    return row < 0;
}
static int64_t all_in_one(int64_t row)
{
    return row == 700 ? 9000 : 0;
}
static int64_t only(int64_t row)
{
    return row == 0 ? 9999 : 0;
}
static int64_t first_and_last(int64_t row)
{
    return row == 0 || row == 2999 ? 3000 : row % 3;
}
static int64_t about_the_cut(int64_t row)
{
    return SPMV_LONG - 3 + row % 6;
}
static int64_t medium(int64_t row)
{
    return SPMV_SHORT - 5 + (int64_t)(random_bits(3, (uint64_t)row) % 100);
}
static int64_t mixed(int64_t row)
{
    const uint64_t bits = random_bits(4, (uint64_t)row);
    return bits % 50 == 0 ? 100 + (int64_t)(bits >> 40) % 2800 : (int64_t)(bits >> 32) % 3;
}
static int64_t rare(int64_t row)
{
    return row % 1500 == 1499 ? 200 : 0;
}

static const struct profile {
    const char *name;
    int64_t rows, columns;
    int64_t (*length)(int64_t row);
} profiles[] = {
    { "none", 5000, 3, none },
    { "all in one", 1000, 9000, all_in_one },
    { "only", 1, 10000, only },
    { "first and last", 3000, 3000, first_and_last },
    { "about the cut", 300, 300, about_the_cut },
    { "medium", 500, 500, medium },
    { "mixed", 3000, 3000, mixed },
    { "rare", 30000, 30000, rare },
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

/* The columns of a row are spread over the whole width. */
static void save(const struct profile *profile, const char *path)
{
    int64_t entries = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < profile->rows; i++)
        entries += profile->length(i);
    fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n%lld %lld %lld\n",
            (long long)profile->rows, (long long)profile->columns, (long long)entries);
    for (int64_t i = 0; i < profile->rows; i++) {
        const int64_t length = profile->length(i);
        for (int64_t k = 0; k < length; k++)
            fprintf(file, "%lld %lld %d\n", (long long)i + 1,
                    (long long)(k * profile->columns / length) + 1, (int)((i * 7 + k) % 13) - 6);
    }
    assert_int_equal(fclose(file), 0);
}

#define OK(call, where)                                                                            \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s: %s", where, #call, app_error_text());                                \
    } while (0)

static void run_on(const struct app *app, void *state, const char *machine, const char *what)
{
    static const char *const partitioners[] = { "even", "dynamic:chunk=1", NULL };
    const struct measure_watch watch = { 0 };
    yoke_runtime *rt = app_machine_open(machine);
    char where[256], note[APP_NOTE_MAX];
    if (!rt) {
        print_message("%s is not here\n", machine);
        return;
    }
    snprintf(where, sizeof where, "%s on %s", what, machine);
    OK(app->attach(state, rt), where);
    for (int p = 0; p < ways; p++) {
        struct app_run run = {
            .runtime = rt, .partitioner = partitioners[p], .watch = &watch, .what = "test"
        };
        OK(app->reset(state), where);
        OK(app->run(state, &run), where);
        OK(app->verify(state, note), where);
        app_tally_clear(&run.tally);
    }
    OK(app->detach(state), where);
    OK(yoke_close(rt), where);
}

static void try(const struct profile *profile, const char *type, const char *items,
                const char *solve)
{
    const struct app *app = app_find("spmv");
    struct app_spec spec = { .input = "test_spmv.mtx", .seed = 5 };
    char what[128];
    void *state;
    for (int k = 0; app->options[k].name; k++) {
        const char *name = app->options[k].name;
        spec.values[k] = strcmp(name, "type") == 0    ? type
                         : strcmp(name, "items") == 0 ? items
                         : strcmp(name, "solve") == 0 ? solve
                         : strcmp(name, "steps") == 0 ? "3"
                                                      : app->options[k].initial;
    }
    snprintf(what, sizeof what, "%s, %s, %s, %s", profile->name, type, items, solve);
    OK(app->open(&spec, &state), what);
    assert_int_equal(spec.size[0], profile->rows);
    for (int d = 0; d < device_count; d++)
        run_on(app, state, devices[d], what);
    app->close(state);
}

static void rows_of_any_length(void **unused)
{
    (void)unused;
    for (int p = 0; p < PROFILES; p++) {
        save(&profiles[p], "test_spmv.mtx");
        try(&profiles[p], "double", "work", "product");
        try(&profiles[p], "single", "work", "product");
        try(&profiles[p], "double", "rows", "product");
        if (profiles[p].rows == profiles[p].columns)
            try(&profiles[p], "double", "work", "power");
    }
}

static char folder[] = "/tmp/test_spmv.XXXXXX";

static int folder_open(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

static int folder_close(void **unused)
{
    (void)unused;
    return unlink("test_spmv.mtx") || chdir("/") || rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_of_any_length) };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
        ways = 1;
    }
    return cmocka_run_group_tests(tests, folder_open, folder_close);
}
