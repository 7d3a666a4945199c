/* test_stress.c - random jobs over shared arrays from several threads, against the same jobs done
 * one by one.
 *
 * Every job adds something to each row of one array that depends on another array's row, so any job
 * done twice, left out or out of order changes the outcome. The seed is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "platform/thread.h"

enum { ARRAYS = 5, ROWS = 512, JOBS = 300, THREADS = 3 };

static uint64_t seed;

static uint32_t draw(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*s >> 33);
}

static const char *const partitioners[] = {
    NULL,    "even", "dynamic:chunk=3", "guided", "static",
    "nc-ht", "c-ht", "c-ht:grains=20",  "demand",
};
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

/* `own` distinguishes the arrays of threads, which are independent of each other. */
struct load {
    yoke_runtime *rt;
    uint64_t seed;
    int32_t got[ARRAYS][ROWS], want[ARRAYS][ROWS];
};

static void do_by_hand(struct load *load, int from, int to, int64_t first, int64_t last)
{
    int64_t i;
    for (i = first; i < last; i++)
        load->want[to][i] = (int32_t)((uint32_t)load->want[to][i] +
                                      3 * (uint32_t)load->want[from][i] + (uint32_t)i);
}

static void submit_one(struct load *load, yoke_array **arrays, uint64_t *s, yoke_ticket **ticket)
{
    int from = (int)(draw(s) % ARRAYS), to = (from + 1 + (int)(draw(s) % (ARRAYS - 1))) % ARRAYS;
    int64_t first = draw(s) % ROWS, last = first + draw(s) % (uint32_t)(ROWS - first + 1);
    yoke_job job = { .kernel = &k_volume,
                     .range = { first, last, { 1, 1 } },
                     .partitioner = partitioners[draw(s) % PARTITIONERS],
                     .args = { yoke_in(arrays[from]), yoke_inout(arrays[to]) } };
    if (draw(s) % 3 == 0)
        job.args[1].home = YOKE_HOME_NOW;
    if (yoke_submit(load->rt, &job, ticket) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    do_by_hand(load, from, to, first, last);
}

static void work(void *context)
{
    struct load *load = context;
    yoke_array *arrays[ARRAYS];
    yoke_ticket *tickets[8] = { NULL };
    uint64_t s = load->seed;
    int a, j;
    for (a = 0; a < ARRAYS; a++) {
        for (j = 0; j < ROWS; j++)
            load->got[a][j] = load->want[a][j] = a + j;
        assert_int_equal(yoke_array_wrap(load->rt, load->got[a], ROWS, 4, &arrays[a]), YOKE_OK);
    }
    for (j = 0; j < JOBS; j++) {
        yoke_ticket **slot = &tickets[draw(&s) % 8];
        if (*slot)
            assert_int_equal(yoke_wait(*slot, NULL), YOKE_OK);
        submit_one(load, arrays, &s, slot);
        if (draw(&s) % 50 == 0) {
            a = (int)(draw(&s) % ARRAYS);
            assert_int_equal(yoke_array_acquire(arrays[a], YOKE_READ), YOKE_OK);
            assert_memory_equal(load->got[a], load->want[a], sizeof load->got[a]);
        }
    }
    for (j = 0; j < 8; j++)
        if (tickets[j])
            assert_int_equal(yoke_wait(tickets[j], NULL), YOKE_OK);
    for (a = 0; a < ARRAYS; a++)
        assert_int_equal(yoke_array_close(arrays[a]), YOKE_OK);
    assert_memory_equal(load->got, load->want, sizeof load->got);
}

static void random_jobs(const char *devices, int threads)
{
    static struct load loads[THREADS];
    struct yk_thread running[THREADS];
    yoke_runtime *rt;
    int t;
    if (yoke_open(&(yoke_config){ .devices = devices }, &rt) != YOKE_OK) {
        print_message("%s: %s\n", devices, yoke_error_text());
        return;
    }
    for (t = 0; t < threads; t++) {
        struct yk_thread_spec spec = {
            .name = "submitter", .cpu = -1, .run = work, .context = &loads[t]
        };
        loads[t].rt = rt;
        loads[t].seed = seed + (uint64_t)t;
        if (threads == 1)
            work(&loads[t]);
        else
            assert_int_equal(yk_thread_open(&spec, &running[t]), YOKE_OK);
    }
    for (t = 0; t < threads && threads > 1; t++)
        yk_thread_join(&running[t]);
    assert_int_equal(yoke_close(rt), YOKE_OK);
}

static void on_cores(void **state)
{
    (void)state;
    random_jobs("cpu", THREADS);
    random_jobs("cpu:2,cpu:1", THREADS);
}

static void on_a_simulated_machine(void **state)
{
    (void)state;
    random_jobs("sim:cpu:cores=3,sim:gpu*4:noise=0.3:fill=16", 1);
    random_jobs("sim:gpu*2:mem=5K", 1);
    random_jobs("sim:cpu:cores=2,sim:gpu*2:mem=9K:pages=128:taken=4K", 1);
}

static void on_a_core_and_opencl(void **state)
{
    (void)state;
    random_jobs("cpu:1,opencl:0:units=1", THREADS);
}

int main(void)
{
    const char *given = getenv("YOKE_TEST_SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_cores),
        cmocka_unit_test(on_a_simulated_machine),
        cmocka_unit_test(on_a_core_and_opencl),
    };
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("YOKE_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
