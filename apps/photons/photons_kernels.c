/* photons_kernels.c - a packet and the fluorescent packets that it causes, each to its end; and, as
 * a step kernel, some events of one packet, with which others go on.
 *
 * A lane does one packet after the other in the same loop: who has finished a short one begins the
 * next while its neighbours are still busy with theirs, so fewer lanes idle. A fluorescent packet
 * is followed at once and the one that caused it waits; as fluorescence causes no more of it, there
 * is never more than one that waits.
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

/* An item is a packet under way. It goes on for PHOTONS_STEPS events or until it has sent one out,
 * which is done first: so there is never more than one that waits here either (PHOTONS_WAITING). A
 * call has one event at least, so that generations are limited by the events of two walks. */
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
