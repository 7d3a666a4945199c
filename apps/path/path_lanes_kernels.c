/* path_lanes_kernels.c - the plain kernel for GPUs. A lane has one ray under way, of any kind, for
 * one pixel.
 *
 * Rays open 5 to 50 nodes, and paths have 1 to 32 bounces. If lanes follow paths side by side, as
 * in path_kernels.c, they wait for each other most of the time. Here all lanes open some nodes.
 * Then lanes whose ray has ended evaluate the hit and send the next ray: a shadow ray, the path's
 * next ray or the first ray of another path. The other lanes continue their rays in the next round.
 * So no lane waits for the end of a neighbour's ray, surface or path (docs/results/path-h200.md).
 *
 * Nodes and triangles alternate for the same reason. A lane tests two triangles at a time; if it
 * has more, it tests them while other lanes open their next nodes.
 */
#include "path_segment.h"

/* What a lane must store beside its path while a ray is under way. */
typedef struct lane {
    hit_t hit;            /* of the ray, once it has ended */
    place_on_t on;        /* the surface, where shadow rays begin */
    vec_t light;          /* of a shadow ray: the light that it brings */
    int32_t row;          /* of the surface's material */
    int32_t sent;         /* shadow rays so far, with this one; 0: the ray is the path's own */
    uint32_t first, left; /* triangles to be tested */
} lane_t;

YOKE_FN lane_t lane_empty(void)
{
    lane_t lane;
    lane.hit = YOKE_INIT(hit_t, 0.0f, 0.0f, 0.0f, -1);
    lane.on.at = lane.on.normal = lane.light = vec(0.0f, 0.0f, 0.0f);
    lane.on.inside = 0;
    lane.row = lane.sent = 0;
    lane.first = lane.left = 0u;
    return lane;
}

/* The surface's next shadow ray; after the last one, the path's next ray. */
YOKE_FN ray_t lane_send(path_setup_t setup, scene_t scene, path_t *p, lane_t *lane)
{
    const material_t m = scene.materials[lane->row];
    const int32_t shadows = path_shadows(setup, m.kind);
    while (lane->sent < shadows) {
        const int32_t k = lane->sent++;
        const shadow_t shadow = path_shadow(setup, *p, lane->on, path_source(setup, scene, *p, k));
        lane->light = shadow.light;
        if (shadow.faces) {
            p->shadows++;
            return shadow.ray;
        }
    }
    lane->sent = 0;
    path_turn(setup, p, lane->on, m);
    return path_ray(*p);
}

/* Handles the hit of the path's own ray. */
YOKE_FN void lane_arrive(path_setup_t setup, scene_t scene, path_t *p, lane_t *lane)
{
    if (lane->hit.triangle < 0) {
        path_leave(setup, p);
        return;
    }
    const triangle_t t = scene.bvh.triangles[lane->hit.triangle];
    lane->row = t.material;
    lane->on = path_where(*p, lane->hit, t);
    path_arrive(setup, p, lane->on, scene.materials[t.material]);
}

/* Handles the ray's hit; returns the next ray. */
YOKE_FN ray_t lane_settle(path_setup_t setup, scene_t scene, path_t *p, lane_t *lane)
{
    if (lane->sent == 0)
        lane_arrive(setup, scene, p, lane);
    else if (lane->hit.triangle < 0)
        path_gather(p, lane->light);
    if (p->bounce >= 0) {
        const ray_t ray = lane_send(setup, scene, p, lane);
        if (p->bounce >= 0)
            return ray;
    }
    p->sample++;
    path_begin(setup, p);
    return path_ray(*p);
}

/* Opens a node, if no triangle of the last node is left; then tests up to PATH_MEETS triangles. A
 * shadow ray ends at its first hit. */
YOKE_FN void lane_look(bvh_t bvh, walk_t *walk, lane_t *lane, uint32_t *stack)
{
    if (lane->left == 0u)
        lane->left = path_open(bvh, walk, stack, &lane->first);
    YOKE_UNROLL(1)
    for (int k = 0; k < PATH_MEETS && lane->left != 0u; k++) {
        const uint32_t lowest = 31u - PATH_LEADING_ZEROS(lane->left & (0u - lane->left));
        lane->left &= lane->left - 1u;
        path_meet(bvh.triangles, (int32_t)(lane->first + lowest), walk);
        if (lane->sent > 0 && walk->found.triangle >= 0)
            lane->left = walk->mask = 0u;
    }
}

YOKE_GROUP_KERNEL(path_lanes, i, PATH_GROUP, PATH_GROUP, YOKE_VALUE(path_setup_t, setup),
                  YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
                  YOKE_IN(material_t, materials), YOKE_IN(light_t, lights),
                  YOKE_OUT(pixel_t, pixels))
{
    YOKE_LANES(l)
    {
        uint32_t stack[2 * PATH_BVH_LEVELS];
        path_t p;
        walk_t walk;
        lane_t lane;
        if (l >= YOKE_COUNT)
            continue;
        p = path_start(setup, (int32_t)i + l);
        walk = path_walk_begin(path_ray(p));
        lane = lane_empty();
        while (p.sample < setup.last) {
            YOKE_UNROLL(1)
            for (int k = 0; k < PATH_LOOKS && (lane.left != 0u || path_walk_goes_on(&walk)); k++)
                lane_look(YOKE_INIT(bvh_t, nodes, triangles), &walk, &lane, stack);
            if (lane.left == 0u && !path_walk_goes_on(&walk)) {
                lane.hit = walk.found;
                walk = path_walk_begin(lane_settle(setup, PATH_SCENE, &p, &lane));
            }
        }
        pixels[i + l] = path_pixel_of(p);
    }
}
