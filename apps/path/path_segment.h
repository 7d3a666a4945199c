/* path_segment.h - one segment of a path: its ray, what the surface does with the light, and its
 * shadow rays.
 *
 * Every kernel of this application uses this code. It calls only functions that give the same bits
 * on every device (exact.h). So the picture depends neither on the device that computed a pixel nor
 * on the kernel. Random numbers are keyed by pixel, sample and bounce.
 *
 * Light of emitters is counted where shadow rays reach them. It is also counted where a path meets
 * an emitter that no shadow ray could have found: seen directly, in a mirror or through glass, or
 * if there are no shadow rays.
 */
#ifndef YOKE_APPS_PATH_SEGMENT_H
#define YOKE_APPS_PATH_SEGMENT_H

#include "../philox.h"
#include "path_bvh.h"
#include "path_pixel.h"
#include "path_vector.h"

/* How rays are traced: by the tree's own code, unless the includer defines another. */
#ifndef PATH_NEAREST
#define PATH_NEAREST(ray) path_nearest(scene.bvh, ray)
#define PATH_BLOCKED(ray) path_blocked(scene.bvh, ray)
#endif

/* A pixel and its present path. */
typedef struct YOKE_ALIGN(16) path {
    float x, y, z, dx, dy, dz; /* origin of the next ray, and its direction of length 1 */
    float red, green, blue;    /* fraction of the light along the next ray that reaches the eye */
    float sum_red, sum_green, sum_blue; /* over all paths of the pixel so far */
    uint32_t segments, shadows;
    int32_t index;
    int32_t sample; /* of the present path */
    int32_t bounce; /* segments so far; -1: the path has ended */
    int32_t sees;   /* 1: light from an emitter that the next ray meets counts */
} path_t;

/* The scene's arrays. */
typedef struct scene {
    bvh_t bvh;
    YOKE_GLOBAL const material_t *materials;
    YOKE_GLOBAL const light_t *lights;
} scene_t;

/* From the parameters of a kernel, which have these names. */
#define PATH_SCENE YOKE_INIT(scene_t, YOKE_INIT(bvh_t, nodes, triangles), materials, lights)

/* The surface at the point of a hit. */
typedef struct place_on {
    vec_t at, normal; /* the normal is on the ray's side */
    int32_t inside;   /* 1: the ray came to the unlit side */
} place_on_t;

/* Draws of one path and bounce differ by `purpose`: 0 is the path's own, 1 and more are shadow
 * rays. Pixels of a bundle share draws. */
YOKE_FN philox_t path_draw(path_setup_t setup, path_t p, int32_t purpose)
{
    return philox(YOKE_INIT(philox_t, (uint32_t)(p.index / setup.bundle), (uint32_t)p.sample,
                            (uint32_t)p.bounce, (uint32_t)purpose),
                  setup.seed_low, setup.seed_high);
}

/* Begins path p.sample of the pixel, at a random point of the pixel. */
YOKE_FN void path_begin(path_setup_t setup, path_t *p)
{
    const spot_t place = path_pixel(setup, p->index);
    philox_t random;
    vec_t d;
    p->bounce = -1; /* differs from all bounces, so draws differ too */
    random = path_draw(setup, *p, 0);
    d = vec_add(vec_add(vec(setup.look_x, setup.look_y, setup.look_z),
                        (float)place.x + exact_uniform(random.a),
                        vec(setup.right_x, setup.right_y, setup.right_z)),
                (float)place.y + exact_uniform(random.b),
                vec(setup.down_x, setup.down_y, setup.down_z));
    d = vec_unit(d);
    p->x = setup.eye_x;
    p->y = setup.eye_y;
    p->z = setup.eye_z;
    p->dx = d.x;
    p->dy = d.y;
    p->dz = d.z;
    p->red = p->green = p->blue = 1.0f;
    p->bounce = 0;
    p->sees = 1;
}

YOKE_FN path_t path_start(path_setup_t setup, int32_t index)
{
    path_t p;
    const spot_t place = path_pixel(setup, index);
    p.sum_red = p.sum_green = p.sum_blue = 0.0f;
    p.segments = p.shadows = 0u;
    p.index = index;
    p.sample = setup.first;
    path_begin(setup, &p);
    if (place.x >= setup.width || place.y >= setup.height) {
        p.sample = setup.last;
        p.bounce = -1;
    }
    return p;
}

YOKE_FN void path_gather(path_t *p, vec_t light)
{
    p->sum_red += light.x;
    p->sum_green += light.y;
    p->sum_blue += light.z;
}

/* --- direct light of an emitter --- */

/* A uniform point of a triangle: the square of two uniform draws, folded along its diagonal. */
YOKE_FN vec_t path_light_point(triangle_t t, uint32_t first, uint32_t second)
{
    float u = exact_uniform(first), v = exact_uniform(second);
    if (u + v > 1.0f) {
        u = 1.0f - u;
        v = 1.0f - v;
    }
    return vec_add(vec_add(vec(t.x, t.y, t.z), u, vec(t.ax, t.ay, t.az)), v, vec(t.bx, t.by, t.bz));
}

