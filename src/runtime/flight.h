/* flight.h - a device's part of a job (job.h): lanes that take chunks, the way of a chunk through
 * the device, waiting for its end, and its memory there. */
#ifndef YK_RUNTIME_FLIGHT_H
#define YK_RUNTIME_FLIGHT_H

#include "job.h"

/* --- lane.c --- */
enum yk_lane_state {
    YK_LANE_WORKED, /* progress was made; call again */
    YK_LANE_BUSY,   /* a chunk is under way; nothing to do until its event */
    YK_LANE_IDLE    /* no work for it now; *wake_ns, if not 0: when to ask again */
};
enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns);
/* The dispatcher handed items out, or got some back. With job.lock held. */
void yk_job_note_free(struct yk_job *job);
/* Reports what the lane did to the dispatcher. */
void yk_lane_report(struct yk_job *job, int device, int lane);
/* The end of the lane's chunk shall wake the device's host thread, if that drives the device. */
void yk_flight_call(struct yk_job *job, int device, int lane);

/* --- loss.c --- */
/* The device is lost. Chunks that were completed count; the others go back to the range. */
void yk_lane_device_failed(struct yk_job *job, int device);
/* There was no memory, or rows that the kernel reads were missing: the chunk goes back. If its
 * kernel may have run, everything that it wrote in place is discarded, and in mode add the device's
 * whole private copy with all work in it. */
void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why);
/* The same for any reason. */
void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status);

/* --- host_lane.c --- */
/* Chooses the lanes of the CPU that stand for the threads that drive GPUs, if the job's partitioner
 * asks for that. */
yoke_status yk_host_lanes_plan(struct yk_job *job, struct yk_split_device *known, int count);
/* 1: the lane, which was told to wait, is asked again by yk_host_lane_call and need not be woken by
 * reports of others. With job.lock held. */
int yk_host_lane_rests(const struct yk_job *job, int device, int lane);
/* A lane of a GPU has asked for a chunk; got: it got one. Its host lane may ask again. */
void yk_host_lane_call(struct yk_job *job, int device, int lane, int got);
/* Opens the lane's chunk beside another lane's, with its first piece as the flight's chunk. With
 * job.lock held. */
void yk_beside_open(const struct yk_job *job, struct yk_flight *flight,
                    const struct yk_chunk *chunk, int64_t now);
void yk_beside_cut(struct yk_flight *flight); /* the next piece */
/* The piece is done. 1: so is the chunk, or the other lane's chunk is over; items before
 * beside.next are done. */
int yk_beside_ended(struct yk_flight *flight, int64_t now);

/* --- worker.c --- */
/* Drops the reference to `previous` (NULL: starts with the first job) and takes one to the next
 * running job; NULL: there is none. */
struct yk_job *yk_job_next(yoke_runtime *runtime, struct yk_job *previous);
/* A chunk of some job ended on the GPU now. Returns the time since which it had no other job's
 * chunk before this one. */
int64_t yk_device_serve(struct yk_runtime_device *device, int64_t now);
/* Prepares a device with memory of its own for the job, then steps all its lanes as far as they go
 * without waiting. By one thread at a time. */
enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns);

/* --- watchdog.c: devices with memory of their own --- */
/* begin: the lane's flight was issued. end: it is over, with any result (no effect if it was
 * already). */
void yk_watchdog_begin(struct yk_job *job, int device, int lane);
void yk_watchdog_end(struct yk_job *job, int device, int lane);
/* measured: it went well. */
void yk_watchdog_measured(struct yk_job *job, int device, int lane, int64_t ended_ns);
/* 1: a flight of the job on this device has a time limit. */
int yk_watchdog_looks(const struct yk_job_device *device);
/* The lane's flight is still under way. 1: it never ends, and the device was taken out; 0: look
 * again at *wake_ns, if that is earlier. For the thread that drives the device. */
int yk_watchdog_look(struct yk_job *job, int device, int lane, int64_t *wake_ns);

/* --- calls.c: a driver's calls that never return. Devices with memory of their own --- */
/* From enter to leave the calling thread steps the device's lanes. */
void yk_calls_enter(struct yk_job *job, int device, struct yk_stepper *stepper);
void yk_calls_leave(struct yk_job *job, int device, const struct yk_stepper *stepper);
/* yk_flight_issue for a thread that has entered. */
yoke_status yk_calls_issue(struct yk_job *job, int device, int lane);
/* Takes out devices whose calls last too long; for any thread, while it waits. */
int yk_calls_are_watched(const yoke_runtime *runtime);
void yk_calls_look(yoke_runtime *runtime);
int64_t yk_calls_next_look(yoke_runtime *runtime); /* time of the next look; 0: none needed */
/* The same for an idle host thread of a device. */
int64_t yk_calls_attend(struct yk_worker *worker);

