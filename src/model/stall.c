/* stall.c - see stall.h: limits the time of chunks in flight. */
#include "stall.h"

#include <math.h>

/* A waiting thread looks at least this often, in ns. Of a longer time between two looks, only this
 * much counts, because the process was stopped. */
#define LOOK_NS 1000000000

void yk_pace_note(struct yk_pace *pace, int64_t items, int64_t ns)
{
    if (items <= 0 || ns < 0)
        return;
    pace->chunks++;
    pace->item_ns = fmax(pace->item_ns, (double)ns / (double)items);
    pace->longest_ns = fmax(pace->longest_ns, (double)ns);
}

double yk_stall_allows(const struct yk_pace *pace, const struct yk_stall_chunk *chunk)
{
    double expected;
    if (chunk->factor <= 0 || pace->chunks < YK_STALL_MEASURED)
        return 0;
    expected = fmax(pace->longest_ns, pace->item_ns * (double)chunk->items);
    expected = fmax(expected, chunk->expected_ns);
    return fmax(YK_STALL_LEAST_NS, chunk->factor * expected) + (double)chunk->bytes / YK_STALL_COPY;
}

static void begin_anew(struct yk_stall *stall, int64_t now)
{
    stall->waited_ns = 0;
    stall->looked_ns = now;
}

void yk_stall_begin(struct yk_stall *stall, double allowed_ns, int64_t now)
{
    if (stall->count++ == 0)
        begin_anew(stall, now);
    if (allowed_ns > 0)
        stall->allowed_ns += allowed_ns;
    else
        stall->untold++;
}

void yk_stall_end(struct yk_stall *stall, double allowed_ns, int64_t now)
{
    begin_anew(stall, now);
    if (allowed_ns > 0)
        stall->allowed_ns -= allowed_ns;
    else
        stall->untold--;
    if (--stall->count == 0)
        stall->allowed_ns = 0; /* removes the rounding error */
}

int yk_stall_look(struct yk_stall *stall, int64_t now, int64_t *again_ns)
{
    const int64_t passed = now - stall->looked_ns;
    *again_ns = 0;
    if (stall->count == 0 || stall->untold > 0) {
        stall->looked_ns = now;
        return 0;
    }
    if (passed > 0) {
        stall->waited_ns += (double)(passed < LOOK_NS ? passed : LOOK_NS);
        stall->looked_ns = now;
    }
    if (stall->waited_ns >= stall->allowed_ns)
        return 1;
    *again_ns = now + (int64_t)fmin(LOOK_NS, ceil(stall->allowed_ns - stall->waited_ns));
    return 0;
}
