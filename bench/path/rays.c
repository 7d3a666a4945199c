/* rays.c - rays a second through the path tracer's tree, beside Embree's single rays: the same
 * rays, the same cores, in turns; medians.
 *
 *     yoke-bench-rays FILE [WIDTH [TURNS]]
 *
 * FILE is a mesh, which stands in the Cornell box; WIDTH x WIDTH rays from the eye, and from where
 * they hit as many to the light, and scattered.
 */
#include <embree3/rtcore.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/yoke.h>

#include "../program.h"
#include "cores.h"
#include "memory.h"
#include "scene_rays.h"

enum { TURNS_MAX = 101, BLOCKS = 64, PEERS = 3 };
enum peer { OURS, EMBREE_MEDIUM, EMBREE_HIGH };

extern const yoke_kernel bvh_nearest, bvh_blocked;

struct bench {
    yoke_runtime *cores;
    struct path_scene scene;
    yoke_array *nodes, *triangles;
    RTCDevice embree;
    RTCScene scenes[PEERS]; /* of ours, none */
    int64_t count;          /* rays of each kind */
    int turns;
};

struct rays { /* of one kind */
    const char *name;
    const yoke_kernel *kernel; /* bvh_nearest, bvh_blocked */
    ray_t *rays;
    void *found[PEERS]; /* hits, or int32_t: blocked */
};

/* One peer's turn. */
struct turn {
    const struct bench *bench;
    const struct rays *rays;
    enum peer peer;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct RTCRay embree_ray(const ray_t *ray)
{
    return (struct RTCRay){ .org_x = ray->x,
                            .org_y = ray->y,
                            .org_z = ray->z,
                            .dir_x = ray->dx,
                            .dir_y = ray->dy,
                            .dir_z = ray->dz,
                            .tfar = ray->far,
                            .mask = ~0u };
}

static void embree_block(void *context, int64_t block)
{
    const struct turn *turn = context;
    const struct rays *rays = turn->rays;
    const struct cores_span span = cores_span(turn->bench->count, BLOCKS, block);
    const RTCScene scene = turn->bench->scenes[turn->peer];
    void *found = rays->found[turn->peer];
    struct RTCIntersectContext rtc;
    int64_t i;
    rtcInitIntersectContext(&rtc);
    for (i = span.first; i < span.last; i++) {
        struct RTCRayHit hit = { .ray = embree_ray(&rays->rays[i]),
                                 .hit.geomID = RTC_INVALID_GEOMETRY_ID };
        if (rays->kernel == &bvh_blocked) {
            rtcOccluded1(scene, &rtc, &hit.ray);
            ((int32_t *)found)[i] = hit.ray.tfar < 0;
            continue;
        }
        rtcIntersect1(scene, &rtc, &hit);
        ((hit_t *)found)[i] =
            (hit_t){ hit.ray.tfar, hit.hit.u, hit.hit.v,
                     hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : (int32_t)hit.hit.primID };
    }
}

static RTCScene embree_scene(RTCDevice device, const struct path_scene *from,
                             enum RTCBuildQuality how)
{
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float(*corners)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                sizeof *corners, 3 * (size_t)from->triangle_count);
    uint32_t(*faces)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof *faces,
                                (size_t)from->triangle_count);
    int64_t i;
    int c;
    for (i = 0; i < from->triangle_count; i++) {
        const triangle_t *t = &from->triangles[i];
        const float all[3][3] = { { t->x, t->y, t->z },
                                  { t->x + t->ax, t->y + t->ay, t->z + t->az },
                                  { t->x + t->bx, t->y + t->by, t->z + t->bz } };
        for (c = 0; c < 9; c++)
            corners[3 * i + c / 3][c % 3] = all[c / 3][c % 3];
        for (c = 0; c < 3; c++)
            faces[i][c] = (uint32_t)(3 * i + c);
    }
    rtcSetGeometryBuildQuality(geometry, how);
    rtcSetSceneBuildQuality(scene, how);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

