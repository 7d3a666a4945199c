/* cuda_spread.c - launches of kernels that reduce: how many threads each lane of a group has
 * (yoke/kernel_spread_cuda.h).
 *
 * Twice as many until all groups of the range together have 1 / BUSY_PART of the threads that the
 * device can hold, which hide its latencies. More would only share its caches: the product of a
 * sparse matrix with 2 million rows took 1.2 ms with 250,000 threads, 0.8 with 125,000 (H200). The
 * chunk does not matter: compilers may round a sum in one entry differently than in the other, and
 * so a result of the same range on the same device always comes from the same one.
 */
#include <stdio.h>
#include <yoke/kernel_reduce.h>

#include "../../access/gives.h"
#include "cuda.h"

enum { BUSY_PART = 4 };

int yk_cuda_may_spread(const struct yk_program *program, const yoke_kernel *kernel)
{
    int64_t bytes = 0;
    if (!program->generated || !program->shape.reduces || kernel->lanes || kernel->dimensions > 1)
        return 0;
    for (int p = 0; p < program->shape.param_count; ++p)
        if (program->shape.params[p].mode == YOKE_PARAM_REDUCE)
            bytes += program->shape.params[p].size;
    return bytes * YK_SPREAD_SECTION(bytes) <=
               yk_cuda_shared_room(program->device, 2 * YK_REDUCE_LANES) &&
           yk_gives_apart(kernel, kernel->cuda.source.text);
}

int yk_cuda_spread(const struct yk_program *program, const struct yk_launch *launch)
{
    int threads = program->shape.lanes;
    if (!program->spread_function)
        return threads;
    while (2 * threads <= YK_SPREAD_MOST && 2 * threads <= launch->blocks.size &&
           launch->block_count * threads < program->device->base.desc.fill / BUSY_PART)
        threads *= 2;
    return threads;
}
