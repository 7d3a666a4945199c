/*
 * path_bvh_node.h - a node of the tree, as in Ylitie, Karras and Laine, "Efficient incoherent ray
 * traversal on GPUs through compressed wide BVHs" (2017): up to eight children in 80 bytes.
 *
 * Children lie in slots. Bit k of a slot's number is set if the child lies towards the far end of
 * axis k. So ascending (slot ^ signs of the direction) is roughly the order along a ray. For each
 * axis, a child's box goes from corner + low * 2^e to corner + high * 2^e, with an e of that axis.
 *
 * The slot's byte of `holds` describes its content. The slot's share of a mask has as many bits as
 * the upper three bits of the byte have ones. The lower five bits say where the share begins:
 *     0                 nothing
 *     001, 24 + slot    a node; nodes lie together from first_node on, in the order of their slots
 *     001 011 111, n    1, 2 or 3 triangles, from first_triangle + n on
 */
#ifndef YOKE_APPS_PATH_BVH_NODE_H
#define YOKE_APPS_PATH_BVH_NODE_H

#include <yoke/kernel.h>

/* Devices read words, whose lowest byte is the first; the host reads bytes. The low planes come
 * first, axis by axis: x, y, z; then the high planes. */
typedef struct YOKE_ALIGN(16) node {
    float x, y, z;
#ifdef YOKE_FLATTEN
    /* Three exponents, each as a float's (2^e has the bits e << 23), and the bits of slots that
     * hold nodes. */
    uint32_t scales;
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

/* The stack's limit: groups of nodes that wait while a node below is opened. There is at most one
 * per level, and the builder makes no tree with more levels. */
enum { PATH_BVH_LEVELS = 48 };

#endif
