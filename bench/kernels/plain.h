/* plain.h - the loops of kernels.c without yoke, in OpenMP (openmp.c) or in CUDA (cuda.cu). Each is
 * a shared object with a `const struct plain plain_loops`. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* Starts a loop over `size` indexes. An argument is the address of a value, or of an array's first
 * element, in the loop's memory. */
typedef void plain_fn(void *const *arguments, const int64_t *size);

/* K(name, margin) for each kernel of kernels.c. Indexes closer than `margin` to an end of a
 * dimension are left out. */
#define PLAIN_KERNELS(K)                                                                           \
    K(mandelbrot, 0)                                                                               \
    K(blur_rows, 0)                                                                                \
    K(blur_columns, 0)                                                                             \
    K(black_scholes, 0)                                                                            \
    K(binomial, 0)                                                                                 \
    K(dot_add, 0)                                                                                  \
    K(dot_group, 0)                                                                                \
    K(dot_rows, 0)                                                                                 \
    K(histogram, 0)                                                                                \
    K(stencil, 0)                                                                                  \
    K(stencil_interior, 1)                                                                         \
    K(push, 0)                                                                                     \
    K(lookup, 0)                                                                                   \
    K(gather, 0)                                                                                   \
    K(mixed, 0)                                                                                    \
    K(saxpy, 0)
#define PLAIN_MARGIN(name, margin) margin_##name = margin,
enum { PLAIN_KERNELS(PLAIN_MARGIN) };

/* A way to run loops. A failure ends the program with a message. */
struct plain {
    const char *name;                      /* "OpenMP" */
    plain_fn *(*find)(const char *kernel); /* NULL: there is no loop of that name */
    void (*wait)(void);                    /* waits until started loops have ended */
    /* Memory for loops, and copies to and from it. All NULL: loops use the program's own memory. */
    void *(*take)(size_t bytes);
    void (*put)(void *to, const void *host, size_t bytes);
    void (*get)(void *host, const void *from, size_t bytes);
    void (*give)(void *memory);
};

#endif
