/* test_cuda_later.c - when GPU drivers are loaded that no device was named of: not in a process
 * that ends before it has used yoke for as long as a load takes, and once in one that lives longer,
 * that asks, or that has a long job.
 *
 * The stand-in counts the driver's calls. What loading is said to cost is the scene's, so that no
 * busy machine makes a short scene long.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "late_load.h"
#include "runtime/loading.h"
#include "scenes.h"
#include "standin.h"
#include "under_sanitizer.h"

enum { ITEMS = 1000, DEVICES = 3, THREADS = 4 };
static const int64_t never = INT64_C(1) << 60;

static int loads(void)
{
    return standin_calls_of("cuInit") > 0;
}

static void run_a_job(yoke_runtime *runtime)
{
    float x[ITEMS], y[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        x[i] = y[i] = (float)i;
    must(yoke_for(runtime, &k_saxpy, ITEMS, 2.0f, x, y) == YOKE_OK);
    for (int i = 0; i < ITEMS; i++)
        must(y[i] == 3 * (float)i);
}

static void must_say(const yoke_runtime *runtime, const char *words)
{
    char text[YK_LOADING_TEXT];
    yk_loading_explain(runtime, text);
    must(strstr(text, words) != NULL);
}

/* --- scenes, each in a process of its own --- */

static void wait_for_loads(void)
{
    while (!loads())
        yk_clock_sleep_ns(ms / 10);
}

/* What sleeps for ever would keep a close, or the process, until the alarm. */
static void nothing_was_loaded(void)
{
    must(standin_calls() == 0 && yk_loaders_left() == 0);
}

static void short_program(void)
{
    must(atexit(nothing_was_loaded) == 0); /* runs after yoke's handlers */
    yk_loading_price_ns = never;
    yoke_runtime *runtime = open_default();
    for (int i = 0; i < 100; i++) {
        run_a_job(runtime);
        run_a_job(NULL);
    }
    yk_loading_leave(runtime); /* as closing it does */
    must_say(runtime, "not loaded in");
    must(yoke_close(runtime) == YOKE_OK);
    nothing_was_loaded();
}

/* It prepares data, say, and then has one job, of which nothing is known. */
static void long_program(void)
{
    yk_loading_price_ns = 20 * ms;
    const int64_t start = yk_clock_ns();
    yoke_runtime *runtime = open_default();
    wait_for_loads();
    must(yk_clock_ns() - start >= yk_loading_price_ns);
    while (atomic_load(&runtime->device_count) < DEVICES)
        yk_clock_sleep_ns(ms / 10);
    must_say(runtime, "after the program's first yoke_open");
    run_a_job(runtime);
    must(yoke_close(runtime) == YOKE_OK);
    must(standin_outstanding() == 0);
}

/* The time is the process's: runtimes that live for 1 ms have a part in it. They have no jobs,
 * because a job whose core is taken away for 1 ms looks like a long one, for which GPUs are loaded
 * at once. */
static void many_runtimes(void)
{
    yk_loading_price_ns = 30 * ms;
    const int64_t start = yk_clock_ns();
    while (!loads()) {
        yoke_runtime *runtime = open_default();
        yk_clock_sleep_ns(ms);
        close_and_wait(runtime);
    }
    must(yk_clock_ns() - start >= yk_loading_price_ns);
    must(standin_outstanding() == 0);
}

/* Each has a loader that sleeps; that of one is told to begin, and the other's goes on sleeping. */
static void side_by_side(void)
{
    yk_loading_price_ns = never;
    yoke_runtime *first = open_default(), *second = open_default();
    must(yoke_ready(first) == YOKE_OK);
    must(atomic_load(&second->loading) == YK_LOADING_AWAITED);
    must(yoke_close(second) == YOKE_OK);
    must_say(first, "asked for all devices");
    must(yk_loaders_left() == 0);
    must(yoke_close(first) == YOKE_OK && standin_outstanding() == 0);
}

