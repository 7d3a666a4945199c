/* path_options.c - the user's options for the picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../app.h"
#include "../number.h"
#include "path_embree.h"
#include "path_state.h"

enum {
    OPTION_SHADOWS,
    OPTION_DEPTH,
    OPTION_ROULETTE,
    OPTION_PASSES,
    OPTION_COPIES,
    OPTION_SKY,
    OPTION_FOV,
    OPTION_NUMBERS, /* options above are single numbers */
    OPTION_PICTURE = OPTION_NUMBERS,
    OPTION_SCENE,
    OPTION_SURFACE,
    OPTION_EYE,
    OPTION_LOOK,
    OPTION_COHERENT,
    OPTION_UPLOAD,
    OPTION_RAYS,
    OPTIONS
};

const struct app_option path_options[] = {
    [OPTION_SHADOWS] = { "shadows", "N", "1",
                         "shadow rays wherever a path meets a surface; with 0 "
                         "it has to find the light by chance" },
    [OPTION_DEPTH] = { "depth", "N", "32", "end a path after this number of bounces" },
    [OPTION_ROULETTE] = { "roulette", "N", "3",
                          "from this bounce on end dark paths by chance; at --depth: never" },
    [OPTION_PASSES] = { "passes", "N", "1",
                        "divide the samples among N jobs, and write the picture after each" },
    [OPTION_COPIES] = { "copies", "N", "1", "put N copies of the model into the room" },
    [OPTION_SKY] = { "sky", "L", "auto",
                     "light of the background; auto: 1 if the scene has no other light" },
    [OPTION_FOV] = { "fov", "DEGREES", "37", "height of what is seen" },
    [OPTION_PICTURE] = { "picture", "WxH", "1024x1024", "pixels" },
    [OPTION_SCENE] = { "scene", "NAME", "room",
                       "room: the model in the Cornell box; blocks: the box with its two blocks; "
                       "alone: the model only" },
    [OPTION_SURFACE] = { "surface", "KIND", "own",
                         "surface of the model: diffuse, mirror, glass, mixed (copy by copy), or "
                         "its own" },
    [OPTION_EYE] = { "eye", "X,Y,Z", "auto",
                     "position of the eye; for a model alone in its file's coordinates" },
    [OPTION_LOOK] = { "look", "X,Y,Z", "auto", "point in the middle of the picture" },
    [OPTION_COHERENT] = { "coherent", NULL, "0",
                          "let 32 pixels far from each other share their random numbers" },
    [OPTION_UPLOAD] = { "upload", NULL, "0",
                        "send the scene to devices in every run, as if it was new" },
    [OPTION_RAYS] = { "rays", "WHOSE", "own",
                      "on cores: own; or embree, where Embree 3 is installed: faster, and then "
                      "pictures are the same within noise, no longer to the bit" },
    [OPTIONS] = { NULL, NULL, NULL, NULL },
};

static const char bunny[] = "/usr/share/glmark2/models/bunny.obj";
enum { DEFAULT_SAMPLES = 64, SIDE_MOST = 32768 };

