/* step_memory.h - see step_memory.c. */
#ifndef YK_FLIGHT_STEP_MEMORY_H
#define YK_FLIGHT_STEP_MEMORY_H

#include "../job/job.h"

/* Takes memory for the queues of all lanes of a device. YOKE_ENOMEM: there is not enough for the
 * smallest queues. */
yoke_status yk_steps_open(struct yk_job *job, int device);
/* Gives the memory back. Call it only when the device has no chunk of the job. */
void yk_steps_close(struct yk_job *job, int device);
/* Frees memory that jobs left for later ones. Call it only when the device's queues are closed. */
void yk_steps_forget_device(struct yk_runtime_device *device);

#endif
