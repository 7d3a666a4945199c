/* simulator.h - PURE. A simulation's insides, shared by simulate.c (life), loop.c (what comes
 * next), lanes.c (asking and waiting), core.c (threads that compute), gpu.c (chunks on GPUs),
 * host.c (how threads wait for GPUs), work.c (how fast work proceeds).
 *
 * Time is in ns. What proceeds at a speed that changes (threads that share cores, kernels while
 * other devices are busy or under load) is kept on work clocks: a device's clock shows how much
 * work each of its running operations has got, so a change of speed touches one number, however
 * many operations there are, and each ends when the clock reaches a target known from the start.
 * Devices' clocks run on a clock common to all, which contention slows; so a device that begins to
 * compute touches one number too.
 *
 *     real time --contention--> common clock --load, cores / threads--> work clock of a device
 *
 * Each lane has at most one thing to come at a known time (end of a copy, noticing an end, asking
 * again), and each device its next load, joining or failing: these are the ids of one heap. Memory
 * is had when a simulation is opened; nothing is allocated after that, but by the dispatcher.
 */
#ifndef YK_SIMULATOR_SIMULATOR_H
#define YK_SIMULATOR_SIMULATOR_H

#include "heap.h"
#include "pieces.h"
#include "simulate.h"

enum yk_lane_doing {
    YK_LANE_ASKS,
    YK_LANE_WAITS,  /* nothing for it; asks again after the next answer, or at its time */
    YK_LANE_WORKS,  /* a core: computes a piece */
    YK_LANE_HOSTS,  /* a core: its thread does nothing but wait for its GPU lane's chunk */
    YK_LANE_COMES,  /* a GPU: copies in */
    YK_LANE_QUEUES, /* a GPU: for the kernel engine */
    YK_LANE_RUNS,   /* a GPU: its kernel */
    YK_LANE_GOES,   /* a GPU: copies out */
    YK_LANE_ENDED,  /* a GPU: the results are there, its host thread has not noticed */
    YK_LANE_GONE    /* a GPU: failed */
};

struct yk_simulated_lane {
    int device, number;
    enum yk_lane_doing doing;
    int before, after; /* in the list of waiting lanes: ids, -1 */
    int partner; /* of a core: the GPU lane its thread drives; of a GPU lane: that thread; -1 */
    /* what it works on */
    struct yk_chunk chunk; /* of a GPU; of a core the one beside a GPU's chunk (serial 0: none) */
    int64_t completed;     /* of that one */
    struct yk_piece piece; /* of a core */
    double issued, began, ended;
    int next_queued; /* behind it for the kernel engine: id, -1 */
    int spins;       /* a GPU: its thread spins for this chunk */
};

struct yk_simulated_device {
    const struct yk_machine_gpu *gpu; /* NULL: the cores */
    const struct yk_loads *loads;
    double moment; /* s: until then loads, joining and failing have been seen to */
    int first_lane, lane_count;
    int joined, failed;
    int64_t out_items;
    /* its clock: shows `work` when the common one shows `common` */
    double work, common, speed, load, target; /* target: of a GPU's kernel */
    int running;                              /* operations on it */
    int runs;                                 /* lane of a GPU whose kernel runs: id, -1 */
    double item_ns;                           /* an average item's work, on one core or the GPU */
    double in_free, out_free;                 /* when the link has done what was issued */
    int queue_first, queue_last;              /* ids, -1 */
    int spinning;                             /* lanes for which a thread of its own spins */
    double cost;                              /* of what it did, in average items */
    uint64_t noise;
};

struct yk_simulator {
    const struct yk_simulate_spec *spec;
    const struct yk_machine *machine;
    const char *partitioner; /* the spec's, or auto where it splits by lessons and has too few */
    struct yk_dispatch *dispatch;
    struct yk_split_device *known;
    struct yk_simulated_device *devices;
    struct yk_simulated_lane *lanes; /* of the cores, then of each GPU */
    int device_count, lane_count, threads;
    int tells;      /* the speeds of all that are asked were known */
    uint32_t asked; /* where a team decides; 0: all */
    int streams;    /* lanes of each GPU that threads of the cores drive; 0: none */
    int waiting_first, waiting_last; /* ids, -1 */
    int answered;                    /* since waiting lanes asked */
    int64_t free_items;              /* that nobody has and that are not done */
    int over;

    double now, common, pace; /* pace: of the common clock */
    struct yk_heap timers;    /* lanes, then devices; keys are times */
    struct yk_heap clocks;    /* devices that compute; keys on the common clock */
    struct yk_heap targets;   /* cores that compute; keys on the CPU's clock */
    int busy_devices;
    int spinners; /* threads that hold a core without computing */
    struct yk_pieces pieces;

