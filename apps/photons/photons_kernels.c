/* photons_kernels.c - a packet and the fluorescent packets that it causes, each to its end.
 *
 * A fluorescent packet is followed at once and the one that caused it waits; as fluorescence causes
 * no more of it, there is never more than one that waits.
 */
#include "photons_step.h"

YOKE_KERNEL(photons, i, YOKE_VALUE(photons_setup_t, setup), YOKE_IN(layer_t, layers),
            YOKE_ADD(int64_t, tally))
{
    packet_t now = photons_launch(setup, i), waits = now;
    waits.weight = 0;
    while (now.weight) {
        const outcome_t out = photons_step(setup, layers[now.row], &now);
        photons_tally(setup, out, tally);
        if (out.emits) {
            waits = now;
            now = photons_emit(setup, waits);
        } else if (!now.weight) {
            now = waits;
            waits.weight = 0;
        }
    }
}
