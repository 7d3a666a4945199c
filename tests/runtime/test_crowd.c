/* test_crowd.c - many jobs on a few arrays, submitted without waiting, on devices with very little
 * memory: correct whatever the memory, and never stuck.
 *
 * Jobs are drawn from a seed, which is printed; YOKE_TEST_SEED sets it. YOKE_TEST_MACHINES
 * simulated machines are drawn, by default 24, or 8 under the thread sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ok.h"
#include "under_sanitizer.h"
#include "work.h"
#include "work_kernels.h"

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

enum { HANGS_SECONDS = 120, ARRAYS = 6, ROWS_MOST = 3000, JOBS = 24, ROUNDS = 4 };

static struct crowd {
    yoke_runtime *rt;
    int64_t rows[ARRAYS];
    uint32_t got[ARRAYS][ROWS_MOST], want[ARRAYS][ROWS_MOST];
    yoke_array *arrays[ARRAYS];
    yoke_ticket *tickets[JOBS];
} crowd;

struct draft { /* to = kernel(from), items first .. last - 1 */
    int kind, from, to, table;
    int64_t first, last;
};

static uint32_t at(int64_t row, int array)
{
    return row >= 0 && row < crowd.rows[array] ? crowd.want[array][row] : 0;
}

static void do_by_hand(const struct draft *d, int64_t width)
{
    static uint32_t made[ROWS_MOST];
    int64_t i;
    for (i = d->first; i < d->last; i++) {
        uint32_t x = crowd.want[d->from][i];
        made[i] = d->kind == WORK_ADD       ? crowd.want[d->to][i] + x
                  : d->kind == WORK_STENCIL ? x + at(i - width, d->from) + at(i + width, d->from)
                  : d->kind == WORK_TABLE   ? x + at(x % (uint32_t)crowd.rows[d->table], d->table)
                                            : x;
    }
    for (i = d->first; i < d->last; i++)
        crowd.want[d->to][i] = made[i];
}

/* The rows themselves, given by a callback. */
static yoke_rows same_rows(const void *context, yoke_rows range)
{
    (void)context;
    return range;
}

static void submit_one(const struct draft *d, yoke_ticket **ticket)
{
    const int32_t rounds = 0;
    const int64_t width = 1 + draw(40), entries = crowd.rows[d->table];
    const strip_t strip = { 0, crowd.rows[d->from], width };
    yoke_array *x = crowd.arrays[d->from], *z = crowd.arrays[d->to];
    yoke_arg in = yoke_in(x), out = yoke_out(z);
    yoke_job job = { .kernel = &w_scale,
                     .range = { d->first, d->last },
                     .args = { yoke_value(rounds), in, out } };
    if (draw(3) == 0)
        job.args[1] = (yoke_arg)yoke_in_custom(x, same_rows, NULL);
    if (d->kind == WORK_ADD) {
        job.kernel = &w_add;
        job.args[2] = (yoke_arg)yoke_inout(z);
    } else if (d->kind == WORK_STENCIL) {
        job = (yoke_job){ .kernel = &w_stencil,
                          .range = { d->first, d->last },
                          .args = { yoke_value(rounds), yoke_value(strip),
                                    yoke_in_halo(x, width, width), yoke_out(z) } };
    } else if (d->kind == WORK_TABLE) {
        job = (yoke_job){ .kernel = &w_table,
                          .range = { d->first, d->last },
                          .args = { yoke_value(rounds), yoke_value(entries),
                                    yoke_in_whole(crowd.arrays[d->table]), in, out } };
    }
    OK(yoke_submit(crowd.rt, &job, ticket));
    do_by_hand(d, width);
}

static struct draft draw_job(void)
{
    struct draft d = { .kind = (int)draw(WORK_KINDS), .from = (int)draw(ARRAYS) };
    int64_t rows;
    d.to = (d.from + 1 + (int)draw(ARRAYS - 1)) % ARRAYS;
    do {
        d.table = (int)draw(ARRAYS);
    } while (d.table == d.to);
    rows = crowd.rows[d.from] < crowd.rows[d.to] ? crowd.rows[d.from] : crowd.rows[d.to];
    d.first = draw((uint32_t)rows);
    d.last = d.first + draw((uint32_t)(rows - d.first) + 1);
    return d;
}

