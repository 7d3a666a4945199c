/* path_reference.c - the picture a second time, as simply as it can be said.
 *
 * In double precision, with the host's random numbers, a tree that halves its triangles by their
 * middles, emitters chosen by area, and paths that end at --depth only. Of path_segment.h it shares
 * nothing but the triangles and the setup.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../random.h"
#include "path_state.h"

enum { LEAF = 4, STACK = 256, LEAST = 512 };
static const double RAYS_MOST = 1.5e6; /* some seconds of one core; a small picture needs fewer */

struct half {
    double low[3], high[3];
    int64_t first, count; /* of order, in a leaf */
    int64_t other;        /* the second child; the first is the next node; 0: a leaf */
};

struct reference {
    const struct path_state *state;
    const triangle_t *triangles;
    int32_t *order;
    struct half *halves;
    int64_t half_count;
    double *areas; /* of lights, added up */
    uint64_t draws;
    double rays;
};

struct point {
    double v[3];
};

static double draw(struct reference *r)
{
    return random_uniform(r->state->seed ^ 0x70617468, r->draws++);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static struct point cross(const double *a, const double *b)
{
    return (struct point){ { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0] } };
}
static void make_unit(double *a)
{
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

/* --- the tree --- */

static void corners_of(const triangle_t *t, double out[3][3])
{
    const double at[3][3] = { { t->x, t->y, t->z },
                              { (double)t->x + t->ax, (double)t->y + t->ay, (double)t->z + t->az },
                              { (double)t->x + t->bx, (double)t->y + t->by,
                                (double)t->z + t->bz } };
    memcpy(out, at, sizeof at);
}

static double middle(const triangle_t *t, int axis)
{
    double at[3][3];
    corners_of(t, at);
    return at[0][axis] + at[1][axis] + at[2][axis];
}

static void bound(struct reference *r, struct half *h)
{
    for (int k = 0; k < 3; k++) {
        h->low[k] = DBL_MAX;
        h->high[k] = -DBL_MAX;
    }
    for (int64_t i = h->first; i < h->first + h->count; i++) {
        double at[3][3];
        corners_of(&r->triangles[r->order[i]], at);
        for (int c = 0; c < 9; c++) {
            h->low[c % 3] = fmin(h->low[c % 3], at[c / 3][c % 3]);
            h->high[c % 3] = fmax(h->high[c % 3], at[c / 3][c % 3]);
        }
    }
}

/* Around the middle of the widest side, or by count where that tells nothing apart. */
static int64_t divide(struct reference *r, const struct half *h)
{
    int axis = 0;
    int64_t left = h->first, right = h->first + h->count;
    for (int k = 1; k < 3; k++)
        if (h->high[k] - h->low[k] > h->high[axis] - h->low[axis])
            axis = k;
    const double at = 1.5 * (h->low[axis] + h->high[axis]);
    while (left < right) {
        if (middle(&r->triangles[r->order[left]], axis) < at) {
            left++;
        } else {
            const int32_t other = r->order[--right];
            r->order[right] = r->order[left];
            r->order[left] = other;
        }
    }
    const int64_t some = h->count / 8;
    return left > h->first + some && left < h->first + h->count - some ? left
                                                                       : h->first + h->count / 2;
}

/* Depth: each child has at most 7/8 of its parent's triangles, or half of them: the recursion of
 * 2^28 ends after 150, and a stack of the walk grows by one a level. */
static int64_t grow(struct reference *r, int64_t first, int64_t count)
{
    const int64_t self = r->half_count++;
    struct half *h = &r->halves[self];
    *h = (struct half){ .first = first, .count = count };
    bound(r, h);
    if (count > LEAF) {
        const int64_t cut = divide(r, h);
        grow(r, first, cut - first);
        r->halves[self].other = grow(r, cut, first + count - cut);
    }
    return self;
}

struct seen {
    double t; /* the nearest so far */
    const triangle_t *triangle;
};

static int meets_box(const struct half *h, const double *from, const double *d, double far)
{
    double enter = 0, leave = far;
    for (int k = 0; k < 3; k++) {
        const double a = (h->low[k] - from[k]) / d[k], b = (h->high[k] - from[k]) / d[k];
        enter = fmax(enter, fmin(a, b)); /* of NaN, where a ray lies in a face, the other */
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave * (1 + 1e-12);
}

/* Moeller and Trumbore 1997. */
static void meet(const triangle_t *t, const double *from, const double *d, struct seen *seen)
{
    const double a[3] = { t->ax, t->ay, t->az }, b[3] = { t->bx, t->by, t->bz };
    const double s[3] = { from[0] - t->x, from[1] - t->y, from[2] - t->z };
    const struct point p = cross(d, b), q = cross(s, a);
    const double scale = 1 / dot(a, p.v);
    const double u = scale * dot(s, p.v), v = scale * dot(d, q.v), at = scale * dot(b, q.v);
    if (u >= 0 && v >= 0 && u + v <= 1 && at > 0 && at < seen->t)
        *seen = (struct seen){ at, t };
}

static struct seen look(struct reference *r, const double *from, const double *d, double far)
{
    struct seen seen = { far, NULL };
    int64_t stack[STACK], depth = 0;
    stack[depth++] = 0;
    r->rays++;
    while (depth > 0) {
        const int64_t self = stack[--depth];
        const struct half *h = &r->halves[self];
        if (!meets_box(h, from, d, seen.t))
            continue;
        if (h->other) {
            stack[depth++] = h->other;
            stack[depth++] = self + 1;
            continue;
        }
        for (int64_t i = h->first; i < h->first + h->count; i++)
            meet(&r->triangles[r->order[i]], from, d, &seen);
    }
    return seen;
}

/* --- a path --- */

struct follow {
    double at[3], d[3], share[3], sum;
    int sees; /* emitters that the next ray meets count */
};

static void scatter(struct reference *r, const double *n, double *d)
{
    double length;
    do { /* a point in the ball beside the surface: as likely as its cosine */
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

/* A point of all emitters as likely as any other. */
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

/* Snell's and Fresnel's laws, in the form of text books. */
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

/* Sends the path on from a surface whose normal is on the ray's side. */
static void turn(struct reference *r, struct follow *f, const material_t *m, const double *n,
                 int inside)
{
    const double nudge = r->state->setup.nudge;
    int through = 0;
    if (m->kind == MATERIAL_DIFFUSE)
        scatter(r, n, f->d);
    else if (m->kind == MATERIAL_GLASS)
        through = refract(r, inside ? m->index : 1 / (double)m->index, n, f->d);
    if (m->kind != MATERIAL_DIFFUSE && !through) {
        const double twice = 2 * dot(n, f->d);
        for (int k = 0; k < 3; k++)
            f->d[k] -= twice * n[k];
    }
    for (int k = 0; through && k < 3; k++)
        f->at[k] -= 2 * nudge * n[k];
    f->sees = m->kind != MATERIAL_DIFFUSE || r->state->setup.shadows == 0;
}

/* One segment; 0 at the path's end. */
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
    turn(r, f, m, n.v, inside);
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
    const int64_t count = scene->triangle_count, lights = scene->light_count;
    const char *what = "the reference picture";
    double area = 0;
    yoke_status status = app_alloc(what, count, sizeof *r->order, (void **)&r->order);
    if (status == YOKE_OK)
        status = app_alloc(what, 2 * count, sizeof *r->halves, (void **)&r->halves);
    if (status == YOKE_OK)
        status = app_alloc(what, lights + 1, sizeof *r->areas, (void **)&r->areas);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        r->order[i] = (int32_t)i;
    grow(r, 0, count);
    for (int64_t k = 0; k < lights; k++) {
        const triangle_t *t = &r->triangles[scene->lights[k].triangle];
        const struct point n =
            cross((double[]){ t->ax, t->ay, t->az }, (double[]){ t->bx, t->by, t->bz });
        r->areas[k] = area += sqrt(dot(n.v, n.v)) / 2;
    }
    return YOKE_OK;
}

/* Any point of the picture is as likely as any other. */
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
    struct reference r = { .state = state, .triangles = state->scene.triangles };
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
    free(r.order);
    free(r.halves);
    free(r.areas);
    return status;
}
