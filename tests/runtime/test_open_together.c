/* test_open_together.c - threads that open a runtime at the same time, before the process has used
 * a driver, all get the device.
 * The preset asan sets use_sigaltstack=0 for this test. PoCL's LLVM gives the thread that loads it
 * an alternate signal stack from malloc. AddressSanitizer assumes that each such stack is its own,
 * tries to unmap it when the thread ends, and stops the process. */
#include <pthread.h>

#include "job_kernels.h"
#include "ok.h"

enum { THREADS = 4, N = 100 };

static pthread_barrier_t start;

struct opening {
    pthread_t thread;
    yoke_runtime *rt;
    yoke_status status;
};

static void *open_one(void *data)
{
    struct opening *opening = data;
    pthread_barrier_wait(&start);
    opening->status = yoke_open(&(yoke_config){ .devices = "opencl:0:units=1" }, &opening->rt);
    return NULL;
}

static void use(yoke_runtime *rt)
{
    float a = 3, x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    OK(yoke_for(rt, &k_saxpy, N, a, x, y));
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 3 * (float)i + 1);
    OK(yoke_close(rt));
}

static void all_get_the_device(void **state)
{
    struct opening all[THREADS] = { 0 };
    (void)state;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&all[t].thread, NULL, open_one, &all[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(all[t].thread, NULL);
    pthread_barrier_destroy(&start);
    for (int t = 0; t < THREADS; t++)
        assert_string_equal(yoke_status_text(all[t].status), yoke_status_text(all[0].status));
    if (all[0].status == YOKE_ENODEV) /* this machine has no OpenCL */
        skip();
    for (int t = 0; t < THREADS; t++)
        use(all[t].rt);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_get_the_device) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
