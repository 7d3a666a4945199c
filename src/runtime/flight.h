/* flight.h - what a device does with its part of a job (job.h): lanes that take chunks, their way
 * through the device, how their ends are awaited, and the memory they need there.
 */
#ifndef YK_RUNTIME_FLIGHT_H
#define YK_RUNTIME_FLIGHT_H

#include "job.h"

/* --- lane.c --- */
enum yk_lane_state {
    YK_LANE_WORKED, /* something moved on; call again */
    YK_LANE_BUSY,   /* a chunk is under way, nothing to do until its event */
    YK_LANE_IDLE    /* no work for it at present; *wake_ns, if not 0, says when to ask again */
};
enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns);
/* The dispatcher handed items out, or got some back. Under job.lock. */
void yk_job_note_free(struct yk_job *job);
/* What the lane did is told to the dispatcher. */
void yk_lane_report(struct yk_job *job, int device, int lane);
/* The end of the lane's chunk is to wake the device's host thread, if that is who drives it. */
void yk_flight_call(struct yk_job *job, int device, int lane);

/* --- loss.c --- */
/* The device is gone. Chunks that came through count; the others go back to the range. */
void yk_lane_device_failed(struct yk_job *job, int device);
/* No memory, or rows that the kernel read were none: the chunk goes back. If its kernel may have
 * run, so must everything go that it wrote in place, and in mode add the device's whole private
 * copy with all that went into it. */
void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why);
/* The same, whatever the reason. */
void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status);

/* --- host_lane.c --- */
/* Which lanes of the CPU stand for the threads that drive GPUs, if the job's partitioner asks. */
yoke_status yk_host_lanes_plan(struct yk_job *job, struct yk_split_device *known, int count);
/* Whether the lane, which was told to wait, is asked again by yk_host_lane_call and need not hear
 * of what others report. Under job.lock. */
int yk_host_lane_rests(const struct yk_job *job, int device, int lane);
/* A lane of a GPU has asked for a chunk, and got one or not: its host lane may ask again. */
void yk_host_lane_call(struct yk_job *job, int device, int lane, int got);
/* The lane's chunk beside another lane's, and its first piece as the flight's chunk. Under
 * job.lock. */
void yk_beside_open(const struct yk_job *job, struct yk_flight *flight,
                    const struct yk_chunk *chunk, int64_t now);
void yk_beside_cut(struct yk_flight *flight); /* the next piece */
/* The piece is done. 1 if so is the chunk, or the other one's is over: items before beside.next are
 * done. */
int yk_beside_ended(struct yk_flight *flight, int64_t now);

/* --- worker.c --- */
/* The first running job after `previous` (NULL: of all), which the caller looks at from now on
 * instead of that one; NULL: there is none. */
struct yk_job *yk_job_next(yoke_runtime *runtime, struct yk_job *previous);
/* A chunk of some job ended on the GPU now: since when it had no other job's to do before it. */
int64_t yk_device_serve(struct yk_runtime_device *device, int64_t now);
/* All lanes of a device with memory of its own, as far as they go without waiting, after getting
 * it ready for the job. By one thread at a time. */
enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns);

/* --- watchdog.c: devices with memory of their own --- */
/* The lane's flight was issued; it is over, however that went (no effect if it was already); */
void yk_watchdog_begin(struct yk_job *job, int device, int lane);
void yk_watchdog_end(struct yk_job *job, int device, int lane);
/* it went well. */
void yk_watchdog_measured(struct yk_job *job, int device, int lane, int64_t ended_ns);
/* One of the job's flights there may not take as long as it likes. */
int yk_watchdog_looks(const struct yk_job_device *device);
/* The lane's flight is still under way. 1: it never ends, and the device was taken out; 0: look
 * again at *wake_ns, if that is earlier. By who drives the device. */
int yk_watchdog_look(struct yk_job *job, int device, int lane, int64_t *wake_ns);

