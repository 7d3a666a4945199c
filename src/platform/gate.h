/* gate.h - a gate that opens once; any number of threads sleep until then. */
#ifndef YK_PLATFORM_GATE_H
#define YK_PLATFORM_GATE_H

#include <stdatomic.h>
#include <stdint.h>

struct yk_gate { /* zero: shut */
    _Atomic unsigned state;
};
/* Lets all threads pass from now on. A thread that has passed may free the gate. */
void yk_gate_open(struct yk_gate *gate);
/* Sleeps until the gate is open. */
void yk_gate_pass(struct yk_gate *gate);
/* Sleeps until the gate is open, at most until that time (yk_clock_ns). */
void yk_gate_pass_until(struct yk_gate *gate, int64_t time_ns);

#endif
