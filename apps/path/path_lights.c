/* path_lights.c - chooses the light for a shadow ray, with a probability proportional to its power.
 * One draw is enough for any number of lights (A. J. Walker 1977, in the form of M. D. Vose 1991).
 */
#include <math.h>
#include <stdlib.h>

#include "../app.h"
#include "path_scene.h"

static double power(const struct path_scene *scene, const triangle_t *t)
{
    const material_t *m = &scene->materials[t->material];
    const double x = (double)t->ay * t->bz - (double)t->az * t->by;
    const double y = (double)t->az * t->bx - (double)t->ax * t->bz;
    const double z = (double)t->ax * t->by - (double)t->ay * t->bx;
    return sqrt(x * x + y * y + z * z) * ((double)m->emits_red + m->emits_green + m->emits_blue);
}

/* Scales `powers` to a mean of 1. A light below the mean is filled up from one above it, its alias.
 * `order` has the list of lights below the mean at its start, and the others at its end. */
static void make_aliases(struct path_scene *scene, double *powers, int64_t *order)
{
    const int64_t count = scene->light_count;
    int64_t small = 0, large = count;
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += powers[k];
    for (int64_t k = 0; k < count; k++) {
        const double share = powers[k] / sum;
        scene->lights[k].weight = (float)(0.5 / share);
        scene->lights[k].keep = 2; /* always; what is left at the end is 1 except for rounding */
        scene->lights[k].alias = (int32_t)k;
        powers[k] = share * (double)count;
        order[powers[k] < 1 ? small++ : --large] = k;
    }
    while (small > 0 && large < count) {
        const int64_t less = order[--small], more = order[large];
        scene->lights[less].keep = (float)powers[less];
        scene->lights[less].alias = (int32_t)more;
        powers[more] -= 1 - powers[less];
        if (powers[more] < 1) {
            large++;
            order[small++] = more;
        }
    }
}

static void find_lights(struct path_scene *scene, double *powers)
{
    int64_t row = 0;
    for (int64_t k = 0; k < scene->triangle_count; k++) {
        triangle_t *t = &scene->triangles[k];
        const double has = power(scene, t);
        t->light = has > 0 ? (int32_t)row : -1;
        if (has <= 0)
            continue;
        scene->lights[row].triangle = (int32_t)k;
        powers[row++] = has;
    }
}

yoke_status path_light(struct path_scene *scene)
{
    const char *what = "the lights of the scene";
    double *powers = NULL;
    int64_t *order = NULL;
    yoke_status status;
    scene->light_count = 0;
    for (int64_t k = 0; k < scene->triangle_count; k++)
        scene->light_count += power(scene, &scene->triangles[k]) > 0;
    /* at least one row: arrays must have rows */
    const int64_t rows = scene->light_count > 0 ? scene->light_count : 1;
    status = app_alloc(what, rows, sizeof *scene->lights, (void **)&scene->lights);
    if (status == YOKE_OK)
        status = app_alloc(what, rows, sizeof *powers, (void **)&powers);
    if (status == YOKE_OK)
        status = app_alloc(what, rows, sizeof *order, (void **)&order);
    if (status == YOKE_OK) {
        scene->lights[0] = (light_t){ .keep = 2 };
        find_lights(scene, powers);
        make_aliases(scene, powers, order);
    }
    free(order);
    free(powers);
    return status;
}