/* --- calls.c: a driver's calls that never return. Devices with memory of their own --- */
/* From here until it leaves the calling thread steps the device's lanes. */
void yk_calls_enter(struct yk_job *job, int device, struct yk_stepper *stepper);
void yk_calls_leave(struct yk_job *job, int device, const struct yk_stepper *stepper);
/* yk_flight_issue, by a thread that has entered. */
yoke_status yk_calls_issue(struct yk_job *job, int device, int lane);
/* Takes out devices whose calls last too long; any thread, while it waits. */
int yk_calls_are_watched(const yoke_runtime *runtime);
void yk_calls_look(yoke_runtime *runtime);
int64_t yk_calls_next_look(yoke_runtime *runtime); /* when to do so again; 0: there is no need */
/* By a device's host thread that has nothing else to do: the same. */
int64_t yk_calls_attend(struct yk_worker *worker);

/* --- flight.c --- */
/* Bring the rows, launch, take results home: all issued, nothing waited for (but rows that come
 * through the host). */
yoke_status yk_flight_issue(struct yk_job *job, int device, int lane);
/* An issue that failed halfway: wait for what was issued and forget it. */
void yk_flight_abandon(struct yk_job *job, int device, int lane);
/* Its kernel may have run in part, and results may be half home: what it changes in place is not
 * current there any more. YOKE_ELOST, naming array and rows, if nobody else has it; else the chunk
 * can be done again. */
yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane);
static inline struct yk_interval yk_flight_items(const struct yk_flight *flight)
{
    return (struct yk_interval){ flight->chunk.first, flight->chunk.last };
}
/* It is a piece of a lease whose rows coherence has been asked for, and told of, already. */
int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight);
/* Rows of an inout array may be half old, half new at the host, once a copy there has begun. */
int yk_flight_is_half_home(const struct yk_job *job, int device, int lane);
/* What leaves at once (below): its copies are issued, behind the flight's kernel. Nothing where the
 * kernel worked on the host's rows. */
yoke_status yk_flight_send_home(struct yk_job *job, int device, int lane);
int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Tell coherence how it went and free what the flight used. */
yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome);
/* Results of argument `arg` that leave at once: those asked for, and all from windows. */
int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *device, int arg);
/* Rows of argument `arg` that items touch, within the array; */
struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items);
/* and those of all the job's items, asked once: a callback may take as long as there are items. */
static inline struct yk_interval yk_job_all_rows(const struct yk_job *job, int arg)
{
    return job->order.uses[arg].rows;
}

/* --- arrival.c --- */
/* All arguments for the lane's chunk, and the copies that bring their rows issued. `distances`, one
 * for each, stay as long as the arguments. */
yoke_status yk_flight_stage(struct yk_job *job, int device, int lane, struct yk_launch_arg *args,
                            int64_t *distances);

/* Which of the job's kernels its chunk is made by. */
static inline int yk_flight_form(const struct yk_job_device *device, const struct yk_flight *flight)
{
    if (flight->beside.chunk.serial)
        return flight->beside.chunk.form;
    return device->leases.slots && flight->slot >= 0 ? device->leases.slots[flight->slot].chunk.form
                                                     : flight->chunk.form;
}

/* --- turn.c: jobs with an alternative. Others have form 0 only. --- */
int yk_form_is_steps(const struct yk_job *job, int form);
/* When a job begins, under runtime.lock: what is tried in it (`memory` may be NULL), */
void yk_turn_begin(struct yk_job *job, const struct yk_memory *memory);
/* and whose speeds are known. */
void yk_turn_plan(struct yk_job *job, const struct yk_split_device *known);
/* The device can run both and has not tried one of them, which may be the better one there: speeds
 * that are known say little. */
int yk_turn_is_untried(const struct yk_job *job, int device);
/* Builds what the job may want on a device (one with the host's memory: under runtime.lock). Fails
 * if it can run neither, as the job's kernel does. */
