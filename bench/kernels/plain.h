/* plain.h - the loops of kernels.c without yoke, in OpenMP (openmp.c) or in CUDA (cuda.cu): shared
 * objects, each with its `const struct plain plain_loops`. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* Begins a loop over `size` indexes. An argument is the address of a value, or the first element of
 * an array, where the loop has it. */
typedef void plain_fn(void *const *arguments, const int64_t *size);

/* K(name, margin) for each kernel of kernels.c. Indexes closer to an end of a dimension than the
 * margin are left out. */
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

/* A way to run loops. Whatever fails ends the program, with the reason. */
struct plain {
    const char *name;                      /* "OpenMP" */
    plain_fn *(*find)(const char *kernel); /* NULL: there is none of that name */
    void (*wait)(void);                    /* until what was begun is done */
    /* The memory that loops use, and copies there and back. All NULL: the program's own. */
    void *(*take)(size_t bytes);
    void (*put)(void *to, const void *host, size_t bytes);
    void (*get)(void *host, const void *from, size_t bytes);
    void (*give)(void *memory);
};

#endif
