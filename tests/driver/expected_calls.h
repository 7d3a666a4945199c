/* expected_calls.h - how many calls of the driver a job may make. */
#ifndef EXPECTED_CALLS_H
#define EXPECTED_CALLS_H

#include "standin.h"

struct expected_calls {
    const char *function;
    long least, most; /* sum over all GPUs */
};
enum { EXPECTED_CALLS_MOST = 16 };

/* Runs job number `job`, and fails the test if it makes other numbers of calls. */
static inline void expect_calls(const struct expected_calls *expected, int count,
                                void (*run)(int job), int job)
{
    long before[EXPECTED_CALLS_MOST];
    assert_in_range(count, 1, EXPECTED_CALLS_MOST);
    for (int i = 0; i < count; i++)
        before[i] = standin_calls_of(expected[i].function);
    run(job);
    for (int i = 0; i < count; i++) {
        const long calls = standin_calls_of(expected[i].function) - before[i];
        if (calls < expected[i].least || calls > expected[i].most)
            fail_msg("%ld calls of %s in job %d, not %ld to %ld", calls, expected[i].function, job,
                     expected[i].least, expected[i].most);
    }
}

#endif
