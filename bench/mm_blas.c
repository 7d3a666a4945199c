/* mm_blas.c - the application mm on CPU cores, compared with OpenBLAS and its own threads.
 *
 *     yoke-bench-mm [N|ROWSxINNERxCOLUMNS] [double|single] [REPEATS] [THREADS]
 *
 * Both make the same product in turn, in this process and with the same library. yoke calls the
 * library with one thread on each core; the other way is one call with THREADS [as many as yoke has
 * cores]. The library is linked, so it chooses its kernels before main begins. If it does not know
 * the processor (mm_core.h), the program starts itself again with the right choice in the
 * environment. Prints medians, the least times, and the ratio of the medians (1.03: yoke takes 3 %
 * longer).
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "mm/mm_check.h"
#include "mm/mm_core.h"
#include "mm/mm_product.h"
#include "program.h"

enum { REPEAT = 9 };

/* OpenBLAS's threads poll for work for about 30 ms after a call, and must not disturb yoke's. */
static void let_threads_sleep(void)
{
    const struct timespec pause = { 0, 100000000 };
    nanosleep(&pause, NULL);
}

static double time_yoke(const struct app *app, void *state, yoke_runtime *rt)
{
    const struct measure_watch watch = { 0 };
    struct app_run run = { .runtime = rt, .watch = &watch, .what = "yoke" };
    double start;
    openblas_set_num_threads(1);
    must(app->reset(state), "mm");
    let_threads_sleep();
    start = app_wall_seconds();
    must(app->run(state, &run), "mm");
    start = app_wall_seconds() - start;
    app_tally_clear(&run.tally);
    return start;
}

static double time_openblas(struct mm_product *p, int threads)
{
    const int rows = (int)p->rows, inner = (int)p->inner, columns = (int)p->columns;
    double start;
    openblas_set_num_threads(threads);
    must(mm_product_spoil(p), "C");
    let_threads_sleep();
    start = app_wall_seconds();
    if (p->single)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, p->a, inner,
                    p->b, columns, 0, p->c, columns);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, p->a, inner,
                    p->b, columns, 0, p->c, columns);
    return app_wall_seconds() - start;
}

static void make(struct mm_product *p)
{
    const size_t size = mm_element_size(p);
    must(app_alloc("A", p->rows * p->inner, size, &p->a), "A");
    must(app_alloc("B", p->inner * p->columns, size, &p->b), "B");
    must(app_alloc("C", p->rows * p->columns, size, &p->c), "C");
    must(mm_product_fill(p), "A and B");
}

/* Starts the program again with another kernel choice if needed. If that fails, it goes on. */
static void choose_core(char **argv)
{
    const char *core = getenv(MM_CORE_VARIABLE)
                           ? NULL
                           : mm_core_instead(openblas_get_corename(), mm_core_of_processor());
    if (!core)
        return;
    setenv(MM_CORE_VARIABLE, core, 1);
    execv("/proc/self/exe", argv);
}

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [N|ROWSxINNERxCOLUMNS] [double|single] [REPEATS] [THREADS]\n",
            program);
    exit(2);
}

static void print(const char *what, double *times, int count)
{
    const double middle = median(times, count); /* sorts */
    printf("%-9s median %9.2f ms, least %9.2f ms\n", what, middle * 1e3, times[0] * 1e3);
}

/* Opens the application's state, on cores. */
static void *open_yoke(struct app_spec *spec, const char *type, yoke_runtime **rt)
{
    const yoke_config config = { .devices = "cpu" };
    const struct app_option *option = app_find("mm")->options;
    void *state;
    int n;
    for (n = 0; option[n].name; n++)
        spec->values[n] = option[n].initial;
    spec->values[0] = type;
    must(yoke_open(&config, rt), "yoke");
    must(app_find("mm")->open(spec, &state), "mm");
    must(app_find("mm")->attach(state, *rt), "mm");
    return state;
}

int main(int argc, char **argv)
{
    const struct app *app = app_find("mm");
    const char *size = argc > 1 ? argv[1] : "3000", *type = argc > 2 ? argv[2] : "double";
    const int repeat = argc > 3 ? atoi(argv[3]) : REPEAT;
    double by_yoke[APP_REPEAT_MAX], by_openblas[APP_REPEAT_MAX];
    struct app_spec spec = { .seed = 1 };
    char note[APP_NOTE_MAX];
    yoke_runtime *rt;
    yoke_device cpu;
    choose_core(argv);
    if (!read_size(size, 1, spec.size) || repeat < 1 || repeat > APP_REPEAT_MAX)
        usage(argv[0]);
    void *state = open_yoke(&spec, type, &rt);
    struct mm_product p = { .rows = spec.size[0],
                            .inner = spec.size[1],
                            .columns = spec.size[2],
                            .single = strcmp(type, "single") == 0,
                            .seed = 1 };
    make(&p);
    must(yoke_device_get(rt, 0, &cpu), "yoke");
    const int threads = argc > 4 ? atoi(argv[4]) : cpu.lanes;
    for (int r = -1; r < repeat; r++) { /* the first round is not counted */
        const double mine = time_yoke(app, state, rt), theirs = time_openblas(&p, threads);
        by_yoke[r < 0 ? 0 : r] = mine;
        by_openblas[r < 0 ? 0 : r] = theirs;
    }
    must(app->verify(state, note), "yoke");
    must(mm_check(&p, note), "OpenBLAS");
    printf("mm of %s, %s, %d threads, %d runs, both by OpenBLAS for %s; both right\n", size, type,
           threads, repeat, openblas_get_corename());
    print("yoke", by_yoke, repeat);
    print("OpenBLAS", by_openblas, repeat);
    printf("ratio of medians %.3f, of the least %.3f\n",
           by_yoke[repeat / 2] / by_openblas[repeat / 2], by_yoke[0] / by_openblas[0]);
    must(app->detach(state), "mm");
    app->close(state);
    free(p.a);
    free(p.b);
    free(p.c);
    return yoke_close(rt) != YOKE_OK;
}
