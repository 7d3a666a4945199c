/* pins.h - what tests of pinned memory share: how much of some host memory yoke has pinned, and a
 * close after which nothing is pinned or allocated. For programs that see yoke's internals.
 */
#ifndef YK_TESTS_PINS_H
#define YK_TESTS_PINS_H

#include "array/pinner.h"
#include "ok.h"
#include "standin.h"

static inline int64_t pinned_of(const char *memory, int64_t bytes)
{
    struct yk_interval left = { (intptr_t)memory, (intptr_t)memory + bytes };
    int64_t pinned = 0;
    yk_process_lock(&yk_pages_lock);
    while (left.first < left.last) {
        struct yk_pin_block part = yk_pin_look(&yk_pages_map, left);
        if (part.state == YK_PIN_OURS)
            pinned += part.bytes.last - part.bytes.first;
        left.first = part.bytes.last;
    }
    yk_process_unlock(&yk_pages_lock);
    return pinned;
}

static inline void close_all(yoke_runtime *runtime)
{
    OK(yoke_close(runtime));
    assert_int_equal(standin_outstanding(), 0);
    assert_int_equal(standin_swept(), 0);
}

#endif
