/* typical.h - the typical value of a quantity that threads measure again and again.
 *
 * It follows the median: each measurement moves it by an eighth, up or down. So a thread that was
 * kept from its core for milliseconds moves it no more than one that came a little late.
 */
#ifndef YK_BASE_TYPICAL_H
#define YK_BASE_TYPICAL_H

#include <stdatomic.h>
#include <stdint.h>

/* Thread-safe; of two measurements at once one may be lost. */
void yk_typical_note(_Atomic int64_t *typical_ns, int64_t measured_ns);

static inline int64_t yk_typical(const _Atomic int64_t *typical_ns)
{
    return atomic_load_explicit((_Atomic int64_t *)typical_ns, memory_order_relaxed);
}

#endif
