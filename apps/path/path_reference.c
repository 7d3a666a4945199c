/* path_reference.c - computes the picture again, as simply as possible.
 *
 * It uses double precision, the host's random numbers, a tree that halves its triangles at the
 * middle, lights chosen by area, and paths that end only at --depth. It shares nothing with
 * path_segment.h but the triangles and the setup.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../random.h"
#include "path_reference_tree.h"
#include "path_state.h"

enum { LEAST = 512 };
static const double RAYS_MOST = 1.5e6; /* some seconds of one core; a small picture needs fewer */

struct reference {
    const struct path_state *state;
    struct reference_tree tree;
    double *areas; /* cumulated areas of the lights */
    uint64_t draws;
    double rays;
};

static double draw(struct reference *r)
{
    return random_uniform(r->state->seed ^ 0x70617468, r->draws++);
}

static struct seen look(struct reference *r, const double *from, const double *d, double far)
{
    r->rays++;
    return reference_look(&r->tree, from, d, far);
}

/* --- a path --- */

struct follow {
    double at[3], d[3], share[3], sum;
    int sees; /* 1: light from an emitter that the next ray meets counts */
};

static void scatter(struct reference *r, const double *n, double *d)
{
    double length;
    /* A point in the ball above the surface: its direction's density is proportional to the
     * cosine. */
    do {
        for (int k = 0; k < 3; k++)
            d[k] = 2 * draw(r) - 1;
        length = dot(d, d);
    } while (length > 1 || length < 1e-12);
    make_unit(d);
    for (int k = 0; k < 3; k++)
        d[k] += n[k];
    make_unit(d);
}

static double times_emission(const double *share, const material_t *m)
{
    return share[0] * m->emits_red + share[1] * m->emits_green + share[2] * m->emits_blue;
}

/* Adds the light of one point; all points of all lights are equally likely. */
static void gather(struct reference *r, struct follow *f, const double *n)
{
    const struct path_scene *scene = &r->state->scene;
    const double area = r->areas[scene->light_count - 1], at = draw(r) * area;
    int64_t low = 0, high = scene->light_count - 1;
    while (low < high) {
        const int64_t mid = (low + high) / 2;
        if (r->areas[mid] > at)
            high = mid;
        else
            low = mid + 1;
    }
    const triangle_t *t = &scene->triangles[scene->lights[low].triangle];
    const double a[3] = { t->ax, t->ay, t->az }, b[3] = { t->bx, t->by, t->bz };
    const double root = sqrt(draw(r)), v = draw(r);
    const double to[3] = { t->x + (1 - root) * a[0] + root * v * b[0] - f->at[0],
                           t->y + (1 - root) * a[1] + root * v * b[1] - f->at[1],
                           t->z + (1 - root) * a[2] + root * v * b[2] - f->at[2] };
    const struct point lit = cross(a, b);
    const double d2 = dot(to, to);
    const double cosines = dot(n, to) * -dot(lit.v, to) / (d2 * sqrt(dot(lit.v, lit.v)));
    if (dot(n, to) <= 0 || dot(lit.v, to) >= 0 || d2 == 0)
        return;
    if (!look(r, f->at, to, 1 - 1e-6).triangle)
        f->sum += cosines / d2 * area / 3.14159265358979323846 *
                  times_emission(f->share, &scene->materials[t->material]);
}

/* Snell's and Fresnel's laws, in their textbook form. */
static int refract(struct reference *r, double index, const double *n, double *d)
{
    const double cos1 = -dot(n, d), sin2 = index * sqrt(fmax(0, 1 - cos1 * cos1));
    if (sin2 >= 1)
        return 0;
    const double cos2 = sqrt(1 - sin2 * sin2);
    const double across = (index * cos1 - cos2) / (index * cos1 + cos2);
    const double along = (index * cos2 - cos1) / (index * cos2 + cos1);
    if (draw(r) < (across * across + along * along) / 2)
        return 0;
    for (int k = 0; k < 3; k++)
        d[k] = index * d[k] + (index * cos1 - cos2) * n[k];
    make_unit(d);
    return 1;
}

/* A surface that a path met. */
struct surface {
    const material_t *material;
    const double *n; /* its normal, on the side of the ray */
    int inside;      /* 1: the ray came to the unlit side */
};

/* Chooses the path's direction after a surface. */
static void turn(struct reference *r, struct follow *f, const struct surface *surface)
{
    const double nudge = r->state->setup.nudge, *n = surface->n;
    const material_t *m = surface->material;
    int through = 0;
    if (m->kind == MATERIAL_DIFFUSE)
        scatter(r, n, f->d);
    else if (m->kind == MATERIAL_GLASS)
        through = refract(r, surface->inside ? m->index : 1 / (double)m->index, n, f->d);
    if (m->kind != MATERIAL_DIFFUSE && !through) {
        const double twice = 2 * dot(n, f->d);
        for (int k = 0; k < 3; k++)
            f->d[k] -= twice * n[k];
    }
    for (int k = 0; through && k < 3; k++)
        f->at[k] -= 2 * nudge * n[k];
    f->sees = m->kind != MATERIAL_DIFFUSE || r->state->setup.shadows == 0;
}

