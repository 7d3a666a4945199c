/* photons_result.c - sums of the tallies. */
#include "photons_state.h"

static int64_t sum(const int64_t *from, int64_t count)
{
    int64_t all = 0;
    for (int64_t i = 0; i < count; i++)
        all += from[i];
    return all;
}

int64_t photons_absorbed(const struct photons_state *s, int wavelength, int k)
{
    return s->tally[s->layers[wavelength * s->input.layer_count + k].absorbed_slot];
}

int64_t photons_emitted(const struct photons_state *s, int k)
{
    return s->tally[s->layers[k].yield_slot];
}

struct photons_sums photons_sums(const struct photons_state *s, int wavelength)
{
    const photons_setup_t *at = &s->setup;
    const int64_t *from = s->tally + (int64_t)wavelength * s->slots;
    struct photons_sums sums = { 0 };
    if (wavelength >= s->wavelengths)
        return sums;
    sums = (struct photons_sums){ .absorbed = sum(from, at->up_slot),
                                  .up = sum(from + at->up_slot, at->nr * at->na),
                                  .down = sum(from + at->down_slot, at->nr * at->na),
                                  .straight_up = from[at->straight_up_slot],
                                  .straight_down = from[at->straight_down_slot],
                                  .gained = from[at->gained_slot],
                                  .cut = from[at->cut_slot] };
    for (int k = 0; k < s->input.layer_count; k++) {
        sums.layers += photons_absorbed(s, wavelength, k);
        sums.emitted += photons_emitted(s, k);
    }
    sums.begun = wavelength ? sums.emitted : s->packets * s->setup.start_weight;
    return sums;
}

double photons_share(const struct photons_state *s, int64_t units)
{
    return (double)units / PHOTONS_UNIT / (double)s->packets;
}
