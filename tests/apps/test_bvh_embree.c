/* test_bvh_embree.c - the bunny's rays compared with Embree, which has its own tree and its own
 * triangle test. Skipped if the model is not installed (Debian: glmark2-data). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <embree3/rtcore.h>

#include "bvh_kernels.h"
#include "path/bvh.h"
#include "path/mesh.h"
#include "random.h"

enum { RAYS = 100000 };
static ray_t rays[RAYS];
static hit_t hits[RAYS];
static int32_t blocked[RAYS];

static triangle_t *triangles_of(const struct mesh *mesh)
{
    triangle_t *triangles = malloc((size_t)mesh->face_count * sizeof *triangles);
    int64_t i;
    assert_non_null(triangles);
    for (i = 0; i < mesh->face_count; i++) {
        const float *o = mesh->vertices[mesh->faces[i].corners[0]];
        const float *a = mesh->vertices[mesh->faces[i].corners[1]];
        const float *b = mesh->vertices[mesh->faces[i].corners[2]];
        triangles[i] =
            (triangle_t){ o[0],        o[1], o[2],        0,           a[0] - o[0], a[1] - o[1],
                          a[2] - o[2], -1,   b[0] - o[0], b[1] - o[1], b[2] - o[2], (int32_t)i };
    }
    return triangles;
}

/* Embree's own tree over the same corners. */
static RTCScene scene_of(RTCDevice device, const struct mesh *mesh)
{
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float(*vertices)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                sizeof *vertices, (size_t)mesh->vertex_count);
    uint32_t(*faces)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof *faces,
                                (size_t)mesh->face_count);
    int64_t i;
    int k;
    for (i = 0; i < mesh->vertex_count; i++)
        for (k = 0; k < 3; k++)
            vertices[i][k] = mesh->vertices[i][k];
    for (i = 0; i < mesh->face_count; i++)
        for (k = 0; k < 3; k++)
            faces[i][k] = (uint32_t)mesh->faces[i].corners[k];
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

/* From around the model into its box, most of them through it. */
static void make_rays(const struct mesh *mesh)
{
    float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    uint64_t draws = 0;
    int64_t i;
    int k;
    for (i = 0; i < mesh->vertex_count; i++)
        for (k = 0; k < 3; k++) {
            low[k] = fminf(low[k], mesh->vertices[i][k]);
            high[k] = fmaxf(high[k], mesh->vertices[i][k]);
        }
    for (i = 0; i < RAYS; i++) {
        float from[3], d[3], length = 0;
        for (k = 0; k < 3; k++) {
            const float size = high[k] - low[k];
            from[k] = low[k] + size * (2 * (float)random_uniform(2, draws++) - 0.5f);
            d[k] = low[k] + size * (float)random_uniform(2, draws++) - from[k];
            length += d[k] * d[k];
        }
        length = sqrtf(length);
        rays[i] = (ray_t){ from[0],       from[1],       from[2], d[0] / length,
                           d[1] / length, d[2] / length, INFINITY };
    }
}

static void trace(const struct bvh *tree, triangle_t *triangles)
{
    void *const nearest[] = { tree->nodes, triangles, rays, hits };
    void *const any[] = { tree->nodes, triangles, rays, blocked };
    const yoke_chunk chunk = { .last = RAYS, .extent = { 1, 1 } };
    bvh_nearest.cpu.variant[0](nearest, &chunk);
    bvh_blocked.cpu.variant[0](any, &chunk);
}

/* Distances are equal within rounding. Rays that graze a triangle may hit in one of the two only:
 * they are counted, and may be one in ten thousand. */
static void same_distances_as_embree(void **unused)
{
    struct mesh mesh;
    struct bvh tree;
    struct RTCIntersectContext context;
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene;
    triangle_t *triangles;
    int i, other = 0, met = 0;
    (void)unused;
    assert_int_equal(mesh_load(BUNNY, &mesh), YOKE_OK);
    triangles = triangles_of(&mesh);
    assert_int_equal(bvh_build(triangles, mesh.face_count, &tree), YOKE_OK);
    scene = scene_of(device, &mesh);
    make_rays(&mesh);
    trace(&tree, triangles);
    rtcInitIntersectContext(&context);
    for (i = 0; i < RAYS; i++) {
        const ray_t *r = &rays[i];
        struct RTCRayHit hit = { .ray = { r->x, r->y, r->z, 0, r->dx, r->dy, r->dz, 0, INFINITY,
                                          ~0u, 0, 0 },
                                 .hit.geomID = RTC_INVALID_GEOMETRY_ID };
        rtcIntersect1(scene, &context, &hit);
        if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID)
            other += hits[i].triangle >= 0;
        else
            other += hits[i].triangle < 0 || fabsf(hits[i].distance - hit.ray.tfar) > 1e-5f;
        met += hits[i].triangle >= 0;
        assert_int_equal(blocked[i], hits[i].triangle >= 0);
    }
    print_message("%d of %d rays hit the bunny; for %d Embree finds something else\n", met, RAYS,
                  other);
    assert_true(met > RAYS / 4);
    assert_true(other <= RAYS / 10000);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    bvh_free(&tree);
    free(triangles);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_distances_as_embree) };
    if (access(BUNNY, R_OK) != 0)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