/* Follows one segment. Returns 0 if the path ends. */
static int segment(struct reference *r, struct follow *f, int bounce)
{
    const path_setup_t *setup = &r->state->setup;
    const struct path_scene *scene = &r->state->scene;
    const struct seen seen = look(r, f->at, f->d, DBL_MAX);
    if (!seen.triangle) {
        f->sum += setup->sky * (f->share[0] + f->share[1] + f->share[2]);
        return 0;
    }
    const triangle_t *t = seen.triangle;
    const material_t *m = &scene->materials[t->material];
    struct point n = cross((double[]){ t->ax, t->ay, t->az }, (double[]){ t->bx, t->by, t->bz });
    make_unit(n.v);
    const int inside = dot(n.v, f->d) > 0;
    for (int k = 0; k < 3; k++) {
        n.v[k] = inside ? -n.v[k] : n.v[k];
        f->at[k] += seen.t * f->d[k] + setup->nudge * n.v[k];
    }
    if (f->sees && !inside)
        f->sum += times_emission(f->share, m);
    if (bounce >= setup->depth)
        return 0;
    f->share[0] *= m->red;
    f->share[1] *= m->green;
    f->share[2] *= m->blue;
    if (m->kind == MATERIAL_DIFFUSE && setup->shadows > 0 && scene->light_count > 0)
        gather(r, f, n.v);
    turn(r, f, &(struct surface){ m, n.v, inside });
    return f->share[0] + f->share[1] + f->share[2] > 0;
}

static double path_through(struct reference *r, double x, double y)
{
    const path_setup_t *s = &r->state->setup;
    struct follow f = { .at = { s->eye_x, s->eye_y, s->eye_z },
                        .d = { s->look_x + x * s->right_x + y * s->down_x,
                               s->look_y + x * s->right_y + y * s->down_y,
                               s->look_z + x * s->right_z + y * s->down_z },
                        .share = { 1, 1, 1 },
                        .sees = 1 };
    make_unit(f.d);
    for (int bounce = 0; segment(r, &f, bounce); bounce++)
        ;
    return f.sum;
}

/* --- all of it --- */

int path_part(const struct path_state *state, int64_t x, int64_t y)
{
    return (int)(y * PATH_SIDE / state->height * PATH_SIDE + x * PATH_SIDE / state->width);
}

static yoke_status prepare(struct reference *r)
{
    const struct path_scene *scene = &r->state->scene;
    const int64_t lights = scene->light_count;
    double area = 0;
    yoke_status status = reference_tree_open(scene->triangles, scene->triangle_count, &r->tree);
    if (status == YOKE_OK)
        status =
            app_alloc("the reference picture", lights + 1, sizeof *r->areas, (void **)&r->areas);
    if (status != YOKE_OK)
        return status;
    for (int64_t k = 0; k < lights; k++) {
        const triangle_t *t = &scene->triangles[scene->lights[k].triangle];
        const struct point n =
            cross((double[]){ t->ax, t->ay, t->az }, (double[]){ t->bx, t->by, t->bz });
        r->areas[k] = area += sqrt(dot(n.v, n.v)) / 2;
    }
    return YOKE_OK;
}

/* Follows one path; all points of the picture are equally likely. */
static void refer_one(struct reference *r, double sums[PATH_PARTS][3])
{
    const double x = draw(r) * (double)r->state->width, y = draw(r) * (double)r->state->height;
    const double light = path_through(r, x, y);
    double *sum = sums[path_part(r->state, (int64_t)x, (int64_t)y)];
    sum[0]++;
    sum[1] += light;
    sum[2] += light * light;
}

yoke_status path_refer(const struct path_state *state, struct path_moments moments[PATH_PARTS])
{
    struct reference r = { .state = state };
    double sums[PATH_PARTS][3] = { { 0 } };
    yoke_status status = prepare(&r);
    const double most = 4.0 * (double)(state->width * state->height * state->samples) + LEAST;
    for (int k = 0; status == YOKE_OK && (k < LEAST || (r.rays < RAYS_MOST && k < most)); k++)
        refer_one(&r, sums);
    for (int p = 0; p < PATH_PARTS; p++) {
        const double n = sums[p][0], mean = n > 0 ? sums[p][1] / n : 0;
        moments[p] =
            (struct path_moments){ (int64_t)n, mean, n > 1 ? sums[p][2] / n - mean * mean : 0 };
    }
    reference_tree_close(&r.tree);
    free(r.areas);
    return status;
}