/* A runtime takes over the thread that another left in the driver, but begins in its own time. */
static void taken_over(void)
{
    yk_loading_price_ns = never;
    standin_hold("cuInit", 1);
    yoke_runtime *runtime;
    must(yoke_open(&(yoke_config){ .loading = YOKE_LOAD_OPEN }, &runtime) == YOKE_OK);
    while (standin_held_calls() == 0)
        yk_clock_sleep_ns(ms / 10);
    must(yoke_close(runtime) == YOKE_OK && yk_loaders_left() == 1);
    runtime = open_default();
    must(yk_loaders_left() == 0);
    must(yoke_close(runtime) == YOKE_OK && yk_loaders_left() == 1);
    runtime = open_default();
    standin_hold("cuInit", 0);
    run_a_job(runtime);
    must(atomic_load(&runtime->loading) == YK_LOADING_AWAITED);
    must(yoke_device_count(runtime) == DEVICES);
    must(yoke_close(runtime) == YOKE_OK && standin_outstanding() == 0);
}

/* Jobs before it taught how long it takes. */
static void a_foreseen_job(void)
{
    static uint32_t y[ITEMS];
    yk_loading_price_ns = never;
    yoke_runtime *runtime = open_default();
    for (int i = 0; i < 10; i++)
        must(yoke_for(runtime, &k_spend, ITEMS, 1000, y) == YOKE_OK);
    must(!loads());
    yk_loading_price_ns = 1000;
    must(yoke_for(runtime, &k_spend, ITEMS, 1000, y) == YOKE_OK);
    must_say(runtime, "for a job of about");
    must(yoke_device_count(runtime) == DEVICES);
    must(yoke_close(runtime) == YOKE_OK);
}

static void ready(yoke_runtime *runtime)
{
    must(yoke_ready(runtime) == YOKE_OK);
}

static void count(yoke_runtime *runtime)
{
    must(yoke_device_count(runtime) == DEVICES);
}

static void prepare(yoke_runtime *runtime)
{
    const yoke_kernel *const kernels[] = { &k_saxpy };
    must(yoke_prepare(runtime, kernels, 1) == YOKE_OK);
}

static void record(yoke_runtime *runtime)
{
    must(yoke_trace_start(runtime) == YOKE_OK);
}

static void split(yoke_runtime *runtime)
{
    static int32_t y[ITEMS];
    yoke_array *array;
    must(yoke_array_wrap(runtime, y, ITEMS, sizeof *y, &array) == YOKE_OK);
    const yoke_job job = { .kernel = &k_index,
                           .range = { 0, ITEMS },
                           .partitioner = "dynamic:chunk=100",
                           .args = { yoke_value((int32_t){ 7 }), yoke_out(array) } };
    must(yoke_run(runtime, &job, NULL) == YOKE_OK);
    must(yoke_array_close(array) == YOKE_OK);
}

static void no_kernel_for_cores(yoke_runtime *runtime)
{
    float x[ITEMS] = { 0 }, y[ITEMS];
    yoke_kernel kernel = k_saxpy;
    memset(&kernel.cpu, 0, sizeof kernel.cpu);
    for (int i = 0; i < ITEMS; i++)
        y[i] = (float)i;
    must(yoke_for(runtime, &kernel, ITEMS, 2.0f, x, y) == YOKE_OK);
    must(y[ITEMS - 1] == ITEMS - 1);
}

static void (*const questions[])(yoke_runtime *) = { ready,  count, prepare,
                                                     record, split, no_kernel_for_cores };

static void asked(void)
{
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        yk_loading_price_ns = never;
        yoke_runtime *runtime = open_default();
        const long contexts = standin_calls_of("cuCtxCreate");
        run_a_job(runtime);
        must(standin_calls_of("cuCtxCreate") == contexts);
        questions[q](runtime);
        must(atomic_load(&runtime->device_count) == DEVICES);
        must_say(runtime, "asked for all devices");
        must(yoke_close(runtime) == YOKE_OK);
    }
    must(standin_outstanding() == 0);
}

