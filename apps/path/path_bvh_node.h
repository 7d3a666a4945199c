/* path_bvh_node.h - a node of the tree, as in Ylitie, Karras and Laine, "Efficient incoherent ray
 * traversal on GPUs through compressed wide BVHs" (2017): up to eight children in 80 bytes.
 *
 * Children lie in slots. Bit k of a slot's number is set where the child lies to the far end of
 * axis k, so that ascending (slot ^ signs of the direction) is about the order along a ray. A
 * child's box is from corner + low * 2^e to corner + high * 2^e, for each axis with its own e.
 *
 * What a slot holds is in its byte of `holds`, whose upper three bits are as many bits set as its
 * share of a mask has, and the lower five are where that share begins:
 *     0                 nothing
 *     001, 24 + slot    a node; they lie together from first_node on, in the order of their slots
 *     001 011 111, n    1, 2 or 3 triangles, from first_triangle + n on
 */
#ifndef YOKE_APPS_PATH_BVH_NODE_H
#define YOKE_APPS_PATH_BVH_NODE_H

#include <yoke/kernel.h>

/* Devices read words, the first byte lowest; the host reads bytes. The order of the axes' low
 * planes is x, y, z; the high ones follow. */
typedef struct YOKE_ALIGN(16) node {
    float x, y, z;
#ifdef YOKE_FLATTEN
    uint32_t scales; /* three exponents, each as a float's: 2^e is (e << 23) as bits; slots of nodes
                      */
    uint32_t first_node, first_triangle, holds0, holds1;
    uint32_t low_x0, low_x1, low_y0, low_y1, low_z0, low_z1;
    uint32_t high_x0, high_x1, high_y0, high_y1, high_z0, high_z1;
#else
    uint8_t scale[3];
    uint8_t inner; /* bit s: slot s holds a node */
    uint32_t first_node, first_triangle;
    uint8_t holds[8];
    uint8_t planes[6][8];
#endif
} node_t;

/* Groups of nodes that wait while one of a level above them is being looked into: one a level, and
 * the builder makes no tree with more levels. */
enum { PATH_BVH_LEVELS = 48 };

#endif
