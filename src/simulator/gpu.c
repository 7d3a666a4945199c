/* gpu.c - a chunk's way through a GPU: copy in, kernel, copy out.
 *
 * Each direction of the link, and the kernel engine, do one operation at a time, in the order of
 * issue; chunks of different lanes overlap while they use different ones of these. Copies always
 * take the same time, so their ends are known when they are issued; a kernel proceeds on its
 * device's clock.
 */
#include <math.h>

#include "simulator.h"

int yk_gpu_is_out(const struct yk_simulator *sim, int lane)
{
    enum yk_lane_doing doing = lane < 0 ? YK_LANE_ASKS : sim->lanes[lane].doing;
    return doing == YK_LANE_COMES || doing == YK_LANE_QUEUES || doing == YK_LANE_RUNS ||
           doing == YK_LANE_GOES;
}

static struct yk_simulated_device *device_of(struct yk_simulator *sim, int lane)
{
    return &sim->devices[sim->lanes[lane].device];
}

static double items_of(const struct yk_simulated_lane *lane)
{
    return (double)(lane->chunk.last - lane->chunk.first);
}

static double kernel_ns(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    const struct yk_simulated_device *device = &sim->devices[l->device];
    l->cost = yk_simulator_cost(sim, l->chunk.first, l->chunk.last);
    const struct yk_machine_work work = { .items = items_of(l),
                                          .cost = l->cost,
                                          .item_ns = device->item_ns };
    return yk_machine_kernel_ns(device->gpu, &work) * yk_simulator_noise(sim, l->device);
}

static void start_kernel(struct yk_simulator *sim, int lane)
{
    sim->lanes[lane].doing = YK_LANE_RUNS;
    sim->devices[sim->lanes[lane].device].runs = lane;
    sim->lanes[lane].began = sim->now;
    yk_simulator_start(sim, lane, kernel_ns(sim, lane));
}

static void queue_kernel(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_device *device = device_of(sim, lane);
    if (device->running == 0) {
        start_kernel(sim, lane);
        return;
    }
    sim->lanes[lane].doing = YK_LANE_QUEUES;
    sim->lanes[lane].next_queued = -1;
    if (device->queue_first < 0)
        device->queue_first = lane;
    else
        sim->lanes[device->queue_last].next_queued = lane;
    device->queue_last = lane;
}

static void issue(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    struct yk_simulated_device *device = device_of(sim, lane);
    double ready = sim->now + sim->machine->cpu.hand * 1e9;
    double bytes = sim->spec->bytes_in * items_of(l);
    l->issued = sim->now;
    if (bytes > 0) {
        l->began = fmax(ready, device->in_free);
        ready = device->in_free =
            l->began + yk_machine_copy_ns(device->gpu, device->gpu->link, bytes);
    }
    l->ended = ready; /* of the copy */
    ready += device->gpu->launch * 1e9;
    l->doing = YK_LANE_COMES;
    if (ready > sim->now)
        yk_heap_put(&sim->timers, lane, ready);
    else
        queue_kernel(sim, lane);
    if (l->partner < 0)
        yk_host_issued(sim, lane);
}

static int fits(const struct yk_simulator *sim, int lane)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    const struct yk_simulated_device *device = &sim->devices[l->device];
    double bytes = (sim->spec->bytes_in + sim->spec->bytes_out) * items_of(l);
    return device->gpu->memory == 0 || bytes * device->lane_count <= (double)device->gpu->memory;
}

int yk_gpu_ask(struct yk_simulator *sim, int lane, int64_t *wake_ns)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    *wake_ns = 0;
    while (!sim->over && yk_simulator_next(sim, lane, &l->chunk, wake_ns) == YK_TAKE) {
        if (fits(sim, lane)) {
            issue(sim, lane);
            return 1;
        }
        yk_simulator_returned(sim, lane, &l->chunk);
    }
    return 0;
}

