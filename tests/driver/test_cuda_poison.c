/* test_cuda_poison.c - a kernel really accesses an illegal address on a GPU: from then on every
 * call in that context fails. The other devices and backends finish the job, rows that only that
 * GPU had are reported lost, and later jobs run without it.
 *
 *     test_cuda_poison [DEVICES, one of them cuda:0]...
 *
 * Each test runs in a child process, because a driver may not survive the fault; afterwards the GPU
 * works for another process. Runs on the stand-in driver, and on the real one if there is an NVIDIA
 * GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>
#include <yoke/yoke.h>

extern const yoke_kernel k_stray;

enum { ROWS = 100000, HANGS_SECONDS = 120, NO_DEVICE = 77 };

struct scene {
    yoke_runtime *runtime;
    yoke_array *x, *y, *kept;
    uint32_t xs[ROWS], ys[ROWS], kept_rows[ROWS];
};

/* For the child process: the test's outcome is its exit status. */
#define HOLDS(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, yoke_error_text());              \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static yoke_array *open_array(struct scene *scene, uint32_t *rows, const char *name)
{
    yoke_array_spec spec = {
        .host = rows, .rows = ROWS, .element_size = sizeof *rows, .name = name
    };
    yoke_array *array;
    HOLDS(yoke_array_open(scene->runtime, &spec, &array) == YOKE_OK);
    return array;
}

static void open_scene(struct scene *scene, const char *devices)
{
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &scene->runtime);
    int i;
    if (status == YOKE_ENODEV) {
        printf("%s: %s\n", devices, yoke_error_text());
        _exit(NO_DEVICE);
    }
    HOLDS(status == YOKE_OK);
    for (i = 0; i < ROWS; i++)
        scene->xs[i] = (uint32_t)i;
    scene->x = open_array(scene, scene->xs, "xs");
    scene->y = open_array(scene, scene->ys, "ys");
    scene->kept = open_array(scene, scene->kept_rows, "kept");
}

/* Gives all devices about the same share. */
static yoke_status job(struct scene *scene, yoke_array *to, int64_t stray_from)
{
    yoke_job job = { .kernel = &k_stray,
                     .range = { 0, ROWS, { 0, 0 } },
                     .partitioner = "even",
                     .args = { yoke_value(stray_from), yoke_in(scene->x), yoke_out(to) } };
    return yoke_run(scene->runtime, &job, NULL);
}

static void check_rows(const uint32_t *rows)
{
    int i;
    for (i = 0; i < ROWS; i++)
        if (rows[i] != 2 * (uint32_t)i + 1) {
            fprintf(stderr, "row %d is %u\n", i, rows[i]);
            _exit(1);
        }
}

static int lost_devices(const struct scene *scene)
{
    int d, lost = 0;
    for (d = 0; d < yoke_device_count(scene->runtime); d++) {
        yoke_device device;
        HOLDS(yoke_device_get(scene->runtime, d, &device) == YOKE_OK);
        lost += device.lost;
        HOLDS(!device.lost || strcmp(device.backend, "cuda") == 0);
    }
    return lost;
}

static void fault(const char *devices)
{
    static struct scene scene;
    yoke_status status;
    open_scene(&scene, devices);
    HOLDS(job(&scene, scene.kept, ROWS) ==
          YOKE_OK); /* no illegal address; results stay on the devices */
    HOLDS(lost_devices(&scene) == 0);
    HOLDS(job(&scene, scene.y, 0) == YOKE_OK);
    HOLDS(lost_devices(&scene) >= 1);
    HOLDS(yoke_array_acquire(scene.y, YOKE_READ) == YOKE_OK);
    check_rows(scene.ys);
    status = yoke_array_acquire(scene.kept, YOKE_READ);
    HOLDS(status == YOKE_ELOST);
    HOLDS(strstr(yoke_error_text(), "array kept: rows "));
    HOLDS(job(&scene, scene.kept, 0) == YOKE_OK); /* the remaining devices write it again */
    HOLDS(yoke_array_acquire(scene.kept, YOKE_READ) == YOKE_OK);
    check_rows(scene.kept_rows);
    HOLDS(yoke_array_close(scene.x) == YOKE_OK);
    HOLDS(yoke_array_close(scene.y) == YOKE_OK);
    HOLDS(yoke_array_close(scene.kept) == YOKE_OK);
    HOLDS(yoke_close(scene.runtime) == YOKE_OK);
}

static void no_fault(const char *devices)
{
    static struct scene scene;
    open_scene(&scene, devices);
    HOLDS(job(&scene, scene.y, ROWS) == YOKE_OK);
    HOLDS(yoke_array_acquire(scene.y, YOKE_READ) == YOKE_OK);
    check_rows(scene.ys);
    HOLDS(lost_devices(&scene) == 0);
    yoke_array_close(scene.x);
    yoke_array_close(scene.y);
    yoke_array_close(scene.kept);
    HOLDS(yoke_close(scene.runtime) == YOKE_OK);
}

/* The child's exit status; 1 for a signal. */
static int in_a_child(void (*test)(const char *devices), const char *devices)
{
    int status;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        alarm(HANGS_SECONDS);
        test(devices);
        exit(0); /* so that the driver's exit handlers run too */
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", devices, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    static char usual[] = "cpu:2,cuda:0";
    char *fallback[] = { argv[0], usual };
    int i, outcome = 0, ran = 0;
    if (argc < 2) {
        argv = fallback;
        argc = 2;
    }
    for (i = 1; i < argc && (outcome == 0 || outcome == NO_DEVICE); i++) {
        outcome = in_a_child(fault, argv[i]);
        if (outcome == 0)
            outcome = in_a_child(no_fault, argv[i]);
        ran += outcome == 0;
        printf("%s: %s\n", argv[i],
               outcome == 0           ? "as it should be"
               : outcome == NO_DEVICE ? "not here"
                                      : "not so");
    }
    return outcome == NO_DEVICE && ran ? 0 : outcome;
}
