/* path_reference_tree.c - divides triangles at the middle of their box. A ray searches all halves
 * that it meets. */
#include "path_reference_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"

enum { LEAF = 4, STACK = 256 };

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

static void bound(struct reference_tree *r, struct half *h)
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

/* Divides at the middle of the widest side; by count, if either half would get too few
 * triangles. */
static int64_t divide(struct reference_tree *r, const struct half *h)
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

/* Depth: a child has at most 7/8 of its parent's triangles, or half of them. So 2^28 triangles need
 * at most 150 levels of recursion, and the walk's stack grows by one entry per level. */
static int64_t grow(struct reference_tree *r, int64_t first, int64_t count)
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

yoke_status reference_tree_open(const triangle_t *triangles, int64_t count,
                                struct reference_tree *out)
{
    const char *what = "the reference picture";
    *out = (struct reference_tree){ .triangles = triangles };
    yoke_status status = app_alloc(what, count, sizeof *out->order, (void **)&out->order);
    if (status == YOKE_OK)
        status = app_alloc(what, 2 * count, sizeof *out->halves, (void **)&out->halves);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        out->order[i] = (int32_t)i;
    grow(out, 0, count);
    return YOKE_OK;
}

void reference_tree_close(struct reference_tree *tree)
{
    free(tree->order);
    free(tree->halves);
}

/* --- rays --- */

static int meets_box(const struct half *h, const double *from, const double *d, double far)
{
    double enter = 0, leave = far;
    for (int k = 0; k < 3; k++) {
        const double a = (h->low[k] - from[k]) / d[k], b = (h->high[k] - from[k]) / d[k];
        enter = fmax(enter, fmin(a, b)); /* NaN, if the ray lies in a face: the other value */
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

struct seen reference_look(const struct reference_tree *r, const double *from, const double *d,
                           double far)
{
    struct seen seen = { far, NULL };
    int64_t stack[STACK], depth = 0;
    stack[depth++] = 0;
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
