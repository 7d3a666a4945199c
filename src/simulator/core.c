/* core.c - threads that compute on the cores: what a thread does next, and the end of what it did.
 *
 * Threads cut pieces off leases, and ask the dispatcher when nothing is left to cut, as the
 * runtime's do (work/lane.c). A thread that also drives a GPU lane handles that lane first. While
 * the GPU works, the thread may get a chunk to work on in the meantime, piece by piece, with a look
 * at the GPU after each piece; or it only waits.
 */
#include "simulator.h"

/* The cost of a call to the dispatcher is added to the lane that got something. */
static double hand_ns(const struct yk_simulator *sim, int asked)
{
    return asked ? sim->machine->cpu.hand * 1e9 : 0;
}

static void start_piece(struct yk_simulator *sim, int lane, double more_ns)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    struct yk_simulated_device *cpu = &sim->devices[0];
    l->cost = yk_simulator_cost(sim, l->piece.first, l->piece.last);
    l->doing = YK_LANE_WORKS;
    l->began = sim->now;
    const struct yk_machine_work work = { .items = (double)yk_interval_length(l->piece),
                                          .cost = l->cost,
                                          .item_ns = cpu->item_ns };
    yk_simulator_start(
        sim, lane, more_ns + yk_machine_kernel_ns(cpu->model, &work) * yk_simulator_noise(sim, 0));
}

/* The next piece of the chunk that is worked on beside the GPU's, followed by a look at the GPU.
 */
static void start_beside(struct yk_simulator *sim, int lane, double more_ns)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    int64_t first = l->chunk.first + l->completed, piece = l->chunk.piece > 0 ? l->chunk.piece : 1;
    int64_t last = l->chunk.last - first > piece ? first + piece : l->chunk.last;
    l->piece = (struct yk_interval){ first, last };
    start_piece(sim, lane, more_ns + sim->machine->cpu.poll * 1e9);
}

static void tell_piece(const struct yk_simulator *sim, int lane, const char *reason)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    yk_simulator_tell(sim, lane,
                      &(struct yk_simulate_span){ .kind = YK_SIMULATE_CHUNK,
                                                  .start_ns = (int64_t)l->began,
                                                  .end_ns = yk_simulator_ns(sim),
                                                  .first = l->piece.first,
                                                  .last = l->piece.last,
                                                  .reason = reason });
}

static struct yk_chunk_times times_of(const struct yk_simulator *sim, int64_t issued,
                                      int64_t work_ns)
{
    return (struct yk_chunk_times){
        .issued = issued, .started = issued, .ended = yk_simulator_ns(sim), .work_ns = work_ns
    };
}

/* Reports what the thread did of its lease; ends the lease if nothing of it is left. */
static void report_lease(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    const int slot = l->slot;
    l->slot = -1;
    if (slot < 0)
        return;
    yk_lease_worked(&sim->leases, slot, (int64_t)(sim->now - l->issued));
    const struct yk_lease *lease = yk_lease_done(&sim->leases, slot, l->completed);
    if (lease) {
        struct yk_chunk_times times = times_of(sim, lease->issued_ns, yk_lease_work_ns(lease));
        yk_simulator_done(sim, lane, &lease->chunk, &times);
        yk_lease_free(&sim->leases, slot);
    }
}

/* Cuts the next piece. A thread that continues with the same lease reports later. */
static int cut(struct yk_simulator *sim, int lane, int asked)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    struct yk_chunk piece;
    int slot;
    if (!yk_lease_cut(&sim->leases, lane, &piece, &slot))
        return 0;
    if (slot != l->slot) {
        report_lease(sim, lane);
        l->slot = slot;
        l->completed = 0;
        l->issued = sim->now;
    }
    l->piece = (struct yk_interval){ piece.first, piece.last };
    start_piece(sim, lane, hand_ns(sim, asked));
    return 1;
}

