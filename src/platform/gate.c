/* gate.c - see gate.h. A word instead of a lock and a condition: every job has a gate, and threads
 * rarely sleep at one. */
#include "gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

enum { SHUT, AWAITED, OPEN };

/* A thread may free the gate after the exchange. Then the system call finds no sleeping thread, or
 * wakes another one for nothing, which futexes permit. */
void yk_gate_open(struct yk_gate *gate)
{
    if (atomic_exchange(&gate->state, OPEN) == AWAITED)
        syscall(SYS_futex, &gate->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Returns 1 if the gate is open, 0 if it was time. */
static int pass(struct yk_gate *gate, const struct timespec *until)
{
    unsigned seen = SHUT;
    long result = 0;
    atomic_compare_exchange_strong(&gate->state, &seen, AWAITED);
    while (atomic_load(&gate->state) == AWAITED && !(result != 0 && errno == ETIMEDOUT))
        result = syscall(SYS_futex, &gate->state, FUTEX_WAIT_BITSET_PRIVATE, AWAITED, until, NULL,
                         FUTEX_BITSET_MATCH_ANY);
    return atomic_load(&gate->state) == OPEN;
}

void yk_gate_pass(struct yk_gate *gate)
{
    pass(gate, NULL);
}

void yk_gate_pass_until(struct yk_gate *gate, int64_t time_ns)
{
    struct yk_timer timer;
    const struct timespec until = yk_clock_timer_begin(time_ns, &timer);
    const int open = pass(gate, &until);
    yk_clock_timer_end(&timer, !open);
}
