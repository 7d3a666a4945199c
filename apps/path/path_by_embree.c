/* path_by_embree.c - the kernels of path_kernels.c again, for cores only: Embree traces the rays,
 * everything else is the same code.
 */
#include "path_embree.h"

#define SCENE             ((path_embree *)(uintptr_t)setup.embree)
#define PATH_NEAREST(ray) path_embree_nearest(SCENE, ray)
#define PATH_BLOCKED(ray) path_embree_blocked(SCENE, ray)
#define path_plain        path_plain_by_embree
#define path_steps        path_steps_by_embree
#include "path_kernels.c"
