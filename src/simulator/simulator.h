/* simulator.h - PURE. A simulation's internals, shared by simulate.c (open and close), loop.c (the
 * next event), lanes.c (asking and waiting), core.c (threads that compute), gpu.c (chunks on GPUs),
 * host.c (how threads wait for GPUs), work.c (how fast work proceeds).
 *
 * Time is in ns. Work whose speed changes (threads that share cores; kernels while other devices
 * are busy or under load) is measured on work clocks. A device's clock shows how much work each of
 * its running operations has got. So a change of speed changes one number, for any number of
 * operations, and each operation ends when the clock reaches a target known from the start. The
 * devices' clocks run on a common clock, which contention slows. So a device that begins to compute
 * changes one number, too.
 *
 *     real time --contention--> common clock --load, cores / threads--> work clock of a device
 *
 * Each lane has at most one event at a known time (end of a copy, noticing an end, asking again),
 * and each device has its next load, joining or failing: these are the ids of one heap. Memory is
 * allocated when a simulation is opened; after that only the dispatcher allocates.
 */
#ifndef YK_SIMULATOR_SIMULATOR_H
#define YK_SIMULATOR_SIMULATOR_H

#include "../partition/lease.h"
#include "heap.h"
#include "simulate.h"

enum yk_lane_doing {
    YK_LANE_ASKS,
    YK_LANE_WAITS,  /* got no chunk; asks again after an answer to the dispatcher, or at its time */
    YK_LANE_WORKS,  /* a core: computes a piece */
    YK_LANE_HOSTS,  /* a core: its thread only waits for its GPU lane's chunk */
    YK_LANE_COMES,  /* a GPU: copies in */
    YK_LANE_QUEUES, /* a GPU: waits for the kernel engine */
    YK_LANE_RUNS,   /* a GPU: runs its kernel */
    YK_LANE_GOES,   /* a GPU: copies out */
    YK_LANE_ENDED,  /* a GPU: the results are there, its host thread has not noticed yet */
    YK_LANE_GONE    /* a GPU: failed */
};

struct yk_simulated_lane {
    int device, number;
    enum yk_lane_doing doing;
    int before, after; /* neighbours in the list of waiting lanes: ids; -1: none */
    int partner; /* of a core: the GPU lane that its thread drives; of a GPU lane: that core; -1:
                  * none */
    /* its work */
    struct yk_chunk chunk; /* a GPU lane's; of a core: the one that it computes while its GPU lane
                            * works (serial 0: none) */
    int64_t completed;     /* items of that chunk, or of a lease, that are done and not reported */
    struct yk_interval piece; /* a core's */
    int slot;    /* of the lease that the piece was cut from; -1: it was cut from `chunk` */
    double cost; /* of the piece, or of the GPU's chunk, in average items */
    double issued, began, ended;
    int next_queued; /* the next one in the queue for the kernel engine: id, -1 */
    int spins;       /* a GPU: its thread spins for this chunk */
};

struct yk_simulated_device {
    const struct yk_machine_device *model, *gpu; /* gpu: the same; NULL: the cores */
    double moment; /* s: loads, joining, leaving and failing are handled up to this time */
    int first_lane, lane_count;
    int joined, left, failed;
    /* its clock: shows `work` when the common clock shows `common` */
    double work, common, speed, load, target; /* target: of a GPU's kernel */
    int running;                              /* operations on it */
    int runs;                                 /* a GPU: the lane whose kernel runs: id; -1: none */
    double item_ns;                           /* an average item's work, on one core or the GPU */
    double in_free, out_free;                 /* when the link has finished what was issued */
    int queue_first, queue_last;              /* ids, -1 */
    int spinning;                             /* number of lanes for which its own thread spins */
    double cost;                              /* of what it did, in average items */
    uint64_t noise;
};

struct yk_simulator {
    const struct yk_simulate_spec *spec;
    const struct yk_machine *machine;
    const char *partitioner; /* the spec's; auto if that one splits by lessons and has too few */
    struct yk_dispatch *dispatch;
    struct yk_split_device *known;
    struct yk_simulated_device *devices;
    struct yk_simulated_lane *lanes; /* of the cores, then of each GPU */
    int device_count, lane_count, threads;
    struct yk_team team; /* what the spec's team knows after this run; empty: there is none */
    uint32_t asked;      /* a bit for each device, if a team decides; 0: all */
    int streams;         /* lanes of each GPU that threads of the cores drive; 0: none */
    int waiting_first, waiting_last; /* ids, -1 */
    int answered;                    /* 1: the dispatcher got an answer since waiting lanes asked */
    int over;

    double now, common, pace; /* pace: of the common clock */
    struct yk_heap timers;    /* lanes, then devices; keys are times */
    struct yk_heap clocks;    /* devices that compute; keys on the common clock */
    struct yk_heap targets;   /* cores that compute; keys on the CPU's clock */
    int busy_devices;
    int spinners;            /* number of threads that hold a core without computing */
    struct yk_leases leases; /* of the cores */

    double spin_ns;
    int64_t calls, events, chunks;
    char verdict[256];
};

