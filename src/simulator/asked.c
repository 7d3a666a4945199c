/* asked.c - which devices are asked to take part: a single one, a team (partition/team.h), or
 * all. */
#include <string.h>

#include "simulator.h"

void yk_simulator_call(struct yk_simulator *sim)
{
    const struct yk_simulate_spec *spec = sim->spec;
    if (spec->team && !spec->alone && !spec->without && sim->device_count <= YK_TEAM_DEVICES &&
        (!sim->partitioner || strcmp(sim->partitioner, "auto") == 0)) {
        sim->team = *spec->team;
        sim->asked = yk_team_choose(
            &sim->team, &(struct yk_team_asks){ .devices = sim->known,
                                                .count = sim->device_count,
                                                .items = (double)spec->profile->items });
    }
    for (int d = 0; d < sim->device_count; d++)
        if (!yk_simulator_asks(sim, d))
            sim->known[d].share = 0;
}

int yk_simulator_asks(const struct yk_simulator *sim, int device)
{
    if (sim->spec->alone)
        return device + 1 == sim->spec->alone;
    if (sim->spec->without)
        return device + 1 != sim->spec->without;
    return sim->asked == 0 || (sim->asked & yk_team_bit(device)) != 0;
}

void yk_simulator_leave_out(struct yk_simulator *sim)
{
    char why[yk_simulate_reason_max] = "left out";
    if (sim->asked)
        yk_team_explain(&sim->team, sim->asked, why, sizeof why);
    for (int d = 0; d < sim->device_count; d++)
        if (!yk_simulator_asks(sim, d))
            yk_dispatch_leave(sim->dispatch, d, why);
}

void yk_simulator_teach(const struct yk_simulator *sim, struct yk_team *out)
{
    struct yk_team_job job = { .asked = sim->asked, .tells = !sim->verdict[0], .ns = sim->now };
    struct yk_split_outcome outcome;
    *out = sim->team;
    if (!sim->asked)
        return;
    for (int d = 0; d < sim->device_count; d++) {
        yk_dispatch_outcome(sim->dispatch, d, &outcome);
        if (sim->devices[d].failed || sim->devices[d].left)
            return;
        yk_team_did(&job, d, sim->known[d].rate, outcome.items);
    }
    yk_team_note(out, &job);
}