/* A point of an emitter. */
typedef struct source {
    vec_t at, emits; /* emits: radiance of the lit side */
    vec_t cross;     /* of the emitter's edges: its normal, as long as twice its area */
    float weight;    /* of light_t */
} source_t;

/* The source of the path's shadow ray k, counted from 0. */
YOKE_FN source_t path_source(path_setup_t setup, scene_t scene, path_t p, int32_t k)
{
    const philox_t random = path_draw(setup, p, k + 1);
    const float among = exact_uniform(random.a) * (float)setup.light_count;
    int32_t row = (int32_t)among;
    row = row < setup.light_count ? row : setup.light_count - 1;
    if (exact_uniform(random.d) >= scene.lights[row].keep)
        row = scene.lights[row].alias;
    const light_t chosen = scene.lights[row];
    const triangle_t t = scene.bvh.triangles[chosen.triangle];
    const material_t m = scene.materials[t.material];
    return YOKE_INIT(source_t, path_light_point(t, random.b, random.c),
                     vec(m.emits_red, m.emits_green, m.emits_blue),
                     vec_cross(vec(t.ax, t.ay, t.az), vec(t.bx, t.by, t.bz)), chosen.weight);
}

typedef struct shadow {
    ray_t ray;
    vec_t light;   /* that it brings if nothing is in its way */
    int32_t faces; /* 0: the emitter is turned away, and there is no such ray */
} shadow_t;

/* The shadow ray to the source. Let L be the vector from the surface to the source, C its cross
 * product and p the emitter's probability. Cosines, area and distance make
 * -(n . L) (C . L) / (2 p |L|^4), times the fraction that the surface scatters, 1 / pi. */
YOKE_FN shadow_t path_shadow(path_setup_t setup, path_t p, place_on_t on, source_t source)
{
    const vec_t from = vec_add(on.at, setup.nudge, on.normal);
    const vec_t to = vec_add(source.at, -1.0f, from);
    const float facing = vec_dot(on.normal, to), lit = -vec_dot(source.cross, to);
    const float d2 = vec_dot(to, to), per = exact_reciprocal(exact_most(d2, 1e-18f));
    const float scale = facing * per * (lit * per) * source.weight * setup.per_shadow;
    return YOKE_INIT(shadow_t, YOKE_INIT(ray_t, from.x, from.y, from.z, to.x, to.y, to.z, 0.9999f),
                     vec(p.red * scale * source.emits.x, p.green * scale * source.emits.y,
                         p.blue * scale * source.emits.z),
                     facing > 0.0f && lit > 0.0f && d2 > 1e-18f);
}

/* --- how the path goes on --- */

/* Diffuse scattering: the density of a direction is proportional to its cosine. The tangents are
 * those of Duff et al. (2017). */