yoke_status yk_turn_build_on_host(struct yk_job *job, int device);
yoke_status yk_turn_build(struct yk_job *job, int device);
/* There is no memory for queues. 1: the device goes on with a kernel that needs none. */
int yk_turn_does_without_steps(struct yk_job *job, int device);
/* Under job.lock: what the device's next chunk is; 0: not before others of it have ended. */
int yk_turn_next(struct yk_job *job, int device, struct yk_choice_turn *out);
void yk_turn_taken(struct yk_job *job, int device, const struct yk_chunk *chunk);
void yk_turn_returned(struct yk_job *job, int device, const struct yk_chunk *chunk);
struct yk_turn_chunk {
    const struct yk_chunk *chunk;
    int64_t items; /* that were done */
};
/* Before the dispatcher hears of it: times->apart is set. */
void yk_turn_ended(struct yk_job *job, int device, const struct yk_turn_chunk *ended,
                   struct yk_chunk_times *times);
/* Memory that no kernel needs any more goes. By who drives the device; no lock is held. */
void yk_turn_tidy(struct yk_job *job, int device);
/* How the job's kernels compare on the device, as far as is known by now. */
enum { YK_TURN_TEXT = 192 };
void yk_turn_explain(const struct yk_job *job, int device, char text[YK_TURN_TEXT]);

/* --- step_memory.c: step kernels --- */
/* Memory for the queues of all lanes of a device. YOKE_ENOMEM: not enough for the smallest. */
yoke_status yk_steps_open(struct yk_job *job, int device);
void yk_steps_close(struct yk_job *job, int device);
/* What jobs left for others; its queues are closed. */
void yk_steps_forget_device(struct yk_runtime_device *device);
/* --- steps.c --- */
/* Before the chunk's first launch: what that and later ones get. */
yoke_status yk_steps_prepare(struct yk_job *job, int device, int lane,
                             const struct yk_launch_arg *args);
const struct yk_step_launch *yk_steps_launch(const struct yk_flight *flight);
/* The first launch, flight->kernel, on a device with memory of its own. place->lock is held. */
yoke_status yk_steps_begin(struct yk_job *job, int device, int lane,
                           const struct yk_launch *launch);
/* Whether nothing is left of the flight's steps, or an error (*outcome) ended them; launches again
 * where something is. 1 for other kernels. Afterwards results are on their way home. */
int yk_steps_are_over(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* It is a series of launches, and each that ends may have to be followed by another one at once. */
int yk_steps_go_on(const struct yk_flight *flight);
/* How the chunk went that a device with the host's memory did, once its launch is complete. */
yoke_status yk_steps_outcome(const struct yk_job *job, const struct yk_job_device *device,
                             const struct yk_flight *flight);
/* The latest thing issued, but for copies home; the latest launch. Both may be NULL. */
struct yk_event *yk_steps_last(const struct yk_flight *flight);
struct yk_event *yk_steps_last_launch(const struct yk_flight *flight);
/* Sleep until all launches but the first are over, and forget them. */
void yk_steps_await(const struct yk_job_device *device, struct yk_flight *flight);
void yk_steps_forget(struct yk_flight *flight); /* its memory */

/* --- traffic.c --- */
struct yk_traffic { /* bytes an item moves over a device's link */
    double both;    /* in both directions */
    double busier;  /* in the one in which more is moved */
    double whole;   /* beside an item's: bytes of arrays that all items need */
};
/* Runtime lock held. `learned` may be NULL. */
void yk_job_traffic(const struct yk_job *job, int device, const struct yk_learned *learned,
                    struct yk_traffic *out);

/* The bytes that devices of job's like would have to be brought for it, if each did that part of
 * it: as many as it was for all that can be told, where others work with the rows. Likewise. */
double yk_job_moves_again(const struct yk_job *job, const struct yk_held *held);

/* --- moved.c: runtime lock held --- */
/* The job ended and tells what its team can do. */
void yk_moved_hold(const struct yk_job *job, const struct yk_team_job *ran,
                   struct yk_memory *memory);
/* The job is to be planned, by what the team of those like it, whose memory this is, knows then. */
void yk_moved_hear(const struct yk_job *job, const struct yk_memory *known);

/* --- await.c --- */
/* From the end of a chunk to whoever slept until it: 30 to 60 us measured where a driver wakes on a
 * machine with an H200. Who waits for a chunk that is shorter than two of these does not sleep. */
enum { YK_WAKE_NS = 40000 };
/* Whether a flight's end has to wake its host thread, for it cannot be foretold or not well. */
int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *device,
                        const struct yk_flight *flight);
