/* shapes.h - types shared by the test kernels and the program that checks them: like a user's
 * header, with a standard include. */
#ifndef TESTS_KERNEL_SHAPES_H
#define TESTS_KERNEL_SHAPES_H

#include <stdint.h>

typedef struct body {
    float x, y, z, mass;
} body_t;

/* Every kind of padding. */
typedef struct mixed {
    int8_t tag;
    double weight;
    int32_t count;
    float axis[3];
    int16_t low;
    uint64_t wide;
} mixed_t;

#define TILE 64
#define PART 16
#define BINS 37
#define FEW  32

#endif
