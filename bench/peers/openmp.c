/* openmp.c - the contestant OpenMP. Variants: "static" (one block per thread, the standard's
 * default), or "SCHEDULE,BLOCK": static (cyclic), dynamic or guided, with BLOCK items per block.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

static void open_openmp(int threads)
{
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
}

static void close_openmp(void)
{
    omp_pause_resource_all(omp_pause_hard);
}

static void run_blocks(const struct loop *loop, omp_sched_t schedule, int64_t block)
{
    int64_t blocks = (loop->items + block - 1) / block, b;
    omp_set_schedule(schedule, 1);
#pragma omp parallel for schedule(runtime)
    for (b = 0; b < blocks; b++) {
        int64_t last = (b + 1) * block < loop->items ? (b + 1) * block : loop->items;
        loop->body(b * block, last, omp_get_thread_num());
    }
}

static void run_static(const struct loop *loop)
{
#pragma omp parallel
    {
        int64_t id = omp_get_thread_num(), all = omp_get_num_threads();
        loop->body(loop->items * id / all, loop->items * (id + 1) / all, (int)id);
    }
}

static void run_openmp(const struct loop *loop, const char *variant)
{
    const char *comma = strchr(variant, ',');
    int64_t block = comma ? atoll(comma + 1) : 0;
    if (strcmp(variant, "static") == 0)
        run_static(loop);
    else if (block < 1)
        contestant_refuse(variant, "give static, or static, dynamic or guided with ,BLOCK");
    else if (strncmp(variant, "static", 6) == 0)
        run_blocks(loop, omp_sched_static, block);
    else if (strncmp(variant, "dynamic", 7) == 0)
        run_blocks(loop, omp_sched_dynamic, block);
    else if (strncmp(variant, "guided", 6) == 0)
        run_blocks(loop, omp_sched_guided, block);
    else
        contestant_refuse(variant, "no such schedule; static, dynamic or guided");
}

const struct contestant contestant = { .open = open_openmp,
                                       .close = close_openmp,
                                       .run = run_openmp };
