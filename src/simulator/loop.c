/* loop.c - the next event, until all is done. */
#include <math.h>

#include "simulator.h"

/* The next time after its moment at which the device's load changes, or it joins or fails. */
static double next_moment(const struct yk_simulated_device *device)
{
    double next = yk_slowdowns_next(device->loads, device->moment);
    if (device->gpu && device->gpu->join > device->moment)
        next = fmin(next, device->gpu->join);
    if (device->gpu && device->gpu->fail > device->moment)
        next = fmin(next, device->gpu->fail);
    return next;
}

static void join(struct yk_simulator *sim, int number)
{
    sim->devices[number].joined = 1;
    yk_dispatch_join(sim->dispatch, number, yk_simulator_ns(sim));
    sim->calls++;
    sim->answered = 1;
}

/* What happens to the device at its moment; then sets the next moment. */
static void see_to_device(struct yk_simulator *sim, int number)
{
    struct yk_simulated_device *device = &sim->devices[number];
    double moment = device->moment, next;
    yk_simulator_load(sim, number, yk_slowdowns_factor(device->loads, moment));
    if (!device->joined && !device->failed && (!device->gpu || device->gpu->join <= moment))
        join(sim, number);
    if (device->gpu && device->gpu->fail > 0 && device->gpu->fail <= moment && !device->failed)
        yk_gpu_fail(sim, number);
    next = next_moment(device);
    if (next > 1e9) /* never: beyond the range of times */
        return;
    device->moment = next;
    yk_heap_put(&sim->timers, sim->lane_count + number, next * 1e9);
}

static void timer(struct yk_simulator *sim, int id)
{
    if (id >= sim->lane_count) {
        see_to_device(sim, id - sim->lane_count);
    } else if (sim->lanes[id].doing == YK_LANE_WAITS) {
        yk_simulator_unwait(sim, id);
        yk_simulator_ask(sim, id);
    } else {
        yk_gpu_timer(sim, id);
    }
}

/* The first operation of a device has ended. */
static void operation(struct yk_simulator *sim, int device)
{
    if (device == 0)
        yk_core_ended(sim, yk_heap_first(&sim->targets));
    else
        yk_gpu_kernel_ended(sim, sim->devices[device].runs);
}

/* Devices join in their order. Then lanes ask: first those whose work takes no core (GPUs' own
 * threads), then cores that drive a GPU, then the others. */
static void begin(struct yk_simulator *sim)
{
    yk_simulator_leave_out(sim);
    for (int d = 0; d < sim->device_count; d++)
        see_to_device(sim, d);
    for (int lane = sim->threads; lane < sim->lane_count; lane++)
        if (sim->lanes[lane].partner < 0 && sim->lanes[lane].doing == YK_LANE_ASKS)
            yk_simulator_ask(sim, lane);
    for (int driving = 1; driving >= 0; driving--)
        for (int lane = 0; lane < sim->threads; lane++)
            if ((sim->lanes[lane].partner >= 0) == driving)
                yk_simulator_ask(sim, lane);
    yk_simulator_ask_waiting(sim);
}

void yk_simulator_run(struct yk_simulator *sim)
{
    int64_t most = sim->spec->most_events > 0 ? sim->spec->most_events : INT64_C(10000000000);
    begin(sim);
    while (!sim->over) {
        double timed = yk_heap_key(&sim->timers), ends = yk_simulator_next_end(sim);
        if (isinf(timed) && isinf(ends)) {
            yk_simulator_end(sim, "every lane waits and nothing is under way");
        } else if (sim->events++ == most) {
            yk_simulator_end(sim, "given up: too many events");
        } else if (timed <= ends) {
            int id = yk_heap_first(&sim->timers);
            yk_simulator_advance(sim, timed);
            yk_heap_remove(&sim->timers, id);
            timer(sim, id);
        } else {
            double common = yk_heap_key(&sim->clocks);
            yk_simulator_advance(sim, ends);
            if (sim->common < common) /* equal to the last bit */
                sim->common = common;
            operation(sim, yk_heap_first(&sim->clocks));
        }
        yk_simulator_ask_waiting(sim);
    }
}
