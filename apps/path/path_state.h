/* path_state.h - what the application's files share. */
#ifndef YOKE_APPS_PATH_STATE_H
#define YOKE_APPS_PATH_STATE_H

#include <stdio.h>

#include "../app.h"
#include "path_kernels.h"
#include "path_scene.h"

struct path_state {
    struct path_scene scene;
    struct path_embree *embree; /* who follows rays on cores; NULL: path_bvh.h */
    path_setup_t setup;
    int64_t width, height;
    int64_t samples; /* of a pixel */
    int passes;      /* jobs that these are divided among */
    uint64_t seed;
    struct app_memory memory;
    const char *output;              /* --output, or NULL */
    yoke_kernel kernel, alternative; /* the other one, if devices choose */
    int chooses;
    int uploads;     /* 1: devices get the scene anew in every run */
    pixel_t *pixels; /* setup.count rows: the latest pass, or, once it ran, all of them */
    pixel_t *sums;   /* of the passes so far; NULL where there is one only */
    uint8_t *owners; /* of rows, which device did them last; NULL without --output */
    yoke_array *node_array, *triangle_array, *material_array, *light_array, *pixel_array;
};

/* path_options.c: from the words of the user to all of the state but its arrays. */
extern const struct app_option path_options[];
yoke_status path_settle(struct app_spec *spec, struct path_state *state);

/* path_view.c: where rays begin and go, from a view in the scene's own coordinates. `view` has a
 * direction and an angle that are possible. */
void path_look(struct path_state *state, const struct path_scene_view *view);

/* path_output.c: all rays of the picture, which is on the host. */
struct path_rays {
    int64_t primary, secondary, shadow;
};
struct path_rays path_rays(const struct path_state *state);
/* path_check.c */
yoke_status path_verify(void *state, char *note);
/* path_output.c: figures to `out`, and with --output the pictures. */
yoke_status path_report(void *state, FILE *out);
/* The picture so far, after `samples` samples: PREFIX.png. */
yoke_status path_write_png(const struct path_state *state, int64_t samples);

/* path_reference.c: the same picture by other means: in double precision, with its own tree and
 * random numbers, light looked for evenly over all emitters, no roulette. Paths through a grid of
 * parts of the picture. */
enum { PATH_SIDE = 6, PATH_PARTS = PATH_SIDE * PATH_SIDE };
struct path_moments {
    int64_t paths;
    double mean, variance; /* of one path: red, green and blue added up */
};
yoke_status path_refer(const struct path_state *state, struct path_moments moments[PATH_PARTS]);
/* The part that a pixel is of. */
int path_part(const struct path_state *state, int64_t x, int64_t y);

#endif
