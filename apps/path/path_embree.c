/* path_embree.c - see path_embree.h. Embree is loaded at the first use. The few parts of its
 * interface that are used are declared here; every version 3.x has them.
 */
#include "path_embree.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "../app.h"

/* From rtcore_ray.h and rtcore_common.h. A library that was built for nested instances, or for
 * curves, has more numbers at the end of each struct. MORE leaves room for them. */
enum { MORE = 16, NOTHING = -1 };
struct embree_ray {
    alignas(16) float x;
    float y, z, near;
    float dx, dy, dz, time;
    float far; /* distance of the hit; blocked: below 0 */
    uint32_t mask, number, flags;
};
struct embree_hit {
    struct embree_ray ray;
    alignas(16) float normal[3];
    float u, v;
    int32_t triangle, geometry, instances[MORE];
};
struct embree_context {
    int32_t flags; /* 0: rays are incoherent */
    void (*filter)(void);
    int32_t instances[MORE];
};

enum {
    TRIANGLES = 0,
    INDEX = 0,
    VERTEX = 1,
    UINT3 = 0x5003,
    FLOAT3 = 0x9003
}; /* rtcore_buffer.h */
enum { MEDIUM = 1, HIGH = 2, NO_MEMORY = 4 };

static struct {
    void *(*device)(const char *config);
    int (*error)(void *device);
    void *(*scene)(void *device);
    void *(*geometry)(void *device, int kind);
    void *(*buffer)(void *geometry, int kind, unsigned slot, int format, size_t stride,
                    size_t count);
    void (*geometry_quality)(void *geometry, int quality);
    void (*scene_quality)(void *scene, int quality);
    void (*commit_geometry)(void *geometry);
    void (*commit_scene)(void *scene);
    unsigned (*attach)(void *scene, void *geometry);
    void (*release_geometry)(void *geometry);
    void (*release_scene)(void *scene);
    void (*nearest)(void *scene, struct embree_context *context, struct embree_hit *hit);
    void (*blocked)(void *scene, struct embree_context *context, struct embree_ray *ray);
} embree;
static void *device;      /* one for all scenes, until the process ends; NULL: there is no Embree */
static char missing[256]; /* why Embree cannot be used */

static const struct {
    const char *name;
    void *slot;
} functions[] = {
    { "rtcNewDevice", &embree.device },
    { "rtcGetDeviceError", &embree.error },
    { "rtcNewScene", &embree.scene },
    { "rtcNewGeometry", &embree.geometry },
    { "rtcSetNewGeometryBuffer", &embree.buffer },
    { "rtcSetGeometryBuildQuality", &embree.geometry_quality },
    { "rtcSetSceneBuildQuality", &embree.scene_quality },
    { "rtcCommitGeometry", &embree.commit_geometry },
    { "rtcCommitScene", &embree.commit_scene },
    { "rtcAttachGeometry", &embree.attach },
    { "rtcReleaseGeometry", &embree.release_geometry },
    { "rtcReleaseScene", &embree.release_scene },
    { "rtcIntersect1", &embree.nearest },
    { "rtcOccluded1", &embree.blocked },
};

static void load(void)
{
    void *library = dlopen("libembree3.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(missing, sizeof missing, "%s", dlerror());
        return;
    }
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        void *found = dlsym(library, functions[k].name);
        if (!found) {
            snprintf(missing, sizeof missing, "libembree3.so.3 has no %s", functions[k].name);
            dlclose(library);
            return;
        }
        /* dlsym returns an object's address; POSIX allows storing a function's in it. */
        memcpy(functions[k].slot, &found, sizeof found);
    }
    device = embree.device(NULL);
    if (!device)
        snprintf(missing, sizeof missing, "its error %d", embree.error(NULL));
}

/* Gives every triangle its own three corners. */
static void write_triangles(const struct path_embree_spec *spec, float (*corners)[3],
                            uint32_t (*faces)[3])
{
    for (int64_t i = 0; i < spec->count; i++) {
        const triangle_t *t = &spec->triangles[i];
        const float all[3][3] = { { t->x, t->y, t->z },
                                  { t->x + t->ax, t->y + t->ay, t->z + t->az },
                                  { t->x + t->bx, t->y + t->by, t->z + t->bz } };
        memcpy(corners[3 * i], all, sizeof all);
        for (int k = 0; k < 3; k++)
            faces[i][k] = (uint32_t)(3 * i + k);
    }
}

