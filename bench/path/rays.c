/* rays.c - rays per second through the path tracer's tree; through Embree by handwritten functions
 * that yoke calls; and through Embree alone, with single rays. All use the same rays and cores, in
 * turns; medians.
 *
 *     yoke-bench-rays FILE [WIDTH [TURNS]]
 *
 * FILE is a mesh, which is placed in the Cornell box. There are WIDTH x WIDTH rays from the eye;
 * from their hits as many rays go to the light, and as many are scattered.
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
#include "path/path_embree.h"
#include "scene_rays.h"

enum { TURNS_MAX = 101, BLOCKS = 64, PEERS = 4 };
enum peer { OURS, BY_HAND, MEDIUM, HIGH }; /* the last two: Embree alone */

extern const yoke_kernel bvh_nearest, bvh_blocked;

struct bench {
    yoke_runtime *cores;
    struct path_scene scene;
    yoke_array *nodes, *triangles;
    path_embree *scenes[PEERS]; /* NULL for OURS */
    int64_t count;              /* rays of each kind */
    int turns;
};

struct rays { /* the rays of one kind */
    const char *name;
    const yoke_kernel *kernel; /* bvh_nearest, bvh_blocked */
    ray_t *rays;
    void *found[PEERS]; /* hits, or for bvh_blocked int32_t */
};

/* One turn of a peer. */
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
    const RTCScene scene = (RTCScene)turn->bench->scenes[turn->peer];
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

/* Handwritten CPU functions of the kernels. They are like those of the tests, but use other
 * rays. */
static path_embree *scene_by_hand;
static void nearest_by_hand(void *const *args, const yoke_chunk *chunk)
{
    const ray_t *rays = args[2];
    hit_t *hits = args[3];
    int64_t i;
    for (i = chunk->first; i < chunk->last; i++)
        hits[i] = path_embree_nearest(scene_by_hand, rays[i]);
}

static void blocked_by_hand(void *const *args, const yoke_chunk *chunk)
{
    const ray_t *rays = args[2];
    int32_t *blocked = args[3];
    int64_t i;
    for (i = chunk->first; i < chunk->last; i++)
        blocked[i] = path_embree_blocked(scene_by_hand, rays[i]);
}

static yoke_kernel by_hand(const yoke_kernel *kernel)
{
    yoke_kernel mine = *kernel;
    int v;
    for (v = 1; v < YOKE_CPU_VARIANTS; v++)
        mine.cpu.variant[v] = NULL;
    mine.cpu.variant[0] = kernel == &bvh_blocked ? blocked_by_hand : nearest_by_hand;
    return mine;
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

/* Returns the seconds it took. */
static double take_turn(struct turn *turn)
{
    const struct bench *bench = turn->bench;
    const struct rays *rays = turn->rays;
    yoke_array *in = wrap(bench, rays->rays, bench->count, sizeof(ray_t));
    yoke_array *out = wrap(bench, rays->found[turn->peer], bench->count, size_found(rays));
    const yoke_kernel hand = by_hand(rays->kernel);
    const yoke_job job = { .kernel = turn->peer == BY_HAND ? &hand : rays->kernel,
                           .range = { .last = bench->count },
                           .args = { yoke_in_whole(bench->nodes), yoke_in_whole(bench->triangles),
                                     yoke_in(in), yoke_out(out) } };
    const struct cores_work work = { "Embree's rays", embree_block, turn, BLOCKS };
    const double before = seconds();
    double after;
    if (turn->peer <= BY_HAND)
        must(yoke_run(bench->cores, &job, NULL), "rays by yoke");
    else
        must(cores_run(bench->cores, &work), "rays by Embree");
    after = seconds();
    must(yoke_array_close(in), "yoke_array_close");
    must(yoke_array_close(out), "yoke_array_close");
    return after - before;
}

/* Counts rays with another result than Embree's: another distance, or light where Embree finds
 * none. */
static int64_t count_others(const struct bench *bench, const struct rays *rays, enum peer peer)
{
    const hit_t *ours = rays->found[peer], *theirs = rays->found[HIGH];
    const int32_t *our_light = rays->found[peer], *their_light = rays->found[HIGH];
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
    for (t = -1; t < bench->turns; t++) /* the first turn is not timed */
        for (p = 0; p < PEERS; p++)
            took[p][t < 0 ? 0 : t] = take_turn(&(struct turn){ bench, rays, (enum peer)p });
    for (p = 0; p < PEERS; p++)
        rate[p] = 1e-6 * (double)bench->count / median(took[p], bench->turns);
    printf("%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8" PRId64 " %8" PRId64 "\n", rays->name,
           rate[OURS], rate[BY_HAND], rate[MEDIUM], rate[HIGH], rate[OURS] / rate[MEDIUM],
           rate[OURS] / rate[HIGH], rate[BY_HAND] / rate[HIGH], count_others(bench, rays, OURS),
           count_others(bench, rays, BY_HAND));
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
    printf(
        "10^6 rays a second: ours, by yoke with Embree's, Embree alone; of ours and those by yoke, "
        "in Embree's; rays that differ\n");
    printf("%-8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "", "ours", "by yoke", "medium", "high",
           "/medium", "/high", "by/high", "differ", "by yoke");
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

/* Builds another tree of the same triangles, to time it: the scene already has its tree. */
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

static path_embree *embree_scene(const struct path_scene *scene, enum path_embree_tree tree)
{
    const struct path_embree_spec spec = { scene->triangles, scene->triangle_count, tree };
    path_embree *out;
    must(path_embree_open(&spec, &out), "Embree's scene");
    return out;
}

static void open_trees(struct bench *bench)
{
    struct path_scene *scene = &bench->scene;
    const double ours = seconds_to_build(scene), begin = seconds();
    double medium;
    bench->scenes[MEDIUM] = embree_scene(scene, EMBREE_MEDIUM);
    medium = seconds();
    bench->scenes[HIGH] = bench->scenes[BY_HAND] = scene_by_hand = embree_scene(scene, EMBREE_HIGH);
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
    path_embree_close(bench->scenes[MEDIUM]);
    path_embree_close(bench->scenes[HIGH]);
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
