/* alternative.h - see alternative.c: jobs with an alternative kernel. Other jobs have form 0 only.
 */
#ifndef YK_FLIGHT_ALTERNATIVE_H
#define YK_FLIGHT_ALTERNATIVE_H

#include "../job/job.h"

/* Returns 1 if the form is a step kernel. */
int yk_form_is_steps(const struct yk_job *job, int form);
/* Call it when a job begins, with runtime.lock held. Decides which devices try a kernel in this
 * job. `memory` may be NULL. */
void yk_alternative_begin(struct yk_job *job, const struct yk_memory *memory);
/* The same for a device that is added while the job runs: nothing is known of it there, and trials
 * of cores may delay it. With runtime.lock and job.lock held. */
void yk_alternative_admit(struct yk_job *job, int device);
/* Call it after yk_alternative_begin, when the split is known: with the devices' known speeds. With
 * runtime.lock held. */
void yk_alternative_plan(struct yk_job *job, const struct yk_split_device *known);
/* Returns 1 if the device can run both kernels and has not tried one of them. That one may be
 * faster there, so known speeds say little. */
int yk_alternative_is_untried(const struct yk_job *job, int device);
/* Builds the kernels that the job may need on a device. on_host: for a device with the host's
 * memory, with runtime.lock held. Fails if the device can run neither kernel, with the error of the
 * job's own kernel. */
yoke_status yk_alternative_build_on_host(struct yk_job *job, int device);
yoke_status yk_alternative_build(struct yk_job *job, int device);
/* Call it when there is no memory for queues. Returns 1 if the device continues with a kernel that
 * needs none. */
int yk_alternative_does_without_steps(struct yk_job *job, int device);
/* Chooses the form of the device's next chunk. Returns 0 if the device gets no chunk until another
 * chunk of it has ended. With job.lock held. */
int yk_alternative_next(struct yk_job *job, int device, struct yk_choice_turn *out);
/* Call taken when a chunk was handed out, returned when it came back undone. With job.lock held. */
void yk_alternative_taken(struct yk_job *job, int device, const struct yk_chunk *chunk);
void yk_alternative_returned(struct yk_job *job, int device, const struct yk_chunk *chunk);
struct yk_alternative_chunk {
    const struct yk_chunk *chunk;
    int64_t items; /* number of items done */
};
/* Learns from a chunk that has ended. Call it with job.lock held, before `times` goes to the
 * dispatcher, because it sets times->apart. */
void yk_alternative_ended(struct yk_job *job, int device, const struct yk_alternative_chunk *ended,
                          struct yk_chunk_times *times);
/* Frees queues that no kernel needs any more. For the thread that drives the device, without locks.
 */
void yk_alternative_tidy(struct yk_job *job, int device);
/* Writes how the job's kernels compare on the device, as far as is known. */
enum { YK_TURN_TEXT = 192 };
void yk_alternative_explain(const struct yk_job *job, int device, char text[YK_TURN_TEXT]);

#endif
