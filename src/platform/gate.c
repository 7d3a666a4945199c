/* gate.c - see gate.h. A word rather than a lock and a condition: every job has a gate, and hardly
 * anybody sleeps before one. */
#include "gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHUT, AWAITED, OPEN };

/* If the gate is gone by then, the system call finds nobody, or wakes somebody else for nothing,
 * which futexes allow for. */
void yk_gate_open(struct yk_gate *gate)
{
    if (atomic_exchange(&gate->state, OPEN) == AWAITED)
        syscall(SYS_futex, &gate->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void yk_gate_pass(struct yk_gate *gate)
{
    unsigned seen = SHUT;
    atomic_compare_exchange_strong(&gate->state, &seen, AWAITED);
    while (atomic_load(&gate->state) == AWAITED)
        syscall(SYS_futex, &gate->state, FUTEX_WAIT_PRIVATE, AWAITED, NULL, NULL, 0);
}