/* Finds `text` in `names` (NULL ends them); `*out` is its index. */
static yoke_status read_name(const char *option, const char *text, const char *const *names,
                             int *out)
{
    char all[128] = "";
    for (int k = 0; names[k]; k++) {
        if (strcmp(names[k], text) == 0) {
            *out = k;
            return YOKE_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", names[k]);
    }
    return app_mistake("--%s %s: choose one of %s", option, text, all);
}

static yoke_status read_point(const char *option, const char *text, double *out)
{
    char *end = (char *)text;
    int k;
    for (k = 0; k < 3; k++) {
        const char *start = end;
        out[k] = strtod(start, &end);
        if (end == start || !isfinite(out[k]) || fabs(out[k]) > 1e18 || *end != (k < 2 ? ',' : 0))
            break;
        end += k < 2;
    }
    if (k == 3)
        return YOKE_OK;
    return app_mistake("--%s %s: three numbers are needed, as in --%s 278,273,-800", option, text,
                       option);
}

static yoke_status read_picture(const char *text, struct path_state *s)
{
    int end = 0;
    long long width, height;
    if (sscanf(text, "%9lldx%9lld%n", &width, &height, &end) != 2 || text[end] || width < 1 ||
        height < 1 || width > SIDE_MOST || height > SIDE_MOST || width * height > (1 << 28))
        return app_mistake(
            "--picture %s: width and height are needed, from 1x1 to %dx%d and no more "
            "than 2^28 pixels, as in --picture 1024x768",
            text, SIDE_MOST, SIDE_MOST);
    s->width = width;
    s->height = height;
    return YOKE_OK;
}

static yoke_status choose_scene(const struct app_spec *spec, struct path_scene_spec *out)
{
    static const char *const scenes[] = { "room", "blocks", "alone", NULL };
    static const char *const surfaces[] = { "own", "diffuse", "mirror", "glass", "mixed", NULL };
    int scene = 0, surface = 0;
    yoke_status status = read_name("scene", spec->values[OPTION_SCENE], scenes, &scene);
    if (status == YOKE_OK)
        status = read_name("surface", spec->values[OPTION_SURFACE], surfaces, &surface);
    if (status != YOKE_OK)
        return status;
    out->kind = (enum path_scene_kind)scene;
    out->surface = (enum path_scene_surface)surface;
    out->model = spec->input;
    if (out->kind == SCENE_BLOCKS && spec->input)
        return app_mistake("--scene blocks has no place for %s; leave --scene out", spec->input);
    if (out->kind == SCENE_ALONE && !spec->input)
        return app_mistake("--scene alone needs a model: --input FILE");
    if (out->kind != SCENE_ROOM && out->copies > 1)
        return app_mistake("--copies are for --scene room, which has a floor");
    if (!out->model && out->kind == SCENE_ROOM) {
        out->model = bunny;
        if (access(bunny, R_OK) != 0)
            return app_fail(YOKE_EIO,
                            "the Stanford bunny is not at %s: install glmark2-data, name another "
                            "model with --input, or say --scene blocks",
                            bunny);
    }
    return YOKE_OK;
}

/* For a model alone, the user's coordinates are those of its file. */
static yoke_status choose_view(const struct app_spec *spec, double degrees, struct path_state *s)
{
    static const char *const names[] = { "eye", "look" };
    static const int options[] = { OPTION_EYE, OPTION_LOOK };
    struct path_scene_view view = s->scene.view;
    double *const points[] = { view.eye, view.look };
    double far = 0, side = 0;
    view.degrees = degrees;
    for (int k = 0; k < 2; k++) {
        if (strcmp(spec->values[options[k]], "auto") == 0)
            continue;
        yoke_status status = read_point(names[k], spec->values[options[k]], points[k]);
        if (status != YOKE_OK)
            return status;
        for (int d = 0; d < 3; d++)
            points[k][d] = (points[k][d] - s->scene.centre[d]) * s->scene.per;
    }
    for (int d = 0; d < 3; d++) {
        far += fabs(view.look[d] - view.eye[d]);
        side += d == 1 ? 0 : fabs(view.look[d] - view.eye[d]);
        if (fabs(view.eye[d]) > 1e6)
            return app_mistake("--eye %s is thousands of times as far away as the scene is large",
                               spec->values[OPTION_EYE]);
    }
    if (far < 1e-6)
        return app_mistake("--eye and --look are one point: there is no direction");
    if (side < 1e-9 * far) /* straight up or down: the Y axis does not define "up" */
        view.look[2] += 1e-6 * far;
    path_look(s, &view);
    return YOKE_OK;
}

static void choose_stride(path_setup_t *setup)
{
    int64_t a = (int64_t)(setup->count * 0.6180339887498949), b, c;
    for (a += a == 0;; a++) { /* the next number without a common divisor with count */
        for (b = a, c = setup->count; c != 0;) {
            const int64_t rest = b % c;
            b = c;
            c = rest;
        }
        if (b == 1)
            break;
    }
    setup->stride = (int32_t)a;
}

static yoke_status settle_numbers(const struct app_spec *spec, double *numbers)
{
    static const struct number_kind kinds[OPTION_NUMBERS] = {
        [OPTION_SHADOWS] = { "shadows", 0, 1000, 1 },
        [OPTION_DEPTH] = { "depth", 0, PATH_DEPTH_MOST, 1 },
        [OPTION_ROULETTE] = { "roulette", 0, PATH_DEPTH_MOST, 1 },
        [OPTION_PASSES] = { "passes", 1, PATH_SAMPLES_MOST, 1 },
        [OPTION_COPIES] = { "copies", 1, 10000, 1 },
        [OPTION_SKY] = { "sky", 0, 1e6, 0 },
        [OPTION_FOV] = { "fov", 0.01, 170, 0 },
    };
    yoke_status status = YOKE_OK;
    for (int k = 0; k < OPTION_NUMBERS && status == YOKE_OK; k++) {
        numbers[k] = -1;
        if (k != OPTION_SKY || strcmp(spec->values[k], "auto") != 0)
            status = number_read(&kinds[k], spec->values[k], &numbers[k]);
    }
    return status;
}

static void settle_setup(const double *numbers, struct path_state *s)
{
    const double sky = numbers[OPTION_SKY];
    const int32_t across = (int32_t)((s->width + PATH_TILE_WIDTH - 1) / PATH_TILE_WIDTH);
    const int32_t down = (int32_t)((s->height + PATH_TILE_HEIGHT - 1) / PATH_TILE_HEIGHT);
    s->passes = (int)numbers[OPTION_PASSES];
    s->setup = (path_setup_t){
        .seed_low = (uint32_t)s->seed,
        .seed_high = (uint32_t)(s->seed >> 32),
        .width = (int32_t)s->width,
        .height = (int32_t)s->height,
        .tiles = across,
        .count = across * down * PATH_TILE,
        .bundle = 1,
        .last = (int32_t)s->samples,
        .depth = (int32_t)numbers[OPTION_DEPTH],
        .shadows = (int32_t)numbers[OPTION_SHADOWS],
        .roulette = (int32_t)numbers[OPTION_ROULETTE],
        .light_count = (int32_t)s->scene.light_count,
        .per_shadow = (float)(0.31830988618379067 / fmax(numbers[OPTION_SHADOWS], 1)),
        .nudge = (float)(s->scene.most * 0x1p-17),
        .sky = sky >= 0 ? (float)sky : s->scene.light_count == 0,
    };
}

static yoke_status choose_rays(const struct app_spec *spec, struct path_state *s)
{
    static const char *const whose[] = { "own", "embree", NULL };
    const struct path_embree_spec scene = { s->scene.triangles, s->scene.triangle_count,
                                            EMBREE_HIGH };
    int embree = 0;
    yoke_status status = read_name("rays", spec->values[OPTION_RAYS], whose, &embree);
    if (status == YOKE_OK && embree)
        status = path_embree_open(&scene, &s->embree);
    s->setup.embree = (uint64_t)(uintptr_t)s->embree;
    return status;
}

yoke_status path_settle(struct app_spec *spec, struct path_state *s)
{
    double numbers[OPTION_NUMBERS];
    struct path_scene_spec scene = { .kind = SCENE_ROOM };
    yoke_status status = settle_numbers(spec, numbers);
    if (status == YOKE_OK)
        status = read_picture(spec->values[OPTION_PICTURE], s);
    if (spec->size[0] == 0)
        spec->size[0] = DEFAULT_SAMPLES;
    if (status == YOKE_OK && (spec->size[0] < 1 || spec->size[0] > PATH_SAMPLES_MOST))
        status = app_mistake("--size %lld: samples of a pixel are from 1 to %d",
                             (long long)spec->size[0], PATH_SAMPLES_MOST);
    if (status == YOKE_OK && numbers[OPTION_PASSES] > (double)spec->size[0])
        status = app_mistake("--passes %s are more than there are samples (--size %lld)",
                             spec->values[OPTION_PASSES], (long long)spec->size[0]);
    if (status != YOKE_OK)
        return status;
    s->samples = spec->size[0];
    s->seed = spec->seed;
    s->memory = spec->memory;
    s->output = spec->output;
    s->uploads = strcmp(spec->values[OPTION_UPLOAD], "1") == 0;
    scene.copies = (int)numbers[OPTION_COPIES];
    status = choose_scene(spec, &scene);
    if (status == YOKE_OK)
        status = path_scene_open(&scene, &s->scene);
    if (status != YOKE_OK)
        return status;
    settle_setup(numbers, s);
    if (strcmp(spec->values[OPTION_COHERENT], "1") == 0) {
        s->setup.bundle = PATH_BUNDLE;
        choose_stride(&s->setup);
    }
    status = choose_view(spec, numbers[OPTION_FOV], s);
    return status == YOKE_OK ? choose_rays(spec, s) : status;
}
