/* coherence_history.h - a history of calls to the coherence core, read from bytes and checked
 * against a brute-force model after every call. From bytes, so that a test can draw them at random
 * and a fuzzer can search among them. */
#ifndef TESTS_FUZZ_COHERENCE_HISTORY_H
#define TESTS_FUZZ_COHERENCE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

enum { HISTORY_ROWS = 200, HISTORY_PLACES = 6 };

enum history_memory {
    HISTORY_MEMORY_ENOUGH,
    HISTORY_MEMORY_FAILS /* every allocation of every call fails once before the call succeeds */
};

struct history_counts {
    long steps, copies, refused, allocation_failures, lost_rows, kept_rows, overtaken_ends;
};

/* Plays the history and adds to *counts. 0 if model and core always agree; otherwise the difference
 * was written to standard error. */
int coherence_history_play(const uint8_t *bytes, size_t size, enum history_memory memory,
                           struct history_counts *counts);

#endif
