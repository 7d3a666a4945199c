/* work.c - how fast work proceeds: the clocks described in simulator.h. */
#include <math.h>

#include "simulator.h"

void yk_simulator_advance(struct yk_simulator *sim, double to)
{
    if (to <= sim->now)
        return;
    sim->common += sim->pace * (to - sim->now);
    sim->spin_ns += sim->spinners / yk_simulator_crowd(sim) * (to - sim->now);
    sim->now = to;
}

double yk_simulator_next_end(const struct yk_simulator *sim)
{
    double left = yk_heap_key(&sim->clocks) - sim->common;
    return left > 0 ? sim->now + left / sim->pace : sim->now;
}

/* Brings the device's clock up to now. */
static void read_clock(struct yk_simulator *sim, struct yk_simulated_device *device)
{
    device->work += device->speed * (sim->common - device->common);
    device->common = sim->common;
}

/* Sets the clock's new speed, and when its first operation then ends. */
static void set_clock(struct yk_simulator *sim, int number)
{
    struct yk_simulated_device *device = &sim->devices[number];
    double target = device->gpu ? device->target : yk_heap_key(&sim->targets);
    double left = target > device->work ? target - device->work : 0;
    device->speed = 1 / (device->gpu ? device->load : device->load * yk_simulator_crowd(sim));
    if (device->running == 0)
        yk_heap_remove(&sim->clocks, number);
    else
        yk_heap_put(&sim->clocks, number, device->common + left / device->speed);
}

static void count_busy(struct yk_simulator *sim, int change)
{
    sim->busy_devices += change;
    sim->pace = 1;
    if (sim->busy_devices > 1)
        sim->pace = 1 / (1 + sim->machine->cpu.contention * (sim->busy_devices - 1));
}

void yk_simulator_start(struct yk_simulator *sim, int lane, double work)
{
    int number = sim->lanes[lane].device;
    struct yk_simulated_device *device = &sim->devices[number];
    const int follows = !device->gpu && yk_heap_has(&sim->targets, lane);
    read_clock(sim, device);
    if (!follows && device->running++ == 0)
        count_busy(sim, 1);
    if (device->gpu)
        device->target = device->work + work;
    else
        yk_heap_put(&sim->targets, lane, device->work + work);
    set_clock(sim, number);
}

void yk_simulator_stop(struct yk_simulator *sim, int lane)
{
    int number = sim->lanes[lane].device;
    struct yk_simulated_device *device = &sim->devices[number];
    read_clock(sim, device);
    if (--device->running == 0)
        count_busy(sim, -1);
    if (!device->gpu)
        yk_heap_remove(&sim->targets, lane);
    set_clock(sim, number);
}

void yk_simulator_spin(struct yk_simulator *sim, int change)
{
    read_clock(sim, &sim->devices[0]);
    sim->spinners += change;
    set_clock(sim, 0);
}

void yk_simulator_load(struct yk_simulator *sim, int device, double factor)
{
    read_clock(sim, &sim->devices[device]);
    sim->devices[device].load = factor;
    set_clock(sim, device);
}

double yk_simulator_crowd(const struct yk_simulator *sim)
{
    double threads = sim->targets.count + sim->spinners, cores = (double)sim->machine->cpu.cores;
    return threads > cores ? threads / cores : 1;
}

double yk_simulator_noise(struct yk_simulator *sim, int device)
{
    const double own = sim->devices[device].model->noise;
    return yk_machine_noise(own > 0 ? own : sim->machine->cpu.noise, &sim->devices[device].noise);
}