    double spin_ns;
    int64_t calls, events, chunks;
    char verdict[256];
};

static inline int64_t yk_simulator_ns(const struct yk_simulator *sim)
{
    return (int64_t)sim->now;
}

/* --- work.c --- */
/* Time passes; nothing may end before `to`. */
void yk_simulator_advance(struct yk_simulator *sim, double to);
/* When the first operation of all ends; INFINITY if none runs. */
double yk_simulator_next_end(const struct yk_simulator *sim);
/* The operation of a lane, computing, ends after so much work on its device's clock. */
void yk_simulator_start(struct yk_simulator *sim, int lane, double work);
void yk_simulator_stop(struct yk_simulator *sim, int lane);
/* One thread more (1) or less (-1) holds a core without computing. */
void yk_simulator_spin(struct yk_simulator *sim, int change);
void yk_simulator_load(struct yk_simulator *sim, int device, double factor);
/* Threads that run for each core, 1 at least. */
double yk_simulator_crowd(const struct yk_simulator *sim);
/* What the work of the next operation is to be multiplied with. */
double yk_simulator_noise(struct yk_simulator *sim, int device);

/* --- lanes.c --- */
/* The lane's next chunk. */
enum yk_verdict yk_simulator_next(struct yk_simulator *sim, int lane, struct yk_chunk *chunk,
                                  int64_t *wake_ns);
void yk_simulator_done(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk,
                       const struct yk_chunk_times *times);
/* The first `completed` items only. */
void yk_simulator_done_part(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk,
                            const struct yk_chunk_times *times, int64_t completed);
void yk_simulator_returned(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk);
/* Into the list of those that wait, or out of it. */
void yk_simulator_wait(struct yk_simulator *sim, int lane, int64_t wake_ns);
void yk_simulator_unwait(struct yk_simulator *sim, int lane);
void yk_simulator_ask_waiting(struct yk_simulator *sim);
void yk_simulator_ask(struct yk_simulator *sim, int lane);
void yk_simulator_tell(const struct yk_simulator *sim, int lane,
                       const struct yk_simulate_span *span);
/* No more happens; why, if items are left. */
void yk_simulator_end(struct yk_simulator *sim, const char *verdict);

/* --- core.c --- */
void yk_core_ask(struct yk_simulator *sim, int lane);
void yk_core_ended(struct yk_simulator *sim, int lane);

/* --- gpu.c --- */
/* Its lane asks; 0 if it got nothing and *wake_ns says when to ask again. */
int yk_gpu_ask(struct yk_simulator *sim, int lane, int64_t *wake_ns);
int yk_gpu_is_out(const struct yk_simulator *sim, int lane); /* and has not ended */
void yk_gpu_kernel_ended(struct yk_simulator *sim, int lane);
void yk_gpu_timer(struct yk_simulator *sim, int lane);
/* Its host thread knows that the chunk has ended. */
void yk_gpu_report(struct yk_simulator *sim, int lane);
void yk_gpu_fail(struct yk_simulator *sim, int device);

/* --- host.c --- */
/* A chunk was issued on a lane that has a thread beside those of the cores; it was noticed to have
 * ended, or is lost. */
void yk_host_issued(struct yk_simulator *sim, int lane);
void yk_host_over(struct yk_simulator *sim, int lane);
/* A thread of the cores has nothing to do but wait for its GPU lane's chunk. */
void yk_host_sit(struct yk_simulator *sim, int core);
void yk_host_stand(struct yk_simulator *sim, int core);
/* The chunk ended: when does somebody notice? */
void yk_host_ended(struct yk_simulator *sim, int lane);

/* --- asked.c --- */
/* Who is asked; the others' shares are none. Needs what is known of devices. */
void yk_simulator_call(struct yk_simulator *sim);
int yk_simulator_asks(const struct yk_simulator *sim, int device);
/* Those that are not asked leave. */
void yk_simulator_leave_out(struct yk_simulator *sim);
/* What it taught of devices together. */
void yk_simulator_teach(const struct yk_simulator *sim, struct yk_team *out);

/* --- simulate.c --- */
struct yk_machine_job yk_simulator_job(const struct yk_simulate_spec *spec);
/* What a chunk of the GPU is told to cost; 0: nothing is told, or NULL: these are the cores. */
double yk_simulator_told_ns(const struct yk_machine_gpu *gpu);

/* --- collect.c --- */
yoke_status yk_simulator_collect(const struct yk_simulator *sim, struct yk_simulate_result *out);

/* --- loop.c --- */
void yk_simulator_run(struct yk_simulator *sim);

#endif
