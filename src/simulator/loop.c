/* loop.c - the next event, until all is done. */
#include <math.h>

#include "simulator.h"

/* The next time after its moment at which the device's load changes, or it joins, leaves or fails.
 */
static double next_moment(const struct yk_simulated_device *device)
{
    const double times[] = { device->model->join, device->model->leave, device->model->fail };
    double next = yk_slowdowns_next(&device->model->loads, device->moment);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i] > device->moment)
            next = fmin(next, times[i]);
    return next;
}

static void join(struct yk_simulator *sim, int number)
{
    sim->devices[number].joined = 1;
    yk_dispatch_join(sim->dispatch, number, yk_simulator_ns(sim));
    sim->calls++;
    sim->answered = 1;
}

static void leave(struct yk_simulator *sim, int number)
{
    sim->devices[number].left = 1;
    yk_dispatch_leave(sim->dispatch, number, "it left");
    sim->calls++;
    sim->answered = 1;
}

static void fail(struct yk_simulator *sim, int number)
{
    sim->devices[number].failed = 1;
    yk_dispatch_failed(sim->dispatch, number, "it failed");
    sim->calls++;
    sim->answered = 1;
    if (sim->spec->all_or_nothing)
        yk_simulator_tell(sim, sim->devices[number].first_lane,
                          &(struct yk_simulate_span){ .kind = YK_SIMULATE_LOST,
                                                      .start_ns = yk_simulator_ns(sim),
                                                      .end_ns = yk_simulator_ns(sim) });
    if (number == 0)
        yk_core_fail(sim);
    else
        yk_gpu_fail(sim, number);
}

static int is_due(double when, double moment)
{
    return when > 0 && when <= moment;
}

/* What happens to the device at its moment; then sets the next moment. */
static void see_to_device(struct yk_simulator *sim, int number)
{
    struct yk_simulated_device *device = &sim->devices[number];
    const struct yk_machine_device *model = device->model;
    double moment = device->moment, next;
    yk_simulator_load(sim, number, yk_slowdowns_factor(&model->loads, moment));
    if (!device->joined && !device->left && !device->failed && model->join <= moment)
        join(sim, number);
    if (!device->failed && is_due(model->fail, moment))
        fail(sim, number);
    if (!device->left && !device->failed && is_due(model->leave, moment))
        leave(sim, number);
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

/* Handles the next event. Call it only if there is one. */
static void proceed(struct yk_simulator *sim, double timed, double ends)
{
    if (timed <= ends) {
        int id = yk_heap_first(&sim->timers);
        yk_simulator_advance(sim, timed);
        yk_heap_remove(&sim->timers, id);
        timer(sim, id);
    } else {
        double common = yk_heap_key(&sim->clocks);
        yk_simulator_advance(sim, ends);
        if (sim->common < common) /* so that they are equal to the last bit */
            sim->common = common;
        operation(sim, yk_heap_first(&sim->clocks));
    }
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
        } else {
            proceed(sim, timed, ends);
        }
    }
    if (!yk_dispatch_check(sim->dispatch))
        yk_simulator_end(sim, "the dispatcher's books are wrong");
}
