/* fuzz_coherence.c - any bytes as a history of calls to the coherence core, against the brute-force
 * model. The last byte says whether allocations fail. */
#include "fuzz.h"

#include "base/alloc.h"
#include "coherence_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct history_counts counts = { 0 };
    int64_t held = yk_alloc_outstanding();
    enum history_memory memory;
    if (size == 0)
        return 0;
    memory = bytes[size - 1] & 1 ? HISTORY_MEMORY_FAILS : HISTORY_MEMORY_ENOUGH;
    FUZZ_CHECK(coherence_history_play(bytes, size - 1, memory, &counts) == 0);
    FUZZ_CHECK(yk_alloc_outstanding() == held);
    return 0;
}
