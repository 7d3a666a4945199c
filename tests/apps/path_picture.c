/* path_picture.c - from options to pixels, with the application's own functions. */
#include "path_picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app_machine.h"

extern const struct app app_path;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s", #call, app_error_text());                                           \
    } while (0)

struct files {
    char folder[32], model[64], materials[64];
};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_files(const struct picture_of *of, struct files *files)
{
    strcpy(files->folder, "/tmp/path-XXXXXX");
    assert_non_null(mkdtemp(files->folder));
    snprintf(files->model, sizeof files->model, "%s/scene.obj", files->folder);
    snprintf(files->materials, sizeof files->materials, "%s/scene.mtl", files->folder);
    write_text(files->model, of->model);
    if (of->materials)
        write_text(files->materials, of->materials);
}

static void remove_files(const struct files *files)
{
    unlink(files->model);
    unlink(files->materials);
    rmdir(files->folder);
}

static void set_option(struct app_spec *spec, const char *name, const char *value)
{
    for (int k = 0; app_path.options[k].name; k++)
        if (strcmp(app_path.options[k].name, name) == 0) {
            spec->values[k] = value;
            return;
        }
    fail_msg("there is no option %s", name);
}

static void *open_picture(const struct picture_of *of)
{
    struct app_spec spec = { .size = { of->samples },
                             .seed = of->seed ? of->seed : 1,
                             .kernel = of->kernel };
    struct files files;
    void *state;
    for (int k = 0; app_path.options[k].name; k++)
        spec.values[k] = app_path.options[k].initial;
    for (int k = 0; of->words[k]; k += 2)
        set_option(&spec, of->words[k], of->words[k + 1]);
    if (of->model) {
        write_files(of, &files);
        spec.input = files.model;
    }
    OK(app_path.open(&spec, &state));
    if (of->model)
        remove_files(&files);
    return state;
}

struct path_state *path_picture(const struct picture_of *of)
{
    const struct measure_watch watch = { 0 };
    yoke_runtime *rt = app_machine_open(of->devices ? of->devices : "cpu");
    struct app_run run = {
        .runtime = rt, .partitioner = of->partitioner, .watch = &watch, .what = "test"
    };
    void *state;
    if (!rt)
        return NULL;
    state = open_picture(of);
    OK(app_path.attach(state, rt));
    OK(app_path.reset(state));
    OK(app_path.run(state, &run));
    app_tally_clear(&run.tally);
    OK(app_path.detach(state));
    OK(yoke_close(rt));
    return state;
}

void path_picture_free(struct path_state *state)
{
    app_path.close(state);
}

struct path_mean path_mean_of(const struct path_state *s)
{
    const double n = (double)(s->width * s->height), per = 1 / (3.0 * (double)s->samples);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < s->setup.count; i++) {
        const pixel_t *p = &s->pixels[i];
        const double light = per * ((double)p->red + p->green + p->blue);
        sum += light;
        squares += light * light;
    }
    return (struct path_mean){ sum / n, sqrt(fmax(squares / n - sum / n * (sum / n), 0) / n) };
}
