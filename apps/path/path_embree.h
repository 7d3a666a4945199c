/* path_embree.h - traces rays by Embree 3 on cores, if it is installed. Building needs nothing of
 * Embree.
 *
 * Embree's hits differ from path_bvh.h's in the last bits. So the picture is the same only within
 * noise. Devices keep using path_bvh.h.
 */
#ifndef YOKE_APPS_PATH_PATH_EMBREE_H
#define YOKE_APPS_PATH_PATH_EMBREE_H

#include <yoke/status.h>

#include "path_kernels.h"

typedef struct path_embree path_embree; /* a scene of Embree */

enum path_embree_tree { EMBREE_HIGH, EMBREE_MEDIUM }; /* MEDIUM builds four times as fast */
struct path_embree_spec {
    const triangle_t *triangles; /* hits name a triangle by its index; used only while opening */
    int64_t count;
    enum path_embree_tree tree;
};

/* Embree is loaded with the first scene and stays loaded. YOKE_EIO: it cannot be loaded;
 * YOKE_ENOMEM. */
yoke_status path_embree_open(const struct path_embree_spec *spec, path_embree **out);
void path_embree_close(path_embree *scene); /* NULL is allowed */

hit_t path_embree_nearest(path_embree *scene, ray_t ray);
int path_embree_blocked(path_embree *scene, ray_t ray); /* 1: something is hit before ray.far */

/* path_by_embree.c: path_plain and path_steps for cores, with the scene in setup.embree. They have
 * no code for devices. */
extern const yoke_kernel path_plain_by_embree, path_steps_by_embree;

#endif
