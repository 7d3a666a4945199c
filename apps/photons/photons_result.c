/* photons_result.c - sums up the tallies. */
#include <math.h>

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

double photons_error(const struct photons_state *s, double share)
{
    /* rule of succession: a share of 0 has an error, too */
    const double packets = (double)s->packets, likely = (share * packets + 1) / (packets + 2);
    return sqrt(fmax(0, likely * (1 - likely)) / packets);
}

static void add(const struct photons_state *s, const char *name, int64_t units,
                struct app_figure *out)
{
    const double share = photons_share(s, units);
    *out = (struct app_figure){ name, share, photons_error(s, share) };
}

yoke_status photons_figures(void *state, struct app_figure *out, int *count)
{
    const struct photons_state *s = state;
    yoke_status status = yoke_array_acquire(s->tally_array, YOKE_READ);
    int n = 0;
    if (status != YOKE_OK)
        return status;
    const struct photons_sums light = photons_sums(s, 0), more = photons_sums(s, 1);
    out[n++] = (struct app_figure){ "specular_reflectance", s->specular, 0 };
    add(s, "diffuse_reflectance", light.up, &out[n++]);
    add(s, "transmittance", light.down, &out[n++]);
    add(s, "unscattered_transmittance", light.straight_down, &out[n++]);
    add(s, "absorbed", light.absorbed, &out[n++]);
    add(s, "cut", light.cut, &out[n++]);
    if (s->wavelengths == 2) {
        add(s, "fluorescence", more.begun, &out[n++]);
        add(s, "fluorescence_upwards", more.up, &out[n++]);
        add(s, "fluorescence_downwards", more.down, &out[n++]);
        add(s, "fluorescence_absorbed", more.absorbed, &out[n++]);
    }
    *count = n;
    return yoke_array_release(s->tally_array);
}