YOKE_FN vec_t path_scatter(vec_t n, uint32_t first, uint32_t second)
{
    const turn_t turn = exact_turn(first);
    const float share = exact_uniform(second);
    const float out = exact_root(share), up = exact_root(1.0f - share);
    const float sign = n.z >= 0.0f ? 1.0f : -1.0f;
    const float a = -sign * exact_reciprocal(sign * (sign + n.z)); /* = -1 / (sign + n.z) */
    const float b = n.x * n.y * a;
    const vec_t s = vec(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
    const vec_t t = vec(b, sign + n.y * n.y * a, -n.y);
    return vec_add(vec_add(vec_scale(out * turn.cosine, s), out * turn.sine, t), up, n);
}

YOKE_FN vec_t path_mirror(vec_t d, vec_t n)
{
    return vec_add(d, -2.0f * vec_dot(d, n), n);
}

/* Where light goes on from a surface. */
typedef struct onward {
    vec_t d;
    int32_t through; /* 1: to the other side */
} onward_t;

/* Glass: chance decides between reflection and transmission, with Fresnel's probability for
 * unpolarized light. */
YOKE_FN onward_t path_glass(float index, vec_t d, place_on_t on, uint32_t chance)
{
    /* Refractive index of this side / of the other side. */
    const float eta = on.inside ? index : exact_reciprocal(index);
    const float cosine = -vec_dot(d, on.normal);
    const float sine2 = eta * eta * (1.0f - cosine * cosine);
    if (sine2 < 1.0f) {
        const float cosine2 = exact_root(1.0f - sine2);
        const float s = (eta * cosine - cosine2) * exact_reciprocal(eta * cosine + cosine2);
        const float p = (cosine - eta * cosine2) * exact_reciprocal(cosine + eta * cosine2);
        if (exact_uniform(chance) >= 0.5f * (s * s + p * p))
            return YOKE_INIT(
                onward_t, vec_unit(vec_add(vec_scale(eta, d), eta * cosine - cosine2, on.normal)),
                1);
    }
    return YOKE_INIT(onward_t, path_mirror(d, on.normal), 0);
}

/* Russian roulette: a path of which little light would reach the eye goes on only with some
 * probability. If it goes on, its weight grows to make up for those that ended. */
YOKE_FN void path_roulette(path_setup_t setup, path_t *p, uint32_t chance)
{
    const float most = vec_most(vec(p->red, p->green, p->blue));
    const float stays = most < 0.95f ? most : 0.95f;
    if (p->bounce <= setup.roulette && most > 0.0f)
        return;
    if (exact_uniform(chance) >= stays) {
        p->bounce = -1;
    } else {
        const float per = exact_reciprocal(stays);
        p->red *= per;
        p->green *= per;
        p->blue *= per;
    }
}

/* The surface passes the path on: sets its next ray, or ends it. */
YOKE_FN void path_turn(path_setup_t setup, path_t *p, place_on_t on, material_t m)
{
    const philox_t random = path_draw(setup, *p, 0);
    const vec_t d = vec(p->dx, p->dy, p->dz);
    onward_t onward;
    onward.through = 0;
    p->sees = m.kind != MATERIAL_DIFFUSE || setup.shadows == 0;
    if (m.kind == MATERIAL_DIFFUSE)
        onward.d = path_scatter(on.normal, random.a, random.b);
    else if (m.kind == MATERIAL_MIRROR)
        onward.d = path_mirror(d, on.normal);
    else
        onward = path_glass(m.index, d, on, random.c);
    const vec_t from = vec_add(on.at, onward.through ? -setup.nudge : setup.nudge, on.normal);
    p->x = from.x;
    p->y = from.y;
    p->z = from.z;
    p->dx = onward.d.x;
    p->dy = onward.d.y;
    p->dz = onward.d.z;
    p->bounce++;
    path_roulette(setup, p, random.d);
}

YOKE_FN place_on_t path_where(path_t p, hit_t hit, triangle_t t)
{
    place_on_t on;
    const vec_t a = vec(t.ax, t.ay, t.az), b = vec(t.bx, t.by, t.bz);
    on.at = vec_add(vec_add(vec(t.x, t.y, t.z), hit.u, a), hit.v, b);
    on.normal = vec_unit(vec_cross(a, b));
    on.inside = vec_dot(on.normal, vec(p.dx, p.dy, p.dz)) > 0.0f;
    if (on.inside)
        on.normal = vec_scale(-1.0f, on.normal);
    return on;
}

/* The path's ray hits nothing. */
YOKE_FN void path_leave(path_setup_t setup, path_t *p)
{
    p->segments++;
    path_gather(p, vec_scale(setup.sky, vec(p->red, p->green, p->blue)));
    p->bounce = -1;
}

/* The path's ray arrives at a surface. Returns 1 if the surface passes the path on, 0 if the path
 * ends. */
YOKE_FN int path_arrive(path_setup_t setup, path_t *p, place_on_t on, material_t m)
{
    p->segments++;
    if (p->sees && !on.inside)
        path_gather(p, vec_times(vec(p->red, p->green, p->blue),
                                 vec(m.emits_red, m.emits_green, m.emits_blue)));
    p->red *= m.red;
    p->green *= m.green;
    p->blue *= m.blue;
    if (p->bounce >= setup.depth)
        p->bounce = -1;
    return p->bounce >= 0;
}

/* The number of shadow rays that a surface sends. */
YOKE_FN int32_t path_shadows(path_setup_t setup, int32_t kind)
{
    return kind == MATERIAL_DIFFUSE && setup.light_count > 0 ? setup.shadows : 0;
}

YOKE_FN ray_t path_ray(path_t p)
{
    return YOKE_INIT(ray_t, p.x, p.y, p.z, p.dx, p.dy, p.dz, INFINITY);
}

/* The next segment of p's path; the path must not have ended. */
YOKE_FN void path_segment(path_setup_t setup, scene_t scene, path_t *p)
{
    const hit_t hit = PATH_NEAREST(path_ray(*p));
    int32_t k, shadows;
    if (hit.triangle < 0) {
        path_leave(setup, p);
        return;
    }
    const triangle_t t = scene.bvh.triangles[hit.triangle];
    const material_t m = scene.materials[t.material];
    const place_on_t on = path_where(*p, hit, t);
    if (!path_arrive(setup, p, on, m))
        return;
    shadows = path_shadows(setup, m.kind);
    for (k = 0; k < shadows; k++) {
        const shadow_t shadow = path_shadow(setup, *p, on, path_source(setup, scene, *p, k));
        if (!shadow.faces)
            continue;
        p->shadows++;
        if (!PATH_BLOCKED(shadow.ray))
            path_gather(p, shadow.light);
    }
    path_turn(setup, p, on, m);
}

YOKE_FN pixel_t path_pixel_of(path_t p)
{
    return YOKE_INIT(pixel_t, p.sum_red, p.sum_green, p.sum_blue, p.segments, p.shadows);
}

#endif
