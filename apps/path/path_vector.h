/* path_vector.h - vectors of three numbers. */
#ifndef YOKE_APPS_PATH_VECTOR_H
#define YOKE_APPS_PATH_VECTOR_H

#include "../exact.h"

typedef struct vec {
    float x, y, z;
} vec_t;

YOKE_FN vec_t vec(float x, float y, float z)
{
    return YOKE_INIT(vec_t, x, y, z);
}
/* a + s b */
YOKE_FN vec_t vec_add(vec_t a, float s, vec_t b)
{
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
YOKE_FN vec_t vec_scale(float s, vec_t a)
{
    return vec(s * a.x, s * a.y, s * a.z);
}
YOKE_FN vec_t vec_times(vec_t a, vec_t b)
{
    return vec(a.x * b.x, a.y * b.y, a.z * b.z);
}
YOKE_FN float vec_dot(vec_t a, vec_t b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
YOKE_FN vec_t vec_cross(vec_t a, vec_t b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* A vector of length 1; the length of `a` must be 1e-18 to 1e18. */
YOKE_FN vec_t vec_unit(vec_t a)
{
    return vec_scale(exact_reciprocal(exact_root(vec_dot(a, a))), a);
}
YOKE_FN float vec_most(vec_t a)
{
    return exact_most(a.x, exact_most(a.y, a.z));
}

#endif
