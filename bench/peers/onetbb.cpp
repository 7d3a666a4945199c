// onetbb.cpp - the contestant oneTBB: parallel_for. Variants: "auto", "static" or "simple,GRAIN".
#include <cstdlib>
#include <cstring>
#include <memory>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "contestant.h"

namespace
{

using range = tbb::blocked_range<int64_t>;

std::unique_ptr<tbb::global_control> limit;
std::unique_ptr<tbb::task_arena> arena;

void open_tbb(int threads)
{
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
    arena = std::make_unique<tbb::task_arena>(threads);
}

void close_tbb()
{
    arena.reset();
    limit.reset();
}

void run_tbb(const struct loop *loop, const char *variant)
{
    const char *comma = strchr(variant, ',');
    int64_t grain = comma ? atoll(comma + 1) : 1;
    range all(0, loop->items, static_cast<size_t>(grain));
    auto body = [loop](const range &part) {
        loop->body(part.begin(), part.end(), tbb::this_task_arena::current_thread_index());
    };
    arena->execute([&] {
        if (strcmp(variant, "auto") == 0)
            tbb::parallel_for(all, body, tbb::auto_partitioner());
        else if (strcmp(variant, "static") == 0)
            tbb::parallel_for(all, body, tbb::static_partitioner());
        else if (strncmp(variant, "simple,", 7) == 0 && grain > 0)
            tbb::parallel_for(all, body, tbb::simple_partitioner());
        else
            contestant_refuse(variant, "no such partitioner; auto, static or simple,GRAIN");
    });
}

} // namespace

const struct contestant contestant = { open_tbb, close_tbb, run_tbb, nullptr, nullptr };
