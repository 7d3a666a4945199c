/* typical.c - see typical.h. */
#include "typical.h"

/* Added to every step: near 0 an eighth is nothing, and threads measure no better anyway. */
enum { STEP_LEAST_NS = 100 };

void yk_typical_note(_Atomic int64_t *typical_ns, int64_t measured_ns)
{
    const int64_t known = yk_typical(typical_ns), step = known / 8 + STEP_LEAST_NS;
    int64_t next = known + step;
    if (measured_ns <= known)
        next = known > step ? known - step : 0;
    atomic_store_explicit(typical_ns, next, memory_order_relaxed);
}
