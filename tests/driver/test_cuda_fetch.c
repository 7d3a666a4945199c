/* test_cuda_fetch.c - cores that work on rows of a GPU bring them home by few copies, however many
 * pieces and leases the cores make of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job_kernels.h"
#include "ok.h"
#include "standin.h"

enum { MIB = 1 << 20, FLOATS = MIB, LANES = 2 };

static void add(yoke_runtime *runtime, yoke_array *const arrays[2], const char *partitioner)
{
    const float a = 1;
    const yoke_job job = { .kernel = &k_saxpy,
                           .range = { 0, FLOATS },
                           .partitioner = partitioner,
                           .args = { yoke_value(a), yoke_in(arrays[0]), yoke_inout(arrays[1]) } };
    OK(yoke_run(runtime, &job, NULL));
}

/* Returns the number of copies in which the cores get 4 MiB. */
static long copies_if(const char *cores_alone)
{
    yoke_runtime *runtime = open_runtime("cpu:2,cuda:0");
    yoke_array *arrays[2];
    float *host[2];
    long copies;
    for (int k = 0; k < 2; k++) {
        const yoke_array_spec spec = { .rows = FLOATS, .element_size = sizeof(float) };
        OK(yoke_array_open(runtime, &spec, &arrays[k]));
        OK(yoke_array_acquire(arrays[k], YOKE_WRITE));
        host[k] = yoke_array_host(arrays[k]);
        for (int i = 0; i < FLOATS; i++)
            host[k][i] = (float)(i % 100);
        OK(yoke_array_release(arrays[k]));
    }
    add(runtime, arrays, "static:shares=0/1,chunks=1");
    copies = standin_calls_of("cuMemcpyDtoHAsync");
    add(runtime, arrays, cores_alone);
    copies = standin_calls_of("cuMemcpyDtoHAsync") - copies;
    OK(yoke_array_acquire(arrays[1], YOKE_READ));
    for (int i = 0; i < FLOATS; i++)
        if (host[1][i] != (float)(3 * (i % 100)))
            fail_msg("y[%d] is %g", i, (double)host[1][i]);
    OK(yoke_array_release(arrays[1]));
    for (int k = 0; k < 2; k++)
        OK(yoke_array_close(arrays[k]));
    OK(yoke_close(runtime));
    return copies;
}

/* A copy is shorter where lanes meet, where pinned blocks end, and where a lane was interrupted.
 * One copy for each piece would be 26. */
static void few_copies(void **state)
{
    long copies;
    (void)state;
    copies = copies_if("static:shares=1/0,chunks=1");
    assert_in_range(copies, 4, 4 + 5 * LANES);
}

/* A lane that has done its section of a lease steals from the far end of another's. */
static void few_copies_for_each_lease(void **state)
{
    enum { LEASES = 64 };
    long copies;
    (void)state;
    copies = copies_if("weight:cpu=1,cpu-chunks=64");
    assert_in_range(copies, LEASES, 2 * LEASES * LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(few_copies),
                                        cmocka_unit_test(few_copies_for_each_lease) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
