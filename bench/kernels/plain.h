/* plain.h - the loops of kernels.c without yoke, in OpenMP (openmp.c) or in CUDA (cuda.cu): shared
 * objects, each with its `const struct plain plain_loops`. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* Begins a loop over `size` indexes. An argument is the address of a value, or the first element of
 * an array, where the loop has it. */
typedef void plain_fn(void *const *arguments, const int64_t *size);

/* K(name) for each kernel of kernels.c. */
#define PLAIN_KERNELS(K)                                                                           \
    K(mandelbrot)                                                                                  \
    K(blur_rows)                                                                                   \
    K(blur_columns)                                                                                \
    K(black_scholes)                                                                               \
    K(binomial)                                                                                    \
    K(dot_add)                                                                                     \
    K(dot_group)                                                                                   \
    K(dot_rows)                                                                                    \
    K(histogram)                                                                                   \
    K(stencil)                                                                                     \
    K(push)                                                                                        \
    K(lookup)                                                                                      \
    K(gather)                                                                                      \
    K(mixed)                                                                                       \
    K(saxpy)

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
