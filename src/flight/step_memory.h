/* step_memory.h - see step_memory.c. */
#ifndef YK_FLIGHT_STEP_MEMORY_H
#define YK_FLIGHT_STEP_MEMORY_H

#include "../job/job.h"

/* Takes memory for the queues of all lanes of a device. YOKE_ENOMEM: not enough for the smallest.
 */
yoke_status yk_steps_open(struct yk_job *job, int device);
void yk_steps_close(struct yk_job *job, int device);
/* Frees what jobs left for later ones; the device's queues are closed. */
void yk_steps_forget_device(struct yk_runtime_device *device);

#endif