static void open_crowd(const char *devices)
{
    int a, i;
    alarm(HANGS_SECONDS);
    crowd.rt = open_runtime(devices);
    for (a = 0; a < ARRAYS; a++) {
        crowd.rows[a] = 50 + draw(ROWS_MOST - 50);
        for (i = 0; i < ROWS_MOST; i++)
            crowd.got[a][i] = crowd.want[a][i] = draw(1 << 20);
        OK(yoke_array_wrap(crowd.rt, crowd.got[a], crowd.rows[a], 4, &crowd.arrays[a]));
    }
}

static void crowd_in(const char *devices)
{
    int a, j, round;
    open_crowd(devices);
    for (round = 0; round < ROUNDS; round++) {
        for (j = 0; j < JOBS; j++) {
            struct draft d = draw_job();
            submit_one(&d, &crowd.tickets[j]);
        }
        for (j = 0; j < JOBS; j++)
            OK(yoke_wait(crowd.tickets[j], NULL));
        a = (int)draw(ARRAYS);
        OK(yoke_array_acquire(crowd.arrays[a], YOKE_READ));
        assert_memory_equal(crowd.got[a], crowd.want[a], (size_t)crowd.rows[a] * 4);
    }
    for (a = 0; a < ARRAYS; a++) {
        OK(yoke_array_close(crowd.arrays[a]));
        assert_memory_equal(crowd.got[a], crowd.want[a], (size_t)crowd.rows[a] * 4);
    }
    OK(yoke_close(crowd.rt));
}

static void many_jobs_hardly_any_memory(void **state)
{
    static const char *const sizes[] = { "14K", "18K", "30K", "60K" };
    static const char *const pages[] = { "", ":pages=256", ":pages=1K" };
    const char *given = getenv("YOKE_TEST_MACHINES");
    const int machines = given ? atoi(given) : RUNNING_UNDER_TSAN ? 4 : 24;
    char devices[128];
    int i;
    (void)state;
    for (i = 0; i < machines; i++) {
        uint64_t began = seed;
        snprintf(devices, sizeof devices, "sim:gpu*8:mem=%s:lanes=%d:noise=0.2%s", sizes[draw(4)],
                 1 + (int)draw(4), pages[draw(3)]);
        print_message("%s from seed %llu\n", devices, (unsigned long long)began);
        crowd_in(devices);
    }
}

/* Devices leave their parts of jobs to others until a time at which nothing ends. */
static void a_clock_that_stands_still(void **state)
{
    const uint64_t drawn = seed;
    int i;
    (void)state;
    seed = 957972251277577874u;
    for (i = 0; i < 3; i++)
        draw(4); /* the machine */
    crowd_in("sim:gpu*8:mem=14K:lanes=1:noise=0.2:pages=1K");
    seed = drawn;
}

/* On devices with a real clock, real threads and a driver's memory management. */
static void many_jobs_on_real_devices(void **state)
{
    const char *const *devices = *state;
    for (; *devices; devices++) {
        yoke_runtime *rt;
        if (yoke_open(&(yoke_config){ .devices = *devices }, &rt) != YOKE_OK) {
            print_message("%s: %s\n", *devices, yoke_error_text());
            continue;
        }
        OK(yoke_close(rt));
        print_message("%s from seed %llu\n", *devices, (unsigned long long)seed);
        crowd_in(*devices);
    }
}

/* Arguments: these devices instead. */
int main(int argc, char **argv)
{
    static const char *const opencl[] = { "opencl:0:mem=20K:lanes=3",
                                          "cpu:1,opencl:0:units=1:mem=14K:lanes=2", NULL };
    const char *given = getenv("YOKE_TEST_SEED");
    void *devices = argc > 1 ? (void *)(argv + 1) : (void *)opencl;
    const struct CMUnitTest on_real_devices[] = {
        cmocka_unit_test_prestate(many_jobs_on_real_devices, devices),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_jobs_hardly_any_memory),
        cmocka_unit_test(a_clock_that_stands_still),
        on_real_devices[0],
    };
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    if (argc > 1)
        return cmocka_run_group_tests(on_real_devices, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
