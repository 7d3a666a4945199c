/* packed.h - see packed.c. */
#ifndef YK_FLIGHT_PACKED_H
#define YK_FLIGHT_PACKED_H

#include "../job/job.h"

/* Bytes from one row of an argument to the next on the device. If the device uses the host's
 * memory, that is the array's pitch. */
static inline int64_t yk_held_pitch(const struct yk_job *job, int device, int p)
{
    const enum yk_holding holding = job->devices[device].holding[p];
    const int close = holding == YK_HELD_WINDOW || holding == YK_HELD_PACKED;
    const yoke_array *array = job->args[p].array;
    return close && job->packs & 1u << p ? array->row_bytes : array->pitch;
}
/* The row distance, in elements, that the kernel gets as argument p. */
int64_t yk_packed_distance(const struct yk_job *job, int device, int p);
/* yk_packed_is_possible returns 1 if the argument can be held packed. yk_packed_bytes returns the
 * bytes of all arguments that are held packed. */
int yk_packed_is_possible(const struct yk_job *job, int p);
int64_t yk_packed_bytes(const struct yk_job *job, int device);
/* Places the packed arguments in the job's windows, from byte `at` on. */
void yk_packed_deal_out(struct yk_job *job, int device, int64_t at);
/* Sends the argument. It has arrived when the upload queue's latest operation is complete. *sent:
 * bytes that this call sends. */
yoke_status yk_packed_stage(struct yk_job *job, int device, int p, int64_t *sent);
/* Returns 1 if the device takes no chunk of the job yet, because an earlier job still has chunks
 * for it. Then sends the part of the job's panels that corresponds to the part of the earlier job
 * that was handed out. The caller holds a reference to the job, and drives the device. Takes
 * runtime.lock. */
int yk_packed_waits(struct yk_job *job, int device);
/* Call before the panels' memory is freed: waits until what was sent there has arrived. */
void yk_packed_await(struct yk_job *job, int device);

#endif
