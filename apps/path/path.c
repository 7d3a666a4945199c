/* path.c - a path tracer: it follows light backwards, from the eye from surface to surface. Chance
 * decides how long a path is (papers/002 section 5.1).
 *
 * One job computes all pixels; with --passes there are several jobs, and the picture improves with
 * each. The kernel that runs a pixel's index writes the pixel's row of results. The row does not
 * depend on the device. path_segment.h describes what happens to light.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "path_embree.h"
#include "path_pixel.h"
#include "path_state.h"

static void path_close(void *state)
{
    struct path_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->pixels);
    free(s->sums);
    free(s->owners);
    path_embree_close(s->embree);
    path_scene_close(&s->scene);
    free(s);
}

/* GPUs get the form of the plain kernel that keeps their lanes busy. */
static yoke_kernel plain_kernel(const struct path_state *s)
{
    yoke_kernel kernel = path_lanes;
    kernel.cpu = s->embree ? path_plain_by_embree.cpu : path_plain.cpu;
    return kernel;
}

static yoke_kernel step_kernel(const struct path_state *s)
{
    yoke_kernel kernel = path_steps;
    if (s->embree)
        kernel.cpu = path_steps_by_embree.cpu;
    return kernel;
}

static yoke_status path_open(struct app_spec *spec, void **state)
{
    struct path_state *s;
    yoke_status status = app_alloc("path", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = (struct path_state){ .pixels = NULL };
    status = path_settle(spec, s);
    s->kernel = spec->kernel == APP_KERNEL_STEP ? step_kernel(s) : plain_kernel(s);
    s->alternative = step_kernel(s);
    s->chooses = spec->kernel == APP_KERNEL_AUTO;
    if (status == YOKE_OK) {
        const struct app_data data = { "the pixels", s->setup.count, sizeof *s->pixels };
        status = app_data_alloc(&s->memory, &data, (void **)&s->pixels);
    }
    if (status == YOKE_OK && s->passes > 1)
        status = app_alloc("the pixels", s->setup.count, sizeof *s->sums, (void **)&s->sums);
    if (status == YOKE_OK && s->output)
        status = app_alloc("the pixels", s->setup.count, 1, (void **)&s->owners);
    if (status != YOKE_OK) {
        path_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static yoke_status path_detach(void *state)
{
    struct path_state *s = state;
    yoke_array **arrays[] = { &s->node_array, &s->triangle_array, &s->material_array,
                              &s->light_array, &s->pixel_array };
    yoke_status first = YOKE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        yoke_status status = yoke_array_close(*arrays[k]);
        *arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

static yoke_status path_attach(void *state, yoke_runtime *runtime)
{
    struct path_state *s = state;
    const struct path_scene *scene = &s->scene;
    const int64_t lights = scene->light_count > 0 ? scene->light_count : 1;
    const struct {
        yoke_array_spec spec;
        yoke_array **out;
    } arrays[] = {
        { { .host = scene->bvh.nodes,
            .rows = scene->bvh.node_count,
            .element_size = sizeof(node_t),
            .name = "nodes" },
          &s->node_array },
        { { .host = scene->triangles,
            .rows = scene->triangle_count,
            .element_size = sizeof(triangle_t),
            .name = "triangles" },
          &s->triangle_array },
        { { .host = scene->materials,
            .rows = scene->material_count,
            .element_size = sizeof(material_t),
            .name = "materials" },
          &s->material_array },
        { { .host = scene->lights,
            .rows = lights,
            .element_size = sizeof(light_t),
            .name = "lights" },
          &s->light_array },
        { { .host = s->pixels,
            .rows = s->setup.count,
            .element_size = sizeof(pixel_t),
            .name = "pixels" },
          &s->pixel_array },
    };
    yoke_status status = YOKE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == YOKE_OK; k++)
        status = yoke_array_open(runtime, &arrays[k].spec, arrays[k].out);
    if (status != YOKE_OK)
        path_detach(s);
    return status;
}

/* Makes the devices' copies of the scene invalid. */
static yoke_status forget_scene(const struct path_state *s)
{
    yoke_array *const arrays[] = { s->node_array, s->triangle_array, s->material_array,
                                   s->light_array };
    yoke_status status = YOKE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == YOKE_OK; k++) {
        status = yoke_array_acquire(arrays[k], YOKE_WRITE);
        if (status == YOKE_OK)
            status = yoke_array_release(arrays[k]);
    }
    return status;
}

static yoke_status path_reset(void *state)
{
    struct path_state *s = state;
    if (s->uploads) {
        yoke_status forgotten = forget_scene(s);
        if (forgotten != YOKE_OK)
            return forgotten;
    }
    yoke_status status = yoke_array_acquire(s->pixel_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    memset(s->pixels, 0, (size_t)s->setup.count * sizeof *s->pixels);
    if (s->sums)
        memset(s->sums, 0, (size_t)s->setup.count * sizeof *s->sums);
    return yoke_array_release(s->pixel_array);
}

/* Adds the result of a pass to the sums, and writes the sums back to `pixels`, where verify
 * reads. */
static yoke_status add_pass(struct path_state *s, int pass)
{
    yoke_status released, status = yoke_array_acquire(s->pixel_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < s->setup.count; i++) {
        pixel_t *sum = &s->sums[i], *now = &s->pixels[i];
        sum->red += now->red;
        sum->green += now->green;
        sum->blue += now->blue;
        sum->segments += now->segments;
        sum->shadows += now->shadows;
        *now = *sum;
    }
    if (s->output)
        status = path_write_png(s, s->samples * (pass + 1) / s->passes);
    released = yoke_array_release(s->pixel_array);
    return status != YOKE_OK ? status : released;
}

static yoke_status path_run(void *state, struct app_run *run)
{
    struct path_state *s = state;
    yoke_status status = YOKE_OK;
    app_run_owners(run, s->owners);
    for (int pass = 0; pass < s->passes && status == YOKE_OK; pass++) {
        path_setup_t setup = s->setup;
        setup.first = (int32_t)(s->samples * pass / s->passes);
        setup.last = (int32_t)(s->samples * (pass + 1) / s->passes);
        const yoke_job job = {
            .kernel = &s->kernel,
            .alternative = s->chooses ? &s->alternative : NULL,
            .range = { .last = setup.count },
            .args = { yoke_value(setup), yoke_in_whole(s->node_array),
                      yoke_in_whole(s->triangle_array), yoke_in_whole(s->material_array),
                      yoke_in_whole(s->light_array), yoke_out_home(s->pixel_array) },
        };
        status = app_run_job(run, &job);
        if (status == YOKE_OK && s->sums)
            status = add_pass(s, pass);
        if (status == YOKE_OK)
            status = app_progress(run, pass + 1, s->passes);
    }
    return status;
}

static int64_t path_items(const void *state)
{
    return ((const struct path_state *)state)->setup.count;
}

static double path_work(const void *state)
{
    const struct path_rays rays = path_rays(state);
    return (double)(rays.primary + rays.secondary + rays.shadow);
}

const struct app app_path = {
    .name = "path",
    .summary = "a path tracer: light in a room with a model; irregular: paths end at random",
    .size_words = "samples of a pixel",
    .size_count = 1,
    .options = path_options,
    .offers_steps = 1,
    .reads_input = 1,
    .writes_output = 1,
    .open = path_open,
    .close = path_close,
    .attach = path_attach,
    .detach = path_detach,
    .reset = path_reset,
    .run = path_run,
    .verify = path_verify,
    .items = path_items,
    .work_words = "rays",
    .work = path_work,
    .report = path_report,
};
