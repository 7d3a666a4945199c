/* sum_copies.h - see sum_copies.c. */
#ifndef YK_FLIGHT_SUM_COPIES_H
#define YK_FLIGHT_SUM_COPIES_H

#include "../job/job.h"

/* Interns the fold kernels that the job may need. With runtime.lock held. */
yoke_status yk_folds_intern(struct yk_job *job);
/* Builds the fold kernels on a device. If one cannot be built, the job does without it. Locks as
 * for yk_kernel_build. */
void yk_folds_build(struct yk_job *job, int device);
/* Takes memory for the device's private copies of all add arguments, unless it has it. It belongs
 * to what the job takes at once (held_memory.c). */
yoke_status yk_private_take(struct yk_job *job, int device);
/* Sets *out to the device's private copies of an add argument, in memory that was taken; the first
 * call clears them. */
yoke_status yk_private_buffer(struct yk_job *job, int device, int arg, struct yk_launch_arg *out);
/* The device's program that folds the copies of the argument; NULL: there is none. */
struct yk_program *yk_fold_program(const struct yk_job *job, int device, int arg);
/* Frees the private copies of a device's lanes on the host. What the lanes added there is lost, and
 * the device's sums do not count as home. */
void yk_private_forget(struct yk_job *job, int device);
/* The same, and gives back the copies on the device. */
void yk_private_close(struct yk_job *job, int device);
/* Bytes of a lane's or device's private copy of an `add` array. The copy of a column panel is as
 * large as the array that the panel belongs to. */
static inline int64_t yk_private_bytes(const yoke_array *array)
{
    return array->rows * array->pitch;
}
/* Returns the private copy of an add argument of a CPU lane; the first call allocates it, zeroed.
 * NULL: no memory. */
char *yk_private_host(struct yk_job *job, int device, int lane, int arg);

#endif
