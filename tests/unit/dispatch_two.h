/* dispatch_two.h - a dispatcher for a CPU device and a GPU, driven step by step by a test; its
 * bookkeeping is checked after every step. */
#ifndef DISPATCH_TWO_H
#define DISPATCH_TWO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"

static const struct yk_split_device cpu2 = {
    .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .share = -1
};
static const struct yk_split_device gpu2 = { .name = "gpu", .lanes = 2, .fill = 1, .share = -1 };

static inline struct yk_dispatch *open_two(const char *partitioner, int64_t items,
                                           int all_or_nothing)
{
    const struct yk_split_device devices[] = { cpu2, gpu2 };
    struct yk_split_spec spec = { .last = items,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = 2,
                                  .partitioner = partitioner,
                                  .all_or_nothing = all_or_nothing };
    struct yk_dispatch *dispatch;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    return dispatch;
}

static inline enum yk_verdict next(struct yk_dispatch *dispatch, int device, struct yk_chunk *chunk)
{
    int64_t wake_ns;
    enum yk_verdict verdict =
        yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, 1 }, chunk, &wake_ns);
    assert_true(yk_dispatch_check(dispatch));
    return verdict;
}

static inline void done(struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                        int64_t completed)
{
    struct yk_chunk_times times = { .issued = 1, .ended = 101 };
    yk_dispatch_done(dispatch, chunk, completed, &times);
    assert_true(yk_dispatch_check(dispatch));
}

static inline void assert_chunk(const struct yk_chunk *chunk, int64_t first, int64_t last)
{
    assert_int_equal(chunk->first, first);
    assert_int_equal(chunk->last, last);
}

#endif
