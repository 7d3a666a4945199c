/* body.h - stars as stored by applications with gravity, and as their kernels see them. */
#ifndef YOKE_APPS_BODY_H
#define YOKE_APPS_BODY_H

#include <yoke/kernel.h>

/* Aligned, so that a GPU loads and stores each in one operation. */
typedef struct YOKE_ALIGN(16) body {
    float x, y, z, mass;
} body_t;

typedef struct YOKE_ALIGN(16) vector {
    float x, y, z, unused;
} vector_t;

#endif
