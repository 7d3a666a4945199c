/* path_embree.h - rays by Embree 3 on cores, where it is installed; building needs nothing of it.
 *
 * Hits are Embree's, whose last bits are its own, and so a picture is the same as by path_bvh.h
 * within noise only. Devices go on with that.
 */
#ifndef YOKE_APPS_PATH_PATH_EMBREE_H
#define YOKE_APPS_PATH_PATH_EMBREE_H

#include <yoke/status.h>

#include "path_kernels.h"

typedef struct path_embree path_embree; /* a scene of Embree's */

enum path_embree_tree {
    EMBREE_HIGH,
    EMBREE_MEDIUM
}; /* which takes a quarter of the time to build */
struct path_embree_spec {
    const triangle_t *triangles; /* hits tell their numbers here; not needed later */
    int64_t count;
    enum path_embree_tree tree;
};

/* Embree is loaded with the first scene, and stays. YOKE_EIO if it cannot be, YOKE_ENOMEM. */
yoke_status path_embree_open(const struct path_embree_spec *spec, path_embree **out);
void path_embree_close(path_embree *scene); /* NULL is fine */

hit_t path_embree_nearest(path_embree *scene, ray_t ray);
int path_embree_blocked(path_embree *scene, ray_t ray); /* 1: there is something before ray.far */

/* path_by_embree.c: what path_plain and path_steps do on cores, in the scene that setup.embree is;
 * nothing for devices. */
extern const yoke_kernel path_plain_by_embree, path_steps_by_embree;

#endif