static void must_load_at_open(const yoke_config *config)
{
    const long contexts = standin_calls_of("cuCtxCreate");
    yoke_runtime *runtime;
    must(yoke_open(config, &runtime) == YOKE_OK);
    while (standin_calls_of("cuCtxCreate") == contexts)
        yk_clock_sleep_ns(ms / 10);
    must_say(runtime, "at yoke_open");
    close_and_wait(runtime);
}

static void at_open(void)
{
    yoke_runtime *none;
    yk_loading_price_ns = never;
    must_load_at_open(&(yoke_config){ .loading = YOKE_LOAD_OPEN });
    must_load_at_open(&(yoke_config){ .partitioner = "dynamic:chunk=100" });
    must(setenv("YOKE_LOAD", "open", 1) == 0);
    must_load_at_open(NULL);
    must(yoke_open(&(yoke_config){ .loading = 2 }, &none) == YOKE_EINVAL);
}

/* Without memory or a thread for it the runtime has its cores, and the program that asks tries
 * again. */
static void without(void)
{
    enum { MOST = 300 };
    int failed = 0;
    yk_loading_price_ns = never;
    for (int nth = 1; nth <= MOST; nth++) {
        yoke_runtime *runtime;
        yk_alloc_fail_at(nth);
        const yoke_status status = yoke_open(NULL, &runtime);
        yk_alloc_fail_at(0);
        must(status == YOKE_OK || status == YOKE_ENOMEM);
        if (status != YOKE_OK)
            continue;
        if (atomic_load(&runtime->loading) == YK_LOADING_FAILED) {
            failed++;
            run_a_job(runtime);
            must(atomic_load(&runtime->loading) == YK_LOADING_FAILED); /* jobs do not try */
            must(yoke_ready(runtime) == YOKE_OK && yoke_device_count(runtime) == DEVICES);
        }
        close_and_wait(runtime);
    }
    must(failed >= 2); /* without memory for the loader, and without a thread */
    must(standin_outstanding() == 0);
}

static void *ask(void *runtime)
{
    must(yoke_ready(runtime) == YOKE_OK);
    return NULL;
}

static void one_load_for_all_threads(void)
{
    pthread_t threads[THREADS];
    yk_loading_price_ns = 2 * ms;
    yoke_runtime *runtime = open_default();
    for (int t = 0; t < THREADS; t++)
        must(pthread_create(&threads[t], NULL, ask, runtime) == 0);
    for (int t = 0; t < THREADS; t++)
        must(pthread_join(threads[t], NULL) == 0);
    must(atomic_load(&runtime->device_count) == DEVICES && standin_calls_of("cuInit") == 1);
    must(yoke_close(runtime) == YOKE_OK && standin_outstanding() == 0);
}

/* A child's time is its own, and where its parent loaded nothing it can have GPUs. */
static void children_begin_anew(void)
{
    int status;
    yk_loading_price_ns = never;
    yoke_runtime *runtime = open_default(), *own;
    yk_clock_sleep_ns(20 * ms);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        alarm(SCENE_SECONDS);
        yk_loading_price_ns = 20 * ms;
        if (CHILDREN_MAY_START_THREADS) {
            const int64_t start = yk_clock_ns();
            own = open_default();
            wait_for_loads();
            must(yk_clock_ns() - start >= yk_loading_price_ns);
            must(yoke_device_count(own) == DEVICES && yoke_close(own) == YOKE_OK);
        }
        execl("/bin/true", "true", (char *)NULL); /* leak checkers would count the parent's */
        _exit(127);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    must(yoke_close(runtime) == YOKE_OK && standin_calls() == 0);
}

static const struct scene scenes[] = {
    { "short_program", short_program },
    { "long_program", long_program },
    { "many_runtimes", many_runtimes },
    { "side_by_side", side_by_side },
    { "taken_over", taken_over },
    { "a_foreseen_job", a_foreseen_job },
    { "asked", asked },
    { "at_open", at_open },
    { "without", without },
    { "one_load_for_all_threads", one_load_for_all_threads },
    { "children_begin_anew", children_begin_anew },
    { NULL, NULL },
};

int main(int argc, char **argv)
{
    return play_all(argc, argv, scenes);
}