/* From flight->lasts_ns and what the device has to do before it. */
void yk_flight_foretell(struct yk_job_device *device, struct yk_flight *flight, int64_t now);
/* Its kernel's event tells when it began, for somebody wants to know how long rows took to come. */
static inline int yk_flight_tells_fetch(const struct yk_job *job, const struct yk_flight *flight)
{
    return flight->bytes_once ||
           (job->decomposition && (flight->bytes_in || flight->bytes_between));
}
/* Too short for a sleep to pay. */
int yk_flight_is_brief(const struct yk_flight *flight);
/* Whether the flight that lane `lane` is about to issue will be watched until it ends: it is brief,
 * or nobody ever sleeps, and the last of the job here. Its events need neither wake a sleeper nor
 * tell the time; on an H100 that of a copy home is seen 25 us sooner so. */
int yk_flight_is_polled(struct yk_job *job, int device, int lane);
/* When to look at it next: now (and from then on all the time) or later; 0: there is no telling any
 * more. */
int64_t yk_flight_look_at(const struct yk_flight *flight, int64_t now);
/* The same of the device: of its flight that should end first, if nothing is queued behind it that
 * lasts for long. */
int64_t yk_device_look_at(struct yk_job_device *device, int64_t now);
/* Whether to ask for the lane's flight at all: one that should end later than others, and not yet,
 * is left alone, since a driver takes its time to answer. */
int yk_flight_is_due(struct yk_job *job, int device, int lane);
/* So the job will not be over before; who waits for it asks: */
void yk_job_foretell(struct yk_job *job, const struct yk_flight *flight);
/* Who sleeps until the job is done, since that time: when to look at it next; now: to watch it; 0:
 * there is no telling. */
int64_t yk_job_look_at(const struct yk_job *job, int64_t since, int64_t now);
/* The flight ended then: forecasts of those behind it move. */
void yk_flight_ended(struct yk_job_device *device, const struct yk_flight *flight,
                     int64_t ended_ns);
/* Look at the device's flights without sleeping, if that is how to wait now; 1 if it was, and they
 * are worth looking at again. */
int yk_device_watch(struct yk_job *job, int device);
/* 0: the device has no flight under way. Else *look_at is when to look at the one that should end
 * first, by the clock of `now`; 0: that cannot be foretold. */
int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at);
/* Wait for a flight of the device for a while; then it is worth looking. */
void yk_device_await(struct yk_job *job, int device);

/* --- ahead.c --- */
/* Sees to it that the host rows the device will probably get are pinned. 1 while some are not and
 * the job should go on without it. */
int yk_job_pins_ahead(struct yk_job *job, int device);
/* The same of all devices, for a job that is about to begin and whose partitioner shares out for
 * good: who waited for one of them would wait for its pins. Under runtime.lock. */
int yk_job_awaits_pins(struct yk_job *job);

/* --- hold.c --- */
/* Build the kernel and make room for the arrays; afterwards the device has joined or left. 0: not
 * yet, try again soon. */
int yk_job_prepare(struct yk_job *job, int device);
/* The arguments whose arrays the device would hold whole if it had nothing else to hold, as bits;
 * 0: it has too little memory for all. Asks no driver. */