static void tell(const struct yk_simulator *sim, int lane, enum yk_simulate_kind kind, double ended)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    double item_bytes = kind == YK_SIMULATE_COPY_IN    ? sim->spec->bytes_in
                        : kind == YK_SIMULATE_COPY_OUT ? sim->spec->bytes_out
                                                       : 0;
    yk_simulator_tell(sim, lane,
                      &(struct yk_simulate_span){ .kind = kind,
                                                  .start_ns = (int64_t)l->began,
                                                  .end_ns = (int64_t)ended,
                                                  .first = l->chunk.first,
                                                  .last = l->chunk.last,
                                                  .bytes = (int64_t)(item_bytes * items_of(l)),
                                                  .reason = l->chunk.reason });
}

static void results_there(struct yk_simulator *sim, int lane)
{
    sim->lanes[lane].ended = sim->now;
    sim->lanes[lane].doing = YK_LANE_ENDED;
    yk_host_ended(sim, lane);
}

void yk_gpu_kernel_ended(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    struct yk_simulated_device *device = device_of(sim, lane);
    double bytes = sim->spec->bytes_out * items_of(l);
    int next = device->queue_first;
    yk_simulator_stop(sim, lane);
    device->cost += l->cost;
    tell(sim, lane, YK_SIMULATE_CHUNK, sim->now);
    if (next >= 0) {
        device->queue_first = sim->lanes[next].next_queued;
        start_kernel(sim, next);
    }
    if (bytes > 0) {
        l->began = fmax(sim->now, device->out_free);
        device->out_free = l->began + yk_machine_copy_ns(device->gpu, device->gpu->link, bytes);
        l->doing = YK_LANE_GOES;
        yk_heap_put(&sim->timers, lane, device->out_free);
    } else {
        results_there(sim, lane);
    }
}

void yk_gpu_timer(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    if (l->doing == YK_LANE_COMES) {
        if (sim->spec->bytes_in > 0)
            tell(sim, lane, YK_SIMULATE_COPY_IN, l->ended);
        queue_kernel(sim, lane);
    } else if (l->doing == YK_LANE_GOES) {
        tell(sim, lane, YK_SIMULATE_COPY_OUT, sim->now);
        results_there(sim, lane);
    } else if (l->partner >= 0) { /* its thread was waiting for it */
        yk_host_stand(sim, l->partner);
        yk_simulator_ask(sim, l->partner);
    } else {
        yk_gpu_report(sim, lane);
        yk_simulator_ask(sim, lane);
    }
}

void yk_gpu_report(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    double bytes = (sim->spec->bytes_in + sim->spec->bytes_out) * items_of(l);
    struct yk_chunk_times times = { .issued = (int64_t)l->issued,
                                    .started = (int64_t)l->began,
                                    .ended = (int64_t)l->ended,
                                    .copied_bytes = (int64_t)bytes };
    yk_heap_remove(&sim->timers, lane);
    if (l->partner < 0)
        yk_host_over(sim, lane);
    l->doing = YK_LANE_ASKS;
    yk_simulator_done(sim, lane, &l->chunk, &times);
}

static void lose_lane(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    int was_out = yk_gpu_is_out(sim, lane) || l->doing == YK_LANE_ENDED;
    yk_simulator_unwait(sim, lane);
    yk_heap_remove(&sim->timers, lane);
    if (l->doing == YK_LANE_RUNS)
        yk_simulator_stop(sim, lane);
    if (was_out && l->partner < 0)
        yk_host_over(sim, lane);
    l->doing = YK_LANE_GONE;
    if (l->partner >= 0 && sim->lanes[l->partner].doing == YK_LANE_HOSTS) {
        yk_host_stand(sim, l->partner);
        yk_simulator_wait(sim, l->partner, 0);
    }
}

void yk_gpu_fail(struct yk_simulator *sim, int number)
{
    struct yk_simulated_device *device = &sim->devices[number];
    device->queue_first = -1;
    for (int i = 0; i < device->lane_count; i++)
        lose_lane(sim, device->first_lane + i);
}