static void *room_for(int64_t count, size_t size)
{
    void *memory;
    must(app_alloc("rays", count, size, &memory), "memory for rays");
    return memory;
}

static yoke_array *wrap(const struct bench *bench, void *host, int64_t rows, size_t size)
{
    yoke_array *array;
    must(yoke_array_wrap(bench->cores, host, rows, size, &array), "yoke_array_wrap");
    return array;
}

static size_t size_found(const struct rays *rays)
{
    return rays->kernel == &bvh_blocked ? sizeof(int32_t) : sizeof(hit_t);
}

/* Returns how long it took. */
static double take_turn(struct turn *turn)
{
    const struct bench *bench = turn->bench;
    const struct rays *rays = turn->rays;
    yoke_array *in = wrap(bench, rays->rays, bench->count, sizeof(ray_t));
    yoke_array *out = wrap(bench, rays->found[OURS], bench->count, size_found(rays));
    const yoke_job job = { .kernel = rays->kernel,
                           .range = { .last = bench->count },
                           .args = { yoke_in_whole(bench->nodes), yoke_in_whole(bench->triangles),
                                     yoke_in(in), yoke_out(out) } };
    const struct cores_work work = { "Embree's rays", embree_block, turn, BLOCKS };
    const double before = seconds();
    double after;
    if (turn->peer == OURS)
        must(yoke_run(bench->cores, &job, NULL), "rays by yoke");
    else
        must(cores_run(bench->cores, &work), "rays by Embree");
    after = seconds();
    must(yoke_array_close(in), "yoke_array_close");
    must(yoke_array_close(out), "yoke_array_close");
    return after - before;
}

/* Rays for which Embree finds something else: another distance, or light where there is none. */
static int64_t count_others(const struct bench *bench, const struct rays *rays)
{
    const hit_t *ours = rays->found[OURS], *theirs = rays->found[EMBREE_HIGH];
    const int32_t *our_light = rays->found[OURS], *their_light = rays->found[EMBREE_HIGH];
    int64_t i, others = 0;
    for (i = 0; i < bench->count; i++)
        if (rays->kernel == &bvh_blocked)
            others += our_light[i] != their_light[i];
        else
            others += (ours[i].triangle < 0) != (theirs[i].triangle < 0) ||
                      (ours[i].triangle >= 0 &&
                       fabsf(ours[i].distance - theirs[i].distance) > 1e-5f * ours[i].distance);
    return others;
}

static void compare(const struct bench *bench, struct rays *rays)
{
    double took[PEERS][TURNS_MAX], rate[PEERS];
    int p, t;
    for (p = 0; p < PEERS; p++)
        rays->found[p] = room_for(bench->count, size_found(rays));
    for (t = -1; t < bench->turns; t++) /* the first is not timed */
        for (p = 0; p < PEERS; p++)
            took[p][t < 0 ? 0 : t] = take_turn(&(struct turn){ bench, rays, (enum peer)p });
    for (p = 0; p < PEERS; p++)
        rate[p] = 1e-6 * (double)bench->count / median(took[p], bench->turns);
    printf("%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8" PRId64 "\n", rays->name, rate[OURS],
           rate[EMBREE_MEDIUM], rate[EMBREE_HIGH], rate[OURS] / rate[EMBREE_MEDIUM],
           rate[OURS] / rate[EMBREE_HIGH], count_others(bench, rays));
}

static void close_rays(struct rays *rays)
{
    int p;
    free(rays->rays);
    for (p = 0; p < PEERS; p++)
        free(rays->found[p]);
}

