/* copies.h - see copies.c. */
#ifndef YK_FLIGHT_COPIES_H
#define YK_FLIGHT_COPIES_H

#include "../job/job.h"

/* Interns the fold kernels that the job may need. With the runtime's lock held. */
yoke_status yk_folds_intern(struct yk_job *job);
/* Builds them on a device; continues without one that cannot be built. As yk_kernel_build. */
void yk_folds_build(struct yk_job *job, int device);
/* The zeroed buffer of an add argument on a device. */
yoke_status yk_private_buffer(struct yk_job *job, int device, int arg, struct yk_launch_arg *out);
/* Queues the fold of all copies in the buffer into the first; downloads must follow it. *folded:
 * its event, unchanged if there is nothing to fold. */
yoke_status yk_private_fold(struct yk_job *job, int device, int arg, struct yk_event **folded);
/* Bytes of a private copy; for a panel, those of its whole array. */
static inline int64_t yk_private_bytes(const yoke_array *array)
{
    return array->rows * array->pitch;
}
/* The zeroed private copy of an add argument: of a CPU lane; NULL: no memory. */
char *yk_private_host(struct yk_job *job, int device, int lane, int arg);

#endif