static void take(struct yk_simulator *sim, int lane, const struct yk_chunk *chunk)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    if (chunk->beside) {
        l->chunk = *chunk;
        l->completed = 0;
        l->issued = sim->now;
        start_beside(sim, lane, hand_ns(sim, 1));
    } else {
        yk_lease_publish(&sim->leases, yk_lease_next(&sim->leases), chunk, yk_simulator_ns(sim));
        cut(sim, lane, 1);
    }
}

/* Handles the thread's GPU lane. Returns 1 if that has a chunk that has not ended. */
static int see_to_gpu(struct yk_simulator *sim, int lane, int64_t *wake_ns)
{
    int gpu = sim->lanes[lane].partner;
    *wake_ns = 0;
    if (gpu < 0)
        return 0;
    if (sim->lanes[gpu].doing == YK_LANE_ENDED)
        yk_gpu_report(sim, gpu);
    if (sim->lanes[gpu].doing == YK_LANE_ASKS && !sim->over)
        yk_gpu_ask(sim, gpu, wake_ns);
    return yk_gpu_is_out(sim, gpu);
}

void yk_core_ask(struct yk_simulator *sim, int lane)
{
    struct yk_chunk chunk;
    int64_t wake_ns, gpu_wake_ns;
    int hosting = see_to_gpu(sim, lane, &gpu_wake_ns);
    if (sim->over || cut(sim, lane, 0))
        return;
    switch (yk_simulator_next(sim, lane, &chunk, &wake_ns)) {
    case YK_TAKE:
        take(sim, lane, &chunk);
        break;
    case YK_WAIT:
        if (hosting)
            yk_host_sit(sim, lane);
        else
            yk_simulator_wait(sim, lane,
                              gpu_wake_ns && (!wake_ns || gpu_wake_ns < wake_ns) ? gpu_wake_ns
                                                                                 : wake_ns);
        break;
    case YK_FINISHED:
        break;
    }
}

static void stop(struct yk_simulator *sim, int lane)
{
    yk_simulator_stop(sim, lane);
    sim->lanes[lane].doing = YK_LANE_ASKS;
}

/* Ends a piece of the thread's own chunk. If the GPU's chunk has ended, the rest of this chunk goes
 * back. */
static void beside_ended(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    tell_piece(sim, lane, l->chunk.reason);
    l->completed = l->piece.last - l->chunk.first;
    if (l->piece.last < l->chunk.last && yk_gpu_is_out(sim, l->partner)) {
        start_beside(sim, lane, 0);
        return;
    }
    stop(sim, lane);
    struct yk_chunk_times times =
        times_of(sim, (int64_t)l->issued, (int64_t)(sim->now - l->issued));
    yk_simulator_done_part(sim, lane, &times);
    yk_simulator_ask(sim, lane);
}

/* Ends a piece of a lease. A thread that drives a GPU lane looks at it before the next piece. */
static void piece_ended(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    tell_piece(sim, lane, sim->leases.slots[l->slot].chunk.reason);
    l->completed += yk_interval_length(l->piece);
    if (l->partner < 0 && cut(sim, lane, 0))
        return;
    stop(sim, lane);
    report_lease(sim, lane);
    yk_simulator_ask(sim, lane);
}

void yk_core_ended(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    sim->devices[0].cost += l->cost;
    if (l->slot < 0)
        beside_ended(sim, lane);
    else
        piece_ended(sim, lane);
}

void yk_core_fail(struct yk_simulator *sim)
{
    yk_leases_shut(&sim->leases);
    for (int lane = 0; lane < sim->threads; lane++)
        if (sim->lanes[lane].doing == YK_LANE_WORKS) {
            stop(sim, lane);
            sim->lanes[lane].slot = -1;
        }
    for (int lane = 0; lane < sim->threads; lane++)
        if (sim->lanes[lane].doing == YK_LANE_ASKS)
            yk_simulator_ask(sim, lane);
}
