/* packed.h - see packed.c. */
#ifndef YK_FLIGHT_PACKED_H
#define YK_FLIGHT_PACKED_H

#include "../job/job.h"

/* Bytes from one row of an argument to the next on the device; for a host thread they are those of
 * the array. */
static inline int64_t yk_held_pitch(const struct yk_job *job, int device, int p)
{
    const enum yk_holding holding = job->devices[device].holding[p];
    const int close = holding == YK_HELD_WINDOW || holding == YK_HELD_PACKED;
    const yoke_array *array = job->args[p].array;
    return close && job->packs & 1u << p ? array->row_bytes : array->pitch;
}
/* The distance that is value p, in elements. */
int64_t yk_packed_distance(const struct yk_job *job, int device, int p);
/* Whether the argument can be held packed; bytes of all arguments that are. */
int yk_packed_is_possible(const struct yk_job *job, int p);
int64_t yk_packed_bytes(const struct yk_job *job, int device);
/* Places them in the job's windows from `at` on. */
void yk_packed_deal_out(struct yk_job *job, int device, int64_t at);
/* Sends the argument; it is there when the upload queue is done. *sent: bytes of this call. */
yoke_status yk_packed_stage(struct yk_job *job, int device, int p, int64_t *sent);
/* 1: the device takes no chunk of the job until an earlier job has no chunk left for it; meanwhile
 * the same part of the job's panels is sent there as the earlier job has handed out. The caller
 * holds a reference to the job, and drives the device. */
int yk_packed_waits(struct yk_job *job, int device);
/* Call before their memory is freed: waits until what was sent there has arrived. */
void yk_packed_await(struct yk_job *job, int device);

#endif
