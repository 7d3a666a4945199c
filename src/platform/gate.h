/* gate.h - a door that opens once; any number of threads sleep before it. */
#ifndef YK_PLATFORM_GATE_H
#define YK_PLATFORM_GATE_H

#include "thread.h"

struct yk_gate {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int passable;
};
yoke_status yk_gate_init(struct yk_gate *gate);
void yk_gate_destroy(struct yk_gate *gate);
/* Let everybody through from now on. */
void yk_gate_open(struct yk_gate *gate);
/* Sleep until it is open. */
void yk_gate_pass(struct yk_gate *gate);

#endif