/* --- flight.c --- */
/* Brings the rows, launches, and takes results home: issues everything and waits for nothing
 * (except rows that go through the host). */
yoke_status yk_flight_issue(struct yk_job *job, int device, int lane);
/* After an issue that failed halfway: waits for what was issued and forgets it. */
void yk_flight_abandon(struct yk_job *job, int device, int lane);
/* Its kernel may have run partly, and results may be partly home: arrays that it changes in place
 * are no longer current there. YOKE_ELOST, naming array and rows, if no other place has them;
 * otherwise the chunk can be done again. */
yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane);
static inline struct yk_interval yk_flight_items(const struct yk_flight *flight)
{
    return (struct yk_interval){ flight->chunk.first, flight->chunk.last };
}
/* 1: the flight is a piece of a lease whose rows were already requested from coherence and reported
 * to it. */
int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight);
/* 1: a copy home has begun, so rows of an inout array may be half old, half new at the host. */
int yk_flight_is_half_home(const struct yk_job *job, int device, int lane);
/* Issues the copies of results that leave at once (below), behind the flight's kernel. Does nothing
 * if the kernel worked on the host's rows. */
yoke_status yk_flight_send_home(struct yk_job *job, int device, int lane);
int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Reports the outcome to coherence and frees what the flight used. */
yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome);
/* 1: results of argument `arg` are copied home at once: if requested, or if they are in a window.
 */
int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *device, int arg);
/* Rows of argument `arg` that `items` touch, within the array. */
struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items);
/* The same for all items of the job, computed once: a callback may take time proportional to the
 * items. */
static inline struct yk_interval yk_job_all_rows(const struct yk_job *job, int arg)
{
    return job->order.uses[arg].rows;
}

/* --- arrival.c --- */
/* Fills in all arguments for the lane's chunk, and issues the copies of their rows. `distances`,
 * one per argument, must live as long as the arguments. */
yoke_status yk_flight_stage(struct yk_job *job, int device, int lane, struct yk_launch_arg *args,
                            int64_t *distances);

/* The form (kernel or alternative) that makes its chunk. */
static inline int yk_flight_form(const struct yk_job_device *device, const struct yk_flight *flight)
{
    if (flight->beside.chunk.serial)
        return flight->beside.chunk.form;
    return device->leases.slots && flight->slot >= 0 ? device->leases.slots[flight->slot].chunk.form
                                                     : flight->chunk.form;
}

/* --- turn.c: jobs with an alternative kernel. Others only have form 0. --- */
int yk_form_is_steps(const struct yk_job *job, int form);
/* When a job begins, with runtime.lock held: chooses what is tried in it (`memory` may be NULL). */
void yk_turn_begin(struct yk_job *job, const struct yk_memory *memory);
/* The same with the devices' known speeds. */
void yk_turn_plan(struct yk_job *job, const struct yk_split_device *known);
/* 1: the device can run both kernels and has not tried one of them, which may be faster there, so
 * known speeds say little. */
int yk_turn_is_untried(const struct yk_job *job, int device);
/* Builds the kernels that the job may need on a device (one with the host's memory: with
 * runtime.lock held). Fails if the device can run neither, with the error of the job's kernel. */
yoke_status yk_turn_build_on_host(struct yk_job *job, int device);
yoke_status yk_turn_build(struct yk_job *job, int device);
/* There is no memory for queues. 1: the device continues with a kernel that needs none. */
int yk_turn_does_without_steps(struct yk_job *job, int device);
/* With job.lock held: chooses the device's next chunk; 0: not before other chunks of it have ended.
 */
int yk_turn_next(struct yk_job *job, int device, struct yk_choice_turn *out);
void yk_turn_taken(struct yk_job *job, int device, const struct yk_chunk *chunk);
void yk_turn_returned(struct yk_job *job, int device, const struct yk_chunk *chunk);
struct yk_turn_chunk {
    const struct yk_chunk *chunk;
    int64_t items; /* items done */
};
/* Call before the dispatcher is told: sets times->apart. */
void yk_turn_ended(struct yk_job *job, int device, const struct yk_turn_chunk *ended,
                   struct yk_chunk_times *times);
/* Frees memory that no kernel needs any more. For the thread that drives the device, without locks.
 */
void yk_turn_tidy(struct yk_job *job, int device);
/* How the job's kernels compare on the device, as far as is known. */
enum { YK_TURN_TEXT = 192 };
void yk_turn_explain(const struct yk_job *job, int device, char text[YK_TURN_TEXT]);

