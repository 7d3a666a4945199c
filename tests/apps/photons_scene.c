/* photons_scene.c - from input lines to tallies, with the application's own functions. */
#include "photons_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app_machine.h"

extern const struct app app_photons;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != YOKE_OK)                                                                     \
            fail_msg("%s: %s", #call, app_error_text());                                           \
    } while (0)

const struct scene scene_tissue = { "1\n1.37 3 120 0.85 0.01 yield 0.2 1.37 2 100 0.9\n"
                                    "1.5 0 0 0 0.01\n"
                                    "1.4 20 60 0 0.02 yield 0.9 1.36 0.5 70 -0.3\n"
                                    "1.33 1 10 1 0.05\n1.1",
                                    4, 30011 };

static void write_file(const struct scene *scene, char path[32])
{
    FILE *file;
    int handle;
    strcpy(path, "/tmp/photons-XXXXXX");
    handle = mkstemp(path);
    file = fdopen(handle, "w");
    assert_non_null(file);
    fprintf(file, "1.0\n1\nscene.mco A\n%lld\n1e-3 2e-3\n40 50 20\n%d\n%s\n",
            (long long)scene->packets, scene->count, scene->layers);
    fclose(file);
}

static void resize(yoke_step *step, const yoke_step *sizes)
{
    step->room = sizes->room;
    step->turns = sizes->turns;
    step->groups = sizes->groups;
}

static void open_state(struct app_spec *spec, const struct scene *scene, void **state)
{
    char path[32];
    for (int k = 0; app_photons.options[k].name; k++)
        spec->values[k] = app_photons.options[k].initial;
    if (scene->events)
        spec->values[1] = scene->events;
    if (!scene->input) {
        write_file(scene, path);
        spec->input = path;
    }
    OK(app_photons.open(spec, state));
    if (!scene->input)
        unlink(path);
    resize(&((struct photons_state *)*state)->kernel.step, &scene->step);
    resize(&((struct photons_state *)*state)->alternative.step, &scene->step);
}

struct photons_state *scene_open(const struct scene *scene)
{
    const struct measure_watch watch = { 0 };
    yoke_runtime *rt = app_machine_open(scene->devices ? scene->devices : "cpu");
    struct app_run run = {
        .runtime = rt, .partitioner = scene->partitioner, .watch = &watch, .what = "test"
    };
    struct app_spec spec = { .size = { scene->input ? scene->packets : 0 },
                             .seed = scene->seed ? scene->seed : 1,
                             .input = scene->input,
                             .kernel = scene->kernel };
    void *state;
    if (!rt)
        return NULL;
    open_state(&spec, scene, &state);
    OK(app_photons.attach(state, rt));
    OK(app_photons.reset(state));
    OK(app_photons.run(state, &run));
    OK(app_photons.detach(state));
    app_tally_clear(&run.tally);
    OK(yoke_close(rt));
    return state;
}

void scene_close(struct photons_state *state)
{
    app_photons.close(state);
}

double scene_share(const struct photons_state *state, int64_t units)
{
    return photons_share(state, units);
}

void scene_near(const char *what, double share, double right, int64_t packets)
{
    const double allowed = 4 * sqrt(right * (1 - right) / (double)packets) + 5e-5;
    if (!(fabs(share - right) <= allowed))
        fail_msg("%s is %.7f and should be %.7f within %.1e", what, share, right, allowed);
}

int64_t scene_slots(const struct photons_state *state)
{
    return (int64_t)state->slots * state->wavelengths;
}
