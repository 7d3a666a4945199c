/* test_cuda_once.c - two equal GPUs need a kernel at the same time, and no cache has it: it is
 * compiled once. If that fails, or the driver refuses what it gave, the other GPU does it again.
 *
 * The compiler stands still until both GPUs want the kernel.
 */
#include <pthread.h>
#include <yoke/yoke.h>

#include "backend/claim.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "nvrtc.h"
#include "platform/clock.h"
#include "scenes.h"
#include "standin.h"

enum { ITEMS = 100000, INVALID_IMAGE = 200 };

static void *let_go(void *unused)
{
    while (standin_compilations() < 2 && yk_claim_count() < 2)
        yk_clock_sleep_ns(100000);
    standin_hold_compilations(0);
    return unused;
}

static yoke_status scale(yoke_runtime *runtime, float *x, float *y)
{
    yoke_array *arrays[2];
    const float a = 2;
    for (int i = 0; i < ITEMS; i++)
        x[i] = y[i] = (float)i;
    must(yoke_array_wrap(runtime, x, ITEMS, sizeof *x, &arrays[0]) == YOKE_OK);
    must(yoke_array_wrap(runtime, y, ITEMS, sizeof *y, &arrays[1]) == YOKE_OK);
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, ITEMS },
                     .partitioner = "static:shares=1/1",
                     .args = { yoke_value(a), yoke_in(arrays[0]), yoke_inout(arrays[1]) } };
    const yoke_status status = yoke_run(runtime, &job, NULL);
    must(yoke_array_close(arrays[0]) == YOKE_OK);
    must(yoke_array_close(arrays[1]) == (status == YOKE_OK ? YOKE_OK : YOKE_ELOST));
    return status;
}

/* A job's outcome, while the compiler stands still until both GPUs want its kernel. */
static yoke_status outcome(void)
{
    static float x[ITEMS], y[ITEMS];
    yoke_runtime *runtime;
    pthread_t thread;
    must(yoke_open(&(yoke_config){ .devices = "cuda:0,cuda:1", .knowledge = "off" }, &runtime) ==
         YOKE_OK);
    standin_count_compilations(k_saxpy.name);
    standin_hold_compilations(1);
    must(pthread_create(&thread, NULL, let_go, NULL) == 0);
    const yoke_status status = scale(runtime, x, y);
    must(pthread_join(thread, NULL) == 0);
    must(yoke_close(runtime) == YOKE_OK);
    must(yk_claim_count() == 0 && standin_outstanding() == 0 && yk_alloc_outstanding() == 0);
    for (int i = 0; i < ITEMS && status == YOKE_OK; i++)
        must(y[i] == 3 * (float)i);
    return status;
}

/* --- scenes, each in a process of its own --- */

static void compiled_once(void)
{
    must(outcome() == YOKE_OK);
    must(standin_compilations() == 1);
}

static void without_disk(void)
{
    must(setenv("YOKE_CACHE", "off", 1) == 0);
    compiled_once();
}

/* Of one GPU, which is out of the job if it was the one that compiled; otherwise it compiles. */
static void refused_once(void)
{
    const struct standin_failure failure = { 1, INVALID_IMAGE, STANDIN_ONCE, "cuModuleLoadData" };
    standin_fail(&failure);
    must(outcome() == YOKE_OK);
    must(standin_failed());
    must(standin_compilations() == 1 || standin_compilations() == 2);
}

static void never_compiled(void)
{
    must(setenv("YOKE_STANDIN_NVRTC_FAIL", "6", 1) == 0);
    must(outcome() == YOKE_EBUILD);
    must(standin_compilations() == 2);
}

static const struct scene scenes[] = {
    { "compiled_once", compiled_once },
    { "without_disk", without_disk },
    { "refused_once", refused_once },
    { "never_compiled", never_compiled },
    { NULL, NULL },
};

/* --- the tests --- */

/* The scene begins with an empty cache. */
static void play_first(const char *scene)
{
    char folder[] = "/tmp/yoke-once-XXXXXX", command[64];
    must(mkdtemp(folder) && setenv("YOKE_CACHE", folder, 1) == 0);
    play(scene, "");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    must(system(command) == 0);
}

static void equal_gpus_compile_once(void **state)
{
    (void)state;
    play_first("compiled_once");
}

static void even_without_a_disk(void **state)
{
    (void)state;
    play_first("without_disk");
}

static void what_one_refuses_is_made_again(void **state)
{
    (void)state;
    play_first("refused_once");
}

static void and_what_does_not_compile(void **state)
{
    (void)state;
    play_first("never_compiled");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_gpus_compile_once),
        cmocka_unit_test(even_without_a_disk),
        cmocka_unit_test(what_one_refuses_is_made_again),
        cmocka_unit_test(and_what_does_not_compile),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    if (argc == 3)
        return play_here(scenes, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
