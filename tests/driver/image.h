/* image.h - the format that the stand-in compiler writes and the stand-in driver loads: a header,
 * then a shared object for the host. For C and, by entry part, C++.
 *
 * Real machine code fits one GPU, and PTX needs a driver that is new enough. So the header names
 * the target, and the driver refuses what a real one would refuse. */
#ifndef STANDIN_IMAGE_H
#define STANDIN_IMAGE_H

enum standin_image_kind { STANDIN_CUBIN = 1, STANDIN_PTX };
struct standin_image {
    char magic[8];           /* STANDIN_MAGIC */
    int kind, arch, version; /* 80 is compute capability 8.0; version 13000 is CUDA 13.0 */
    int reserved;
    unsigned long bytes; /* of the shared object that follows */
};
#define STANDIN_MAGIC "standin"

/* The most shared memory that a launch may ask for. */
#define STANDIN_SHARED_BYTES (48 << 10)

/* ---- in the shared object, written by emulation.h ---- */

/* Indices of the running thread and its block; one for each thread of the host. */
struct standin_triple {
    unsigned x, y, z;
};
struct standin_indices {
    struct standin_triple thread, block, block_size, grid_size;
};

/* "standin_entry_NAME" for each __global__ NAME. */
struct standin_entry {
    void (*call)(void *const *args); /* runs one thread of the kernel */
    int count;                       /* number of parameters */
    const unsigned *sizes;
};

/* "standin_open": sets the function for __syncthreads(); returns the calling thread's indices. */
typedef struct standin_indices *standin_open_fn(void (*barrier)(void));

#endif
