/* gate.c - see gate.h. */
#include "gate.h"

#include "../base/status.h"

yoke_status yk_gate_init(struct yk_gate *gate)
{
    gate->passable = 0;
    if (pthread_mutex_init(&gate->mutex, NULL) != 0)
        return yk_fail(YOKE_ENOMEM, "the system has no room for a mutex");
    if (pthread_cond_init(&gate->cond, NULL) != 0) {
        pthread_mutex_destroy(&gate->mutex);
        return yk_fail(YOKE_ENOMEM, "the system has no room for a condition variable");
    }
    return YOKE_OK;
}

void yk_gate_destroy(struct yk_gate *gate)
{
    pthread_cond_destroy(&gate->cond);
    pthread_mutex_destroy(&gate->mutex);
}

void yk_gate_open(struct yk_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->passable = 1;
    pthread_cond_broadcast(&gate->cond);
    pthread_mutex_unlock(&gate->mutex);
}

void yk_gate_pass(struct yk_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    while (!gate->passable)
        pthread_cond_wait(&gate->cond, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}
