/* asked.c - which devices are asked: a single one, a team (partition/team.h), or all. */
#include <string.h>

#include "simulator.h"

enum { team_most = 32 };

void yk_simulator_call(struct yk_simulator *sim)
{
    const struct yk_simulate_spec *spec = sim->spec;
    sim->tells = 1;
    if (spec->team && !spec->alone && sim->device_count <= team_most &&
        (!sim->partitioner || strcmp(sim->partitioner, "auto") == 0))
        sim->asked = yk_team_choose(spec->team, sim->known, sim->device_count);
    for (int d = 0; d < sim->device_count; d++) {
        if (!yk_simulator_asks(sim, d))
            sim->known[d].share = 0;
        else
            sim->tells &= sim->known[d].rate > 0;
    }
}

int yk_simulator_asks(const struct yk_simulator *sim, int device)
{
    if (sim->spec->alone)
        return device + 1 == sim->spec->alone;
    return sim->asked == 0 || (sim->asked & yk_team_bit(device)) != 0;
}

void yk_simulator_leave_out(struct yk_simulator *sim)
{
    char why[yk_simulate_reason_max] = "left out";
    if (sim->asked)
        yk_team_explain(sim->spec->team, sim->asked, why, sizeof why);
    for (int d = 0; d < sim->device_count; d++)
        if (!yk_simulator_asks(sim, d))
            yk_dispatch_leave(sim->dispatch, d, why);
}

void yk_simulator_teach(const struct yk_simulator *sim, struct yk_team *out)
{
    struct yk_team_job job = {
        .asked = sim->asked, .sole = -1, .items = sim->spec->profile->items, .ns = (int64_t)sim->now
    };
    struct yk_split_outcome outcome;
    *out = (struct yk_team){ 0 };
    if (!sim->asked)
        return;
    *out = *sim->spec->team;
    for (int d = 0; d < sim->device_count; d++) {
        yk_dispatch_outcome(sim->dispatch, d, &outcome);
        yk_team_did(&job, d, !sim->devices[d].gpu && sim->known[d].rate > 0, outcome.items);
        if (sim->devices[d].failed)
            return;
    }
    yk_team_note_idle(out, &job);
    if (sim->tells && !sim->verdict[0])
        yk_team_learn(out, &job);
}