static inline int64_t yk_simulator_ns(const struct yk_simulator *sim)
{
    return (int64_t)sim->now;
}

/* Cost of items, in average items. */
static inline double yk_simulator_cost(const struct yk_simulator *sim, int64_t first, int64_t last)
{
    return yk_profile_cost(sim->spec->profile, first - sim->spec->first, last - sim->spec->first);
}

/* --- work.c --- */
/* Advances time; no operation may end before `to`. */
void yk_simulator_advance(struct yk_simulator *sim, double to);
/* When the first of all operations ends; INFINITY if none runs. */
double yk_simulator_next_end(const struct yk_simulator *sim);
/* The lane's operation starts, and ends after `work` on its device's clock. A core's operation may
 * follow the last one without a call of stop. */
void yk_simulator_start(struct yk_simulator *sim, int lane, double work);
void yk_simulator_stop(struct yk_simulator *sim, int lane);
/* One more (1) or one less (-1) thread holds a core without computing. */
void yk_simulator_spin(struct yk_simulator *sim, int change);
void yk_simulator_load(struct yk_simulator *sim, int device, double factor);
/* Running threads per core, at least 1. */
double yk_simulator_crowd(const struct yk_simulator *sim);
/* The factor on the work of the next operation. */
double yk_simulator_noise(struct yk_simulator *sim, int device);

/* --- lanes.c --- */
/* The lane's next chunk. */
enum yk_verdict yk_simulator_next(struct yk_simulator *sim, int lane, struct yk_chunk *chunk,
                                  int64_t *wake_ns);
void yk_simulator_done(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk,
                       const struct yk_chunk_times *times);
/* Reports only the items of the lane's own chunk that it completed. */
void yk_simulator_done_part(struct yk_simulator *sim, int lane, const struct yk_chunk_times *times);
void yk_simulator_returned(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk);
/* Puts the lane into the list of waiting lanes, or takes it out. */
void yk_simulator_wait(struct yk_simulator *sim, int lane, int64_t wake_ns);
void yk_simulator_unwait(struct yk_simulator *sim, int lane);
void yk_simulator_ask_waiting(struct yk_simulator *sim);
void yk_simulator_ask(struct yk_simulator *sim, int lane);
void yk_simulator_tell(const struct yk_simulator *sim, int lane,
                       const struct yk_simulate_span *span);
/* Ends the simulation; `verdict` says why, if items are left. */
void yk_simulator_end(struct yk_simulator *sim, const char *verdict);

/* --- core.c --- */
void yk_core_ask(struct yk_simulator *sim, int lane);
void yk_core_ended(struct yk_simulator *sim, int lane);
/* The device of the cores is lost; threads that drive GPUs go on with that. */
void yk_core_fail(struct yk_simulator *sim);

/* --- gpu.c --- */
/* The lane asks for a chunk. Returns 0 if it got none; *wake_ns is then the time to ask again. */
int yk_gpu_ask(struct yk_simulator *sim, int lane, int64_t *wake_ns);
int yk_gpu_is_out(const struct yk_simulator *sim, int lane); /* has a chunk that has not ended */
void yk_gpu_kernel_ended(struct yk_simulator *sim, int lane);
void yk_gpu_timer(struct yk_simulator *sim, int lane);
/* Its host thread has noticed that the chunk has ended. */
void yk_gpu_report(struct yk_simulator *sim, int lane);
void yk_gpu_fail(struct yk_simulator *sim, int device);

/* --- host.c --- */
/* For a lane whose thread is not one of the cores'. issued: a chunk was issued on it. over: the
 * thread noticed that the chunk has ended, or the chunk is lost. */
void yk_host_issued(struct yk_simulator *sim, int lane);
void yk_host_over(struct yk_simulator *sim, int lane);
/* A core's thread has nothing to do but wait for its GPU lane's chunk, or no longer waits. */
void yk_host_sit(struct yk_simulator *sim, int core);
void yk_host_stand(struct yk_simulator *sim, int core);
/* The chunk ended; determines when that is noticed. */
void yk_host_ended(struct yk_simulator *sim, int lane);

/* --- asked.c --- */
/* Chooses the devices that are asked to take part; the others get empty shares. Call it when
 * `known` is complete. */
void yk_simulator_call(struct yk_simulator *sim);
int yk_simulator_asks(const struct yk_simulator *sim, int device);
/* Makes the devices that are not asked leave. */
void yk_simulator_leave_out(struct yk_simulator *sim);
/* What is known of teams after the run. */
void yk_simulator_teach(const struct yk_simulator *sim, struct yk_team *out);

/* --- simulate.c --- */
struct yk_machine_job yk_simulator_job(const struct yk_simulate_spec *spec);
/* The overhead per chunk on the GPU, if it is known beforehand; 0: unknown, or gpu is NULL (the
 * cores). */
double yk_simulator_told_ns(const struct yk_machine_device *gpu);

/* --- collect.c --- */
yoke_status yk_simulator_collect(const struct yk_simulator *sim, struct yk_simulate_result *out);

/* --- loop.c --- */
void yk_simulator_run(struct yk_simulator *sim);

#endif