uint32_t yk_job_would_hold(const struct yk_job *job, int device);
/* Release what the job holds on a device. */
void yk_job_let_go(struct yk_job *job, int device);
/* Take a device out of the job that failed (its chunks go to the others), or that gets no more
 * (they do not). Under job.lock. */
void yk_job_drop_device(struct yk_job *job, int device, const char *reason);
void yk_job_retire_device(struct yk_job *job, int device, const char *reason);

/* --- window.c --- */
/* Memory for a chunk on each lane of all that the job holds in windows, as much as is good for it
 * or as there is. YOKE_ENOMEM: not enough for the shortest chunk. */
yoke_status yk_windows_open(struct yk_job *job, int device);
void yk_windows_close(struct yk_job *job, int device);
/* So many bytes for a chunk of the lane. YOKE_ENOMEM: a shorter one may do. */
yoke_status yk_window_need(struct yk_job *job, int device, struct yk_window *window, int64_t bytes);

/* --- packed.c --- */
/* Whose rows' distances the job's values are; those that are take no part as arrays any more. */
void yk_packed_note(struct yk_job *job);
/* From a row of an argument to the next where the device holds it; a host thread has all as far
 * apart as the array. */
static inline int64_t yk_held_pitch(const struct yk_job *job, int device, int p)
{
    const enum yk_holding holding = job->devices[device].holding[p];
    const int close = holding == YK_HELD_WINDOW || holding == YK_HELD_PACKED;
    const yoke_array *array = job->args[p].array;
    return close && job->packs & 1u << p ? array->row_bytes : array->pitch;
}
/* The distance that value p is, in elements. */
int64_t yk_packed_distance(const struct yk_job *job, int device, int p);
/* Whether the argument can be held so, and bytes that all take which are. */
int yk_packed_is_possible(const struct yk_job *job, int p);
int64_t yk_packed_bytes(const struct yk_job *job, int device);
/* They lie in the job's windows from `at` on. */
void yk_packed_deal_out(struct yk_job *job, int device, int64_t at);
/* It is there when what is on the upload queue is. *sent: bytes that this took. */
yoke_status yk_packed_stage(struct yk_job *job, int device, int p, int64_t *sent);
/* Whether the device is to leave the job's chunks until an earlier one has none left for it; then
 * as much of the job's panels is sent there as that one is advanced. The caller is in the job, and
 * drives the device. */
int yk_packed_waits(struct yk_job *job, int device);
/* Before their memory goes: what was sent there is over. */
void yk_packed_await(struct yk_job *job, int device);

/* --- merge.c --- */
/* Of a private copy, which is as large as the array that a panel is of. */
static inline int64_t yk_private_bytes(const yoke_array *array)
{
    return array->rows * array->pitch;
}
/* Zeroed private copy of an add argument: of a CPU lane (NULL: no memory), of a device. */
char *yk_private_host(struct yk_job *job, int device, int lane, int arg);
/* Collect every private copy, then fold them into the arrays. *again: a device failed meanwhile,
 * its items are back. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

/* --- copies.c --- */
/* How elements of a type are added up by the library: copies on a device, and on the host. */
struct yk_sum {
    const char *type;
    const yoke_kernel *fold;
    yoke_merge_fn *merge;
};
const struct yk_sum *yk_sum_of(const char *type); /* NULL: not at all */
/* What the job may fold with on its devices. Under the runtime's lock. */
yoke_status yk_folds_intern(struct yk_job *job);
/* Its programs on a device; one that cannot be had is done without. As yk_kernel_build. */
void yk_folds_build(struct yk_job *job, int device);
/* The zeroed buffer of an add argument on a device. */
yoke_status yk_private_buffer(struct yk_job *job, int device, int arg, struct yk_launch_arg *out);
/* Queues, for downloads to follow, the fold of all copies in it into the first. *folded: its event,
 * or untouched if there is nothing to fold. */
yoke_status yk_private_fold(struct yk_job *job, int device, int arg, struct yk_event **folded);

#endif
