/* for_kernels.h - see for_kernels.c. */
#ifndef FOR_KERNELS_H
#define FOR_KERNELS_H

typedef struct f_body {
    float x, y;
} f_body;

#endif
