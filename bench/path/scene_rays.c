/* scene_rays.c - see scene_rays.h. */
#include "scene_rays.h"

#include <math.h>

#include "philox.h"

static void unit(float v[3])
{
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    int k;
    for (k = 0; k < 3; k++)
        v[k] /= length;
}

static void across(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static ray_t ray_from(const float at[3], const float d[3], float far)
{
    return (ray_t){ at[0], at[1], at[2], d[0], d[1], d[2], far };
}

void scene_rays_of_eye(const struct path_scene *scene, int64_t width, ray_t *rays)
{
    const struct path_scene_view *view = &scene->view;
    const float half = (float)tan(view->degrees * 3.14159265358979 / 360);
    float eye[3], ahead[3], right[3], up[3];
    int64_t i;
    int k;
    for (k = 0; k < 3; k++) {
        eye[k] = (float)view->eye[k];
        ahead[k] = (float)(view->look[k] - view->eye[k]);
    }
    unit(ahead);
    across(ahead, (const float[3]){ 0, 1, 0 }, right);
    unit(right);
    across(right, ahead, up);
    for (i = 0; i < width * width; i++) {
        const float x = half * (2 * ((float)(i % width) + 0.5f) / (float)width - 1);
        const float y = half * (1 - 2 * ((float)(i / width) + 0.5f) / (float)width);
        float d[3];
        for (k = 0; k < 3; k++)
            d[k] = ahead[k] + x * right[k] + y * up[k];
        unit(d);
        rays[i] = ray_from(eye, d, INFINITY);
    }
}

static void point_of(const triangle_t *t, float u, float v, float at[3])
{
    at[0] = t->x + u * t->ax + v * t->bx;
    at[1] = t->y + u * t->ay + v * t->by;
    at[2] = t->z + u * t->az + v * t->bz;
}

/* The point that ray i hit, a little off the surface; and the normal, on the ray's side. */
static void place_of(const struct scene_hits *from, int64_t i, float at[3], float normal[3])
{
    const hit_t *hit = &from->hits[i];
    const ray_t *ray = &from->rays[i];
    const triangle_t *t = &from->scene->triangles[hit->triangle];
    const float off = 1e-4f * (float)from->scene->most;
    float along;
    int k;
    across((const float[3]){ t->ax, t->ay, t->az }, (const float[3]){ t->bx, t->by, t->bz },
           normal);
    unit(normal);
    along = normal[0] * ray->dx + normal[1] * ray->dy + normal[2] * ray->dz;
    point_of(t, hit->u, hit->v, at);
    for (k = 0; k < 3; k++) {
        normal[k] = along < 0 ? normal[k] : -normal[k];
        at[k] += off * normal[k];
    }
}

static float uniform(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

void scene_rays_to_lights(const struct scene_hits *from, ray_t *on)
{
    const struct path_scene *scene = from->scene;
    int64_t i;
    int k;
    for (i = 0; i < from->count; i++) {
        const philox_t random = philox((philox_t){ (uint32_t)i, 0, 0, 0 }, 1, 0);
        const light_t *light = &scene->lights[random.c % (uint32_t)scene->light_count];
        const float root = sqrtf(uniform(random.a)), v = root * uniform(random.b);
        float at[3], normal[3], to[3];
        on[i] = from->rays[i];
        if (from->hits[i].triangle < 0)
            continue;
        place_of(from, i, at, normal);
        point_of(&scene->triangles[light->triangle], root - v, v, to);
        for (k = 0; k < 3; k++)
            to[k] -= at[k];
        on[i] = ray_from(at, to, 0.999f); /* ends before the light itself */
    }
}

void scene_rays_scattered(const struct scene_hits *from, ray_t *on)
{
    int64_t i;
    for (i = 0; i < from->count; i++) {
        const philox_t random = philox((philox_t){ (uint32_t)i, 1, 0, 0 }, 1, 0);
        const float z = 2 * uniform(random.a) - 1, turn = 6.2831853f * uniform(random.b);
        const float side = 0.9999f * sqrtf(1 - z * z); /* never straight back into the surface */
        float at[3], d[3];
        on[i] = from->rays[i];
        if (from->hits[i].triangle < 0)
            continue;
        place_of(from, i, at, d);
        d[0] += side * cosf(turn);
        d[1] += side * sinf(turn);
        d[2] += 0.9999f * z;
        unit(d);
        on[i] = ray_from(at, d, INFINITY);
    }
}