static void compare_all(const struct bench *bench, int64_t width)
{
    struct rays eye = { .name = "eye", .kernel = &bvh_nearest };
    struct rays light = { .name = "to light", .kernel = &bvh_blocked };
    struct rays scattered = { .name = "scatter", .kernel = &bvh_nearest };
    struct scene_hits from;
    eye.rays = room_for(bench->count, sizeof(ray_t));
    light.rays = room_for(bench->count, sizeof(ray_t));
    scattered.rays = room_for(bench->count, sizeof(ray_t));
    scene_rays_of_eye(&bench->scene, width, eye.rays);
    printf("10^6 rays a second; of ours, in Embree's; rays that differ\n");
    printf("%-8s %8s %8s %8s %8s %8s %8s\n", "", "ours", "medium", "high", "/medium", "/high",
           "differ");
    compare(bench, &eye);
    from = (struct scene_hits){ &bench->scene, eye.rays, eye.found[OURS], bench->count };
    scene_rays_to_lights(&from, light.rays);
    scene_rays_scattered(&from, scattered.rays);
    compare(bench, &light);
    compare(bench, &scattered);
    close_rays(&eye);
    close_rays(&light);
    close_rays(&scattered);
}

/* The scene has its tree; another of the same triangles is built to see how long it takes. */
static double seconds_to_build(const struct path_scene *scene)
{
    const size_t size = (size_t)scene->triangle_count * sizeof(triangle_t);
    triangle_t *copy = room_for(scene->triangle_count, sizeof *copy);
    struct bvh tree;
    double before;
    memcpy(copy, scene->triangles, size);
    before = seconds();
    must(bvh_build(copy, scene->triangle_count, &tree), "bvh_build");
    before = seconds() - before;
    bvh_free(&tree);
    free(copy);
    return before;
}

static void open_trees(struct bench *bench)
{
    struct path_scene *scene = &bench->scene;
    const double ours = seconds_to_build(scene), begin = seconds();
    double medium;
    bench->embree = rtcNewDevice(NULL);
    bench->scenes[EMBREE_MEDIUM] = embree_scene(bench->embree, scene, RTC_BUILD_QUALITY_MEDIUM);
    medium = seconds();
    bench->scenes[EMBREE_HIGH] = embree_scene(bench->embree, scene, RTC_BUILD_QUALITY_HIGH);
    printf("%" PRId64 " triangles; built in %.3f s (ours: %" PRId64 " nodes, cost %.2f), %.3f s "
           "(medium), %.3f s (high)\n",
           scene->triangle_count, ours, scene->bvh.node_count, scene->bvh.cost, medium - begin,
           seconds() - medium);
    bench->nodes = wrap(bench, scene->bvh.nodes, scene->bvh.node_count, sizeof(node_t));
    bench->triangles = wrap(bench, scene->triangles, scene->triangle_count, sizeof(triangle_t));
}

static void close_trees(struct bench *bench)
{
    must(yoke_array_close(bench->nodes), "yoke_array_close");
    must(yoke_array_close(bench->triangles), "yoke_array_close");
    rtcReleaseScene(bench->scenes[EMBREE_MEDIUM]);
    rtcReleaseScene(bench->scenes[EMBREE_HIGH]);
    rtcReleaseDevice(bench->embree);
}

int main(int argc, char **argv)
{
    struct bench bench = { 0 };
    int64_t width = 512, turns = 9;
    if (argc < 2 || argc > 4 || (argc > 2 && read_size(argv[2], 1, &width) != 1) ||
        (argc > 3 && (read_size(argv[3], 1, &turns) != 1 || turns > TURNS_MAX))) {
        fprintf(stderr, "usage: %s FILE [WIDTH [TURNS]]   up to %d turns\n", argv[0], TURNS_MAX);
        return 2;
    }
    bench.count = width * width;
    bench.turns = (int)turns;
    must(path_scene_open(&(struct path_scene_spec){ .model = argv[1], .copies = 1 }, &bench.scene),
         argv[1]);
    must(cores_open(&bench.cores), "cores");
    open_trees(&bench);
    compare_all(&bench, width);
    close_trees(&bench);
    must(yoke_close(bench.cores), "yoke_close");
    path_scene_close(&bench.scene);
    return 0;
}
