/* image.h - what the stand-in compiler makes and the stand-in driver loads: a header, and behind it
 * a shared object for the host. For C and, by entry part, C++.
 *
 * Real machine code fits one GPU, and PTX drivers that are new enough; so the header says for what
 * it was made, and the driver refuses what a real one would.
 */
#ifndef STANDIN_IMAGE_H
#define STANDIN_IMAGE_H

enum standin_image_kind { STANDIN_CUBIN = 1, STANDIN_PTX };
struct standin_image {
    char magic[8];           /* STANDIN_MAGIC */
    int kind, arch, version; /* made for 80, compute capability 8.0; by CUDA 13000 */
    int reserved;
    unsigned long bytes; /* of the shared object that follows */
};
#define STANDIN_MAGIC "standin"

/* ---- in the shared object, written by emulation.h ---- */

/* Which thread of which block runs; one for each thread of the host. */
struct standin_triple {
    unsigned x, y, z;
};
struct standin_indices {
    struct standin_triple thread, block, block_size, grid_size;
};

/* "standin_entry_NAME" for each __global__ NAME. */
struct standin_entry {
    void (*call)(void *const *args); /* one thread of it */
    int count;                       /* of its parameters */
    const unsigned *sizes;
};

/* "standin_open": tells what __syncthreads() does; gives the calling thread's indices. */
typedef struct standin_indices *standin_open_fn(void (*barrier)(void));

#endif
