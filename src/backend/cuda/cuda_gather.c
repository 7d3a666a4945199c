/* cuda_gather.c - launches of kernels that add: whether a block gathers its additions in shared
 * memory (yoke/kernel_gather_cuda.h), and how many turns it does.
 *
 * A block gathers if its sums take no more than its part of a multiprocessor's shared memory, so
 * that as many threads run at once as without. More turns for a block mean fewer blocks, each of
 * which must clear its sums and add them to the device's; but enough blocks must be left for all
 * multiprocessors, and sums that all threads add to at once lose with more turns. (An H200,
 * k-means: with 1 million points 1, 4 and 16 turns take 67, 54 and 62 us; with 10 million 601, 424
 * and 405 us.) If each thread keeps its sums, more turns cost nothing. (Two sums over 32 million
 * floats: 8, 16 and 64 turns take 72, 67 and 62 us.)
 */
#include "cuda.h"

/* Limit of a launch that asks for no more, and what the driver takes of it for each block. */
enum { SHARED_MOST = 48 << 10, RESERVED = 1 << 10, TURNS_MOST = 8 };

int64_t yk_cuda_shared_room(const struct yk_cuda_device *device, int64_t threads)
{
    const int64_t part = device->shared_bytes * threads * device->base.desc.cores;
    const int64_t room = part / device->base.desc.fill - RESERVED;
    return room < SHARED_MOST ? room : SHARED_MOST;
}

int64_t yk_cuda_gathered_bytes(const struct yk_program *program, const struct yk_launch *launch,
                               int64_t threads)
{
    int64_t bytes = 0;
    if (!program->generated || program->shape.lanes || program->shape.is_step)
        return 0;
    for (int p = 0; p < program->shape.param_count; ++p)
        if (program->shape.params[p].mode == YOKE_PARAM_ADD)
            bytes += launch->args[p].apart;
    return bytes <= yk_cuda_shared_room(program->device, threads) ? bytes : 0;
}

int64_t yk_cuda_gather_turns(const struct yk_program *program, int keeps_sums, int64_t blocks,
                             int64_t threads)
{
    const int64_t turns = blocks * threads / program->device->base.desc.fill;
    const int64_t most = keeps_sums ? blocks : TURNS_MOST;
    return turns < 1 ? 1 : turns < most ? turns : most;
}
