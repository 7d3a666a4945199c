/* pair.c - a real heterogeneous pair on two cores: one core as the CPU, PoCL on the other as an
 * OpenCL device.
 *
 *     yoke-bench-pair [repeats] [APP:SIZE ...]
 *
 * PoCL's threads inherit the affinity of the thread that loads it. So a thread bound to the last
 * core loads it, with one PoCL thread; then the binding is removed. Each application runs with auto
 * on both devices, and on each alone, with verification. Prints times, the gain over the better of
 * the two (1: as fast as that device alone), and shares.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_words.h"
#include "driver.h"
#include "program.h"

static int last_core(const cpu_set_t *all)
{
    int cpu = CPU_SETSIZE - 1;
    while (cpu > 0 && !CPU_ISSET(cpu, all))
        cpu--;
    return cpu;
}

static yoke_status load_pocl_on_last_core(void)
{
    yoke_config config = { .devices = "opencl:0" };
    cpu_set_t all, one;
    yoke_runtime *rt;
    yoke_status status;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof all, &all);
    CPU_SET(last_core(&all), &one);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    sched_setaffinity(0, sizeof one, &one);
    status = yoke_open(&config, &rt);
    if (status == YOKE_OK)
        status = yoke_close(rt);
    sched_setaffinity(0, sizeof all, &all);
    return status;
}

static int run(const char *text, int repeat)
{
    char name[64];
    const char *colon = strchr(text, ':');
    struct measure out;
    struct measure_spec spec = {
        .repeat = repeat, .verify = 1, .baselines = 1, .config = { .devices = "cpu:1,opencl:0" }
    };
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
    spec.app = app_find(name);
    if (!spec.app || (colon && !read_size(colon + 1, 1, spec.input.size))) {
        fprintf(stderr, "%s: no such application, or a wrong size\n", text);
        return 2;
    }
    spec.input.seed = 1;
    app_words_begin(spec.app, &spec.input);
    if (measure(&spec, &out) != YOKE_OK) {
        fprintf(stderr, "%s: %s\n", text, app_error_text());
        measure_close(&out);
        return 1;
    }
    printf("%-22s auto %9.2f ms (first %9.2f)   core alone %9.2f   PoCL alone %9.2f   gain %.3f   "
           "PoCL's share %5.1f %%   %s\n",
           text, out.seconds * 1e3, out.first_seconds * 1e3, out.devices[0].alone_seconds * 1e3,
           out.devices[1].alone_seconds * 1e3, out.gain, 100 * out.devices[1].share,
           out.verified == 1 ? "verified" : out.note);
    fflush(stdout);
    int wrong = out.verified != 1;
    measure_close(&out);
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = { "saxpy:16777216", "mxv:100000", "nbody:16384",
                                         "denoise:150x185x158" };
    int repeat = argc > 1 ? atoi(argv[1]) : 9, failed = 0;
    if (repeat < 1 || repeat > APP_REPEAT_MAX) {
        fprintf(stderr, "usage: %s [repeats] [APP:SIZE ...]\n", argv[0]);
        return 2;
    }
    if (load_pocl_on_last_core() != YOKE_OK) {
        fprintf(stderr, "%s\n", yoke_error_text());
        return 1;
    }
    for (int a = 2; a < argc; a++)
        failed |= run(argv[a], repeat);
    for (int a = 0; argc <= 2 && a < 4; a++)
        failed |= run(usual[a], repeat);
    return failed;
}
