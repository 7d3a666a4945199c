/* host.c - how host threads wait: whether they hold a core meanwhile, and when they notice that a
 * chunk has ended.
 *
 * A GPU whose lanes are not driven by the cores' threads has its own thread, which waits for all
 * its chunks. Times are those of the machine. If there are more threads than cores, a thread that
 * polls gets its turn correspondingly later.
 */
#include "simulator.h"

/* Sleeping costs the GPU a wake and a switch; spinning costs a core. Spin if the chunk is shorter
 * than this many sleeps (as in work/await.c).
 */
enum { SLEEPS_WORTH = 2 };

static int is_to_spin(const struct yk_simulator *sim, int lane)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    double sleep = 1e9 * (sim->machine->cpu.wake + sim->machine->cpu.wait_switch);
    if (sim->spec->waiting != YK_SIMULATE_AUTO)
        return sim->spec->waiting == YK_SIMULATE_SPIN;
    int64_t forecast =
        yk_dispatch_forecast(sim->dispatch, l->device, l->chunk.last - l->chunk.first);
    return forecast > 0 && (double)forecast < SLEEPS_WORTH * sleep;
}

/* The device's own thread holds a core while it spins for any of the lanes. */
static void spin_for(struct yk_simulator *sim, int device, int change)
{
    int before = sim->devices[device].spinning;
    sim->devices[device].spinning += change;
    if (before == 0 || sim->devices[device].spinning == 0)
        yk_simulator_spin(sim, change);
}

void yk_host_issued(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    l->spins = is_to_spin(sim, lane);
    if (l->spins)
        spin_for(sim, l->device, 1);
}

void yk_host_over(struct yk_simulator *sim, int lane)
{
    struct yk_simulated_lane *l = &sim->lanes[lane];
    if (l->spins)
        spin_for(sim, l->device, -1);
    l->spins = 0;
}

void yk_host_sit(struct yk_simulator *sim, int core)
{
    struct yk_simulated_lane *gpu = &sim->lanes[sim->lanes[core].partner];
    sim->lanes[core].doing = YK_LANE_HOSTS;
    gpu->spins = is_to_spin(sim, sim->lanes[core].partner);
    if (gpu->spins)
        yk_simulator_spin(sim, 1);
}

void yk_host_stand(struct yk_simulator *sim, int core)
{
    struct yk_simulated_lane *gpu = &sim->lanes[sim->lanes[core].partner];
    sim->lanes[core].doing = YK_LANE_ASKS;
    if (gpu->spins)
        yk_simulator_spin(sim, -1);
    gpu->spins = 0;
}

void yk_host_ended(struct yk_simulator *sim, int lane)
{
    const struct yk_simulated_lane *l = &sim->lanes[lane];
    const struct yk_machine *machine = sim->machine;
    double crowd = yk_simulator_crowd(sim), late = machine->cpu.wake + machine->cpu.wait_switch;
    int full = sim->targets.count + sim->spinners >= machine->cpu.cores;
    if (l->partner >= 0 && sim->lanes[l->partner].doing != YK_LANE_HOSTS)
        return; /* the thread looks when its piece is done */
    if (l->spins)
        late = machine->cpu.poll * crowd;
    else if (sim->spec->waiting == YK_SIMULATE_YIELD)
        late = full ? machine->cpu.wait_switch * crowd : machine->cpu.poll;
    yk_heap_put(&sim->timers, lane, sim->now + 1e9 * late);
}