/* --- step_memory.c: step kernels --- */
/* Takes memory for the queues of all lanes of a device. YOKE_ENOMEM: not enough for the smallest.
 */
yoke_status yk_steps_open(struct yk_job *job, int device);
void yk_steps_close(struct yk_job *job, int device);
/* Frees what jobs left for later ones; the device's queues are closed. */
void yk_steps_forget_device(struct yk_runtime_device *device);
/* --- steps.c --- */
/* Before the chunk's first launch: prepares the arguments of all its launches. */
yoke_status yk_steps_prepare(struct yk_job *job, int device, int lane,
                             const struct yk_launch_arg *args);
const struct yk_step_launch *yk_steps_launch(const struct yk_flight *flight);
/* The first launch, flight->kernel, on a device with memory of its own. With place->lock held. */
yoke_status yk_steps_begin(struct yk_job *job, int device, int lane,
                           const struct yk_launch *launch);
/* 1: nothing is left of the flight's steps, or an error (*outcome) ended them; results are then on
 * their way home. Launches again if something is left. Always 1 for other kernels. */
int yk_steps_are_over(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* 1: the flight is a series of launches; each one's end may need another launch at once. */
int yk_steps_go_on(const struct yk_flight *flight);
/* The outcome of a chunk on a device with the host's memory, once its launch is complete. */
yoke_status yk_steps_outcome(const struct yk_job *job, const struct yk_job_device *device,
                             const struct yk_flight *flight);
/* The latest event, except copies home; the event of the latest launch. Both may be NULL. */
struct yk_event *yk_steps_last(const struct yk_flight *flight);
struct yk_event *yk_steps_last_launch(const struct yk_flight *flight);
/* Sleeps until all launches but the first are over, and forgets them. */
void yk_steps_await(const struct yk_job_device *device, struct yk_flight *flight);
void yk_steps_forget(struct yk_flight *flight); /* frees its memory */

/* --- traffic.c --- */
struct yk_traffic { /* bytes that an item moves over a device's link */
    double both;    /* both directions together */
    double busier;  /* the direction in which more is moved */
    double whole;   /* not per item: bytes of arrays that all items need */
};
/* With runtime.lock held. `learned` may be NULL. */
void yk_job_traffic(const struct yk_job *job, int device, const struct yk_learned *learned,
                    struct yk_traffic *out);

/* --- await.c --- */
/* 1: a flight's end has to wake its host thread, because the prediction is missing or unreliable.
 */
int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *device,
                        const struct yk_flight *flight);
/* Predicts its end from flight->lasts_ns and the device's work before it. */
void yk_flight_foretell(struct yk_job_device *device, struct yk_flight *flight, int64_t now);
/* 1: its kernel's event tells when it began, because the time that rows took to come is needed. */
static inline int yk_flight_tells_fetch(const struct yk_job *job, const struct yk_flight *flight)
{
    return flight->bytes_once ||
           (job->decomposition && (flight->bytes_in || flight->bytes_between));
}
/* Too short for a sleep to pay. */
int yk_flight_is_brief(const struct yk_job_device *device, const struct yk_flight *flight);
/* 1: the flight that lane `lane` is about to issue will be watched until it ends: it is brief, or
 * threads never sleep, and it is the last of the job on this device. Its events need neither wake a
 * thread nor carry times; on an H100 the end of a copy home is then seen 25 us sooner. */
int yk_flight_is_polled(struct yk_job *job, int device, int lane);
/* When to look at the flight next: now (and from then on all the time) or later; 0: no prediction
 * any more. */
int64_t yk_flight_look_at(const struct yk_job_device *device, const struct yk_flight *flight,
                          int64_t now);
/* The same for the device: for its flight that should end first, unless long work is queued behind
 * it. */
int64_t yk_device_look_at(struct yk_job_device *device, int64_t now);
/* 1: ask the driver about the lane's flight. A flight that should end later than others, and not
 * yet, is not asked about, because a driver takes its time to answer. */
int yk_flight_is_due(struct yk_job *job, int device, int lane);
/* The job ends no earlier than the flight's predicted end; yk_job_look_at uses that. */
void yk_job_foretell(struct yk_job *job, const struct yk_flight *flight);
/* For a thread that has slept since `since` until the job is done: when to look next; now: watch;
 * 0: no prediction. */
int64_t yk_job_look_at(const struct yk_job *job, int64_t since, int64_t now);
/* The flight ended at ended_ns: moves the predictions of those behind it. */
void yk_flight_ended(struct yk_job_device *device, const struct yk_flight *flight,
                     int64_t ended_ns);
