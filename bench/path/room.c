/* room.c - see room.h. */
#include "room.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "philox.h"

enum { QUADS = 6 };

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

/* Corners in units of the box; quad + 2 edges. */
static const float quads[QUADS][3][3] = {
    { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, /* floor, ceiling, back, sides, light */
    { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
    { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
    { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
    { { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
    { { 0.375f, 0.99f, 0.375f }, { 0.25f, 0, 0 }, { 0, 0, 0.25f } },
};

static triangle_t triangle(const float o[3], const float a[3], const float b[3], int64_t face)
{
    return (triangle_t){ .x = o[0],
                         .y = o[1],
                         .z = o[2],
                         .ax = a[0] - o[0],
                         .ay = a[1] - o[1],
                         .az = a[2] - o[2],
                         .light = -1,
                         .bx = b[0] - o[0],
                         .by = b[1] - o[1],
                         .bz = b[2] - o[2],
                         .face = (int32_t)face };
}

static void add_quad(struct room *room, const float quad[3][3])
{
    float corners[4][3];
    int c, k;
    for (k = 0; k < 3; k++) {
        const float size = room->high[k] - room->low[k];
        for (c = 0; c < 4; c++)
            corners[c][k] = room->low[k] + size * (quad[0][k] + (c & 1 ? quad[1][k] : 0) +
                                                   (c & 2 ? quad[2][k] : 0));
    }
    room->triangles[room->count] = triangle(corners[0], corners[1], corners[3], room->count);
    room->count++;
    room->triangles[room->count] = triangle(corners[0], corners[3], corners[2], room->count);
    room->count++;
}

/* The mesh stands on the floor and takes half of the width. */
static void find_box(const struct mesh *mesh, struct room *room)
{
    float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    float size = 0;
    int64_t i;
    int k;
    for (i = 0; i < mesh->vertex_count; i++)
        for (k = 0; k < 3; k++) {
            low[k] = least(low[k], mesh->vertices[i][k]);
            high[k] = most(high[k], mesh->vertices[i][k]);
        }
    for (k = 0; k < 3; k++)
        size = most(size, high[k] - low[k]);
    for (k = 0; k < 3; k++) {
        const float middle = 0.5f * (low[k] + high[k]);
        room->low[k] = k == 1 ? low[k] : middle - size;
        room->high[k] = k == 1 ? low[k] + 2 * size : middle + size;
    }
}

yoke_status room_open(const struct mesh *mesh, struct room *out)
{
    struct room room = { 0 };
    int64_t i;
    yoke_status status = app_alloc("triangles", mesh->face_count + 2 * QUADS, sizeof(triangle_t),
                                   (void **)&room.triangles);
    if (status != YOKE_OK)
        return status;
    find_box(mesh, &room);
    for (i = 0; i < mesh->face_count; i++) {
        const int32_t *c = mesh->faces[i].corners;
        room.triangles[i] =
            triangle(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]], i);
    }
    room.count = mesh->face_count;
    for (i = 0; i < QUADS; i++)
        add_quad(&room, quads[i]);
    *out = room;
    return YOKE_OK;
}

void room_close(struct room *room)
{
    free(room->triangles);
    *room = (struct room){ 0 };
}

void room_look(const struct room *room, int64_t width, ray_t *rays)
{
    const float size = room->high[0] - room->low[0];
    const float eye[3] = { 0.5f * (room->low[0] + room->high[0]),
                           0.5f * (room->low[1] + room->high[1]), room->high[2] + 1.2f * size };
    int64_t i;
    for (i = 0; i < width * width; i++) {
        const float x = ((float)(i % width) + 0.5f) / (float)width - 0.5f;
        const float y = 0.5f - ((float)(i / width) + 0.5f) / (float)width;
        const float length = sqrtf(x * x + y * y + 1.44f);
        rays[i] =
            (ray_t){ eye[0], eye[1], eye[2], x / length, y / length, -1.2f / length, INFINITY };
    }
}

/* Where a ray hit, a little before the surface; and across that, to the side of the ray. */
static void find_place(const struct room *room, const ray_t *ray, const hit_t *hit, float at[3],
                       float across[3])
{
    const triangle_t *t = &room->triangles[hit->triangle];
    const float n[3] = { t->ay * t->bz - t->az * t->by, t->az * t->bx - t->ax * t->bz,
                         t->ax * t->by - t->ay * t->bx };
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const float along = n[0] * ray->dx + n[1] * ray->dy + n[2] * ray->dz;
    const float size = 1e-4f * (room->high[0] - room->low[0]);
    int k;
    at[0] = t->x + hit->u * t->ax + hit->v * t->bx;
    at[1] = t->y + hit->u * t->ay + hit->v * t->by;
    at[2] = t->z + hit->u * t->az + hit->v * t->bz;
    for (k = 0; k < 3; k++) {
        across[k] = along < 0 ? n[k] / length : -n[k] / length;
        at[k] += size * across[k];
    }
}

static float uniform(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

void room_to_light(const struct room *room, const ray_t *rays, const hit_t *hits, int64_t count,
                   ray_t *on)
{
    int64_t i;
    int k;
    for (i = 0; i < count; i++) {
        const philox_t random = philox((philox_t){ (uint32_t)i, 0, 0, 0 }, 1, 0);
        const float share[3] = { 0.375f + 0.25f * uniform(random.a), 0.985f,
                                 0.375f + 0.25f * uniform(random.b) };
        float at[3], across[3], to[3];
        on[i] = rays[i];
        if (hits[i].triangle < 0)
            continue;
        find_place(room, &rays[i], &hits[i], at, across);
        for (k = 0; k < 3; k++)
            to[k] = room->low[k] + share[k] * (room->high[k] - room->low[k]) - at[k];
        on[i] = (ray_t){ at[0], at[1], at[2], to[0], to[1], to[2], 1 };
    }
}

void room_scatter(const struct room *room, const ray_t *rays, const hit_t *hits, int64_t count,
                  ray_t *on)
{
    int64_t i;
    for (i = 0; i < count; i++) {
        const philox_t random = philox((philox_t){ (uint32_t)i, 1, 0, 0 }, 1, 0);
        const float z = 2 * uniform(random.a) - 1, turn = 6.2831853f * uniform(random.b);
        const float side = 0.9999f * sqrtf(1 - z * z);
        float at[3], d[3], length;
        on[i] = rays[i];
        if (hits[i].triangle < 0)
            continue;
        find_place(room, &rays[i], &hits[i], at, d);
        d[0] += side * cosf(turn);
        d[1] += side * sinf(turn);
        d[2] += 0.9999f * z;
        length = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        on[i] =
            (ray_t){ at[0], at[1], at[2], d[0] / length, d[1] / length, d[2] / length, INFINITY };
    }
}
