/* photons_kernels.c - the plain kernel follows a packet and the fluorescent packets that it causes,
 * each to its end. The step kernel does some events of one packet per call.
 *
 * A lane follows its packets one after the other in the same loop. If its packet ends early, it
 * begins the next one while its neighbours still follow theirs, so fewer lanes idle. A fluorescent
 * packet is followed at once, while the packet that caused it waits. Fluorescence causes no more
 * fluorescence, so at most one packet waits.
 */
#include <yoke/kernel_step.h>

#include "photons_step.h"

YOKE_GROUP_KERNEL(photons, i, PHOTONS_LANES, PHOTONS_LANES *PHOTONS_EACH,
                  YOKE_VALUE(photons_setup_t, setup), YOKE_IN(layer_t, layers),
                  YOKE_ADD(int64_t, tally))
{
    const int64_t end = i + YOKE_COUNT;
    YOKE_LANES(l)
    {
        int64_t id = i + l;
        packet_t now, waits;
        if (id >= end)
            continue;
        now = photons_launch(setup, id);
        waits = now;
        waits.weight = 0;
        while (now.weight) {
            const outcome_t out = photons_step(setup, layers[now.row], &now);
            photons_tally(setup, out, tally);
            if (out.emits) {
                waits = now;
                now = photons_emit(setup, waits);
            } else if (!now.weight) {
                id += waits.weight ? 0 : PHOTONS_LANES;
                now = waits.weight || id >= end ? waits : photons_launch(setup, id);
                waits.weight = 0;
            }
        }
    }
}

/* An item is a packet under way. A call does at most PHOTONS_STEPS events and ends early if the
 * packet has sent out a fluorescent one. That one is followed first, so here too at most one packet
 * waits (PHOTONS_WAITING). A call does at least one event, so the events of two walks limit the
 * number of generations. */
YOKE_STEP_KERNEL(photons_steps, packet_t, p, i, 2, PHOTONS_GENERATIONS,
                 YOKE_VALUE(photons_setup_t, setup), YOKE_IN(layer_t, layers),
                 YOKE_ADD(int64_t, tally))
{
    YOKE_SEED
    {
        p = photons_launch(setup, i);
    }
    for (int k = 0; k < PHOTONS_STEPS && p.weight; ++k) {
        const outcome_t out = photons_step(setup, layers[p.row], &p);
        photons_tally(setup, out, tally);
        if (out.emits) {
            YOKE_EMIT(photons_emit(setup, p));
            break;
        }
    }
    if (p.weight)
        YOKE_EMIT(p);
}