/* Looks at the device's flights without sleeping, if that is how to wait now; 1 if it was, and they
 * are worth looking at again. */
int yk_device_watch(struct yk_job *job, int device);
/* Whether the device's next end should come about now, so that its thread need not sleep. For a
 * thread that drives several devices and looks at all of them by turns. */
int yk_device_is_due(struct yk_job *job, int device, int64_t now);
/* 0: the device has no flight under way. Otherwise *look_at is when to look at the one that should
 * end first, by the clock of `now`; 0: no prediction. */
int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at);
/* Waits for a flight of the device for a while; then it is worth looking. */
void yk_device_await(struct yk_job *job, int device);

/* --- ahead.c --- */
/* Makes sure that the host rows that the device will probably get are pinned. 1: some are not yet,
 * and the job should go on without the device. */
int yk_job_pins_ahead(struct yk_job *job, int device);
/* The same for all devices, for a job that is about to begin and whose partitioner shares out only
 * once: waiting for a device would include waiting for its pins. With runtime.lock held. */
int yk_job_awaits_pins(struct yk_job *job);

/* --- hold.c --- */
/* Builds the kernel and makes room for the arrays; afterwards the device has joined or left. 0: not
 * yet, try again soon. */
int yk_job_prepare(struct yk_job *job, int device);
/* The arguments whose arrays the device would hold whole if it held nothing else, as bits; 0: it
 * has too little memory for all. Does not call the driver. */
uint32_t yk_job_would_hold(const struct yk_job *job, int device);
/* Releases what the job holds on a device. */
void yk_job_let_go(struct yk_job *job, int device);
/* drop: takes a device that failed out of the job (its chunks go to the others). retire: the device
 * gets no more chunks (its own stay). With job.lock held. */
void yk_job_drop_device(struct yk_job *job, int device, const char *reason);
void yk_job_retire_device(struct yk_job *job, int device, const char *reason);

/* --- window.c --- */
/* Takes memory for a chunk on each lane of everything that the job holds in windows, as much as
 * useful or available. YOKE_ENOMEM: not enough for the shortest chunk. */
yoke_status yk_windows_open(struct yk_job *job, int device);
void yk_windows_close(struct yk_job *job, int device);
/* Makes room for `bytes` for a chunk of the lane. YOKE_ENOMEM: a shorter chunk may fit. */
yoke_status yk_window_need(struct yk_job *job, int device, struct yk_window *window, int64_t bytes);

/* --- host_results.c --- */
/* If the device's kernels reach host memory: takes some for the job's partial results, which are
 * then held there. If there is none left, they are held like other arguments. */
void yk_host_results_open(struct yk_job *job, int device);
void yk_host_results_close(struct yk_job *job, int device);
/* Where the argument, held in host memory, has its first row. */
char *yk_host_results_memory(const struct yk_job *job, int device, int p);
/* The lane's flight ended well: copies what its kernel wrote there into the arrays. */
void yk_host_results_land(struct yk_job *job, int device, int lane);

/* --- packed.c --- */
/* Finds the arrays whose row distances are values of the job; those values no longer count as array
 * arguments. */
void yk_packed_note(struct yk_job *job);
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

/* --- merge.c --- */
/* Bytes of a private copy; for a panel, those of its whole array. */
static inline int64_t yk_private_bytes(const yoke_array *array)
{
    return array->rows * array->pitch;
}
/* The zeroed private copy of an add argument: of a CPU lane (NULL: no memory), of a device. */
char *yk_private_host(struct yk_job *job, int device, int lane, int arg);
/* Collects every private copy, then folds them into the arrays. *again: a device failed meanwhile,
 * and its items are back in the range. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

/* --- copies.c --- */
/* How the library adds elements of a type: copies on a device, and on the host. */
struct yk_sum {
    const char *type;
    const yoke_kernel *fold;
    yoke_merge_fn *merge;
};
const struct yk_sum *yk_sum_of(const char *type); /* NULL: it cannot */
/* Interns the fold kernels that the job may need. With the runtime's lock held. */
yoke_status yk_folds_intern(struct yk_job *job);
/* Builds them on a device; continues without one that cannot be built. As yk_kernel_build. */
void yk_folds_build(struct yk_job *job, int device);
/* The zeroed buffer of an add argument on a device. */
yoke_status yk_private_buffer(struct yk_job *job, int device, int arg, struct yk_launch_arg *out);
/* Queues the fold of all copies in the buffer into the first; downloads must follow it. *folded:
 * its event, unchanged if there is nothing to fold. */
yoke_status yk_private_fold(struct yk_job *job, int device, int arg, struct yk_event **folded);

#endif