static void *geometry_of(const struct path_embree_spec *spec)
{
    void *geometry = embree.geometry(device, TRIANGLES), *corners, *faces;
    if (!geometry)
        return NULL;
    corners =
        embree.buffer(geometry, VERTEX, 0, FLOAT3, 3 * sizeof(float), 3 * (size_t)spec->count);
    faces = embree.buffer(geometry, INDEX, 0, UINT3, 3 * sizeof(uint32_t), (size_t)spec->count);
    if (!corners || !faces) {
        embree.release_geometry(geometry);
        return NULL;
    }
    write_triangles(spec, corners, faces);
    embree.geometry_quality(geometry, spec->tree == EMBREE_HIGH ? HIGH : MEDIUM);
    embree.commit_geometry(geometry);
    return geometry;
}

static void *scene_of(const struct path_embree_spec *spec)
{
    void *scene = embree.scene(device), *geometry = geometry_of(spec);
    if (scene && geometry) {
        embree.attach(scene, geometry);
        embree.scene_quality(scene, spec->tree == EMBREE_HIGH ? HIGH : MEDIUM);
        embree.commit_scene(scene);
    }
    if (geometry)
        embree.release_geometry(geometry); /* the scene keeps its own reference */
    return scene;
}

yoke_status path_embree_open(const struct path_embree_spec *spec, path_embree **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *scene;
    int error;
    pthread_once(&once, load);
    if (!device)
        return app_fail(YOKE_EIO,
                        "--rays embree: Embree 3 cannot be used (%s); install libembree3-3, or "
                        "leave --rays out",
                        missing);
    embree.error(device); /* discards an older error */
    scene = scene_of(spec);
    error = embree.error(device);
    if (error) {
        path_embree_close(scene);
        return app_fail(error == NO_MEMORY ? YOKE_ENOMEM : YOKE_EIO,
                        "--rays embree: Embree's error %d with %lld triangles; leave --rays out",
                        error, (long long)spec->count);
    }
    *out = scene;
    return YOKE_OK;
}

void path_embree_close(path_embree *scene)
{
    if (scene)
        embree.release_scene(scene);
}

/* Writes number by number, directly where Embree reads. The compiler would copy a whole structure
 * by wide loads of numbers that were just stored in smaller pieces; a core takes longer for that
 * than for everything else here. */
static inline void set_ray(const ray_t *from, struct embree_ray *ray)
{
    ray->x = from->x;
    ray->y = from->y;
    ray->z = from->z;
    ray->near = 0;
    ray->dx = from->dx;
    ray->dy = from->dy;
    ray->dz = from->dz;
    ray->time = 0;
    ray->far = from->far;
    ray->mask = UINT32_MAX;
    ray->number = ray->flags = 0;
}

/* There are no instances: Embree reads only the first number and finds that it is none. */
static void begin_context(struct embree_context *context)
{
    context->flags = 0;
    context->filter = NULL;
    context->instances[0] = context->instances[1] = NOTHING;
}

hit_t path_embree_nearest(path_embree *scene, ray_t ray)
{
    struct embree_context context;
    struct embree_hit hit;
    begin_context(&context);
    set_ray(&ray, &hit.ray);
    hit.geometry = NOTHING;
    hit.instances[0] = NOTHING;
    embree.nearest(scene, &context, &hit);
    if (hit.geometry == NOTHING)
        return (hit_t){ ray.far, 0, 0, -1 };
    return (hit_t){ hit.ray.far, hit.u, hit.v, hit.triangle };
}

int path_embree_blocked(path_embree *scene, ray_t ray)
{
    struct embree_context context;
    struct embree_ray to;
    set_ray(&ray, &to);
    begin_context(&context);
    embree.blocked(scene, &context, &to);
    return to.far < 0;
}
