/* path_state.h - what the application's files share. */
#ifndef YOKE_APPS_PATH_STATE_H
#define YOKE_APPS_PATH_STATE_H

#include <stdio.h>

#include "../app.h"
#include "path_kernels.h"
#include "path_scene.h"

struct path_state {
    struct path_scene scene;
    struct path_embree *embree; /* traces rays on cores; NULL: path_bvh.h does */
    path_setup_t setup;
    int64_t width, height;
    int64_t samples; /* per pixel */
    int passes;      /* number of jobs; the samples are divided among them */
    uint64_t seed;
    struct app_memory memory;
    const char *output;              /* --output, or NULL */
    yoke_kernel kernel, alternative; /* the other kernel, if devices choose */
    int chooses;
    int uploads; /* 1: each run sends the scene to devices again */
    /* setup.count rows: the latest pass; after a pass was added to `sums`, the sum so far. */
    pixel_t *pixels;
    pixel_t *sums;   /* of the passes so far; NULL: there is only one pass */
    uint8_t *owners; /* per row, the device that computed it last; NULL without --output */
    yoke_array *node_array, *triangle_array, *material_array, *light_array, *pixel_array;
};

/* path_options.c: fills the state from the user's options, except its arrays. */
extern const struct app_option path_options[];
yoke_status path_settle(struct app_spec *spec, struct path_state *state);

/* path_view.c: sets where rays begin and go, from a view in the scene's own coordinates. The view's
 * direction and angle must be valid. */
void path_look(struct path_state *state, const struct path_scene_view *view);

/* path_output.c: the number of rays of the picture; its pixels must be on the host. */
struct path_rays {
    int64_t primary, secondary, shadow;
};
struct path_rays path_rays(const struct path_state *state);
/* path_check.c */
yoke_status path_verify(void *state, char *note);
/* path_output.c: writes figures to `out`, and with --output the pictures. */
yoke_status path_report(void *state, FILE *out);
/* Writes the picture after `samples` samples to PREFIX.png. */
yoke_status path_write_png(const struct path_state *state, int64_t samples);

/* path_reference.c: the same picture by other means: double precision, its own tree and random
 * numbers, points uniform over all lights, no roulette. The results are moments of the paths in
 * each part of the picture; the parts form a grid. */
enum { PATH_SIDE = 6, PATH_PARTS = PATH_SIDE * PATH_SIDE };
struct path_moments {
    int64_t paths;
    double mean, variance; /* of one path: red + green + blue */
};
yoke_status path_refer(const struct path_state *state, struct path_moments moments[PATH_PARTS]);
/* The part that contains a pixel. */
int path_part(const struct path_state *state, int64_t x, int64_t y);

#endif
