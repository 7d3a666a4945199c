/* photons_setup.c - makes the kernels' parameters from a description of tissue. */
#include <math.h>
#include <string.h>

#include "../app.h"
#include "photons_state.h"

/* Reflection at normal incidence. */
static double mirror(double n, double m)
{
    return (n - m) * (n - m) / ((n + m) * (n + m));
}

static int is_clear(const struct mci_optics *optics)
{
    return optics->mua == 0 && optics->mus == 0;
}

/* The light that is reflected before it enters the tissue. If the first layer is clear (it neither
 * absorbs nor scatters, like glass), reflections back and forth between its two sides are specular
 * too, as in MCML. */
static double specular(const struct mci_run *input)
{
    const struct mci_optics *first = &input->layers[0].light;
    const double outer = mirror(input->n_above, first->n);
    if (!is_clear(first) || input->layer_count == 1)
        return outer;
    const double inner = mirror(first->n, input->layers[1].light.n);
    return outer + (1 - outer) * (1 - outer) * inner / (1 - outer * inner);
}

static const struct mci_optics *optics_of(const struct mci_layer *layer, int wavelength)
{
    return wavelength ? &layer->fluorescence : &layer->light;
}

static layer_t row_of(const struct photons_state *s, int wavelength, int k)
{
    const struct mci_run *input = &s->input;
    const struct mci_layer *layer = &input->layers[k];
    const struct mci_optics *optics = optics_of(layer, wavelength);
    const int last = input->layer_count - 1, base = wavelength * input->layer_count;
    const double above = k ? optics_of(layer - 1, wavelength)->n : input->n_above;
    const double below = k < last ? optics_of(layer + 1, wavelength)->n : input->n_below;
    const double attenuation = optics->mua + optics->mus;
    const int slot = wavelength * s->slots + s->setup.cut_slot + 1 + k;
    return (layer_t){ .attenuation = (float)attenuation,
                      .free_path = attenuation > 0 ? (float)(1 / attenuation) : PHOTONS_FAR,
                      .absorbed = attenuation > 0 ? (float)(optics->mua / attenuation) : 0,
                      .g = (float)optics->g,
                      .less_g = (float)(1 - optics->g),
                      .ratio_above = (float)(optics->n / above),
                      .ratio_below = (float)(optics->n / below),
                      .yield = wavelength ? 0 : (float)layer->yield,
                      .row_above = k ? base + k - 1 : -1,
                      .row_below = k < last ? base + k + 1 : -1,
                      .absorbed_slot = slot,
                      .yield_slot = slot + input->layer_count,
                      .wavelength = wavelength * s->slots };
}

static void make_rows(struct photons_state *s)
{
    for (int w = 0; w < 2; w++) {
        double top = 0;
        for (int k = 0; k < s->input.layer_count; k++) {
            layer_t *row = &s->layers[w * s->input.layer_count + k];
            *row = row_of(s, w, k);
            row->top = (float)top;
            top += s->input.layers[k].depth;
            row->bottom = (float)top;
        }
    }
}

static void lay_out(struct photons_state *s)
{
    const struct mci_run *input = &s->input;
    photons_setup_t *setup = &s->setup;
    setup->nz = input->nz;
    setup->nr = input->nr;
    setup->na = input->na;
    setup->layer_count = input->layer_count;
    setup->per_dz = (float)(1 / input->dz);
    setup->per_dr = (float)(1 / input->dr);
    setup->per_da = (float)(input->na / 1.57079632679489662);
    setup->up_slot = input->nz * input->nr;
    setup->down_slot = setup->up_slot + input->nr * input->na;
    setup->straight_up_slot = setup->down_slot + input->nr * input->na;
    setup->straight_down_slot = setup->straight_up_slot + 1;
    setup->gained_slot = setup->straight_up_slot + 2;
    setup->cut_slot = setup->straight_up_slot + 3; /* the layers' slots follow */
    s->slots = setup->cut_slot + 1 + 2 * input->layer_count;
    s->wavelengths = 1;
    for (int k = 0; k < input->layer_count; k++)
        if (input->layers[k].yield > 0)
            s->wavelengths = 2;
}

yoke_status photons_settle(struct photons_state *s, uint32_t events)
{
    const int passes = is_clear(&s->input.layers[0].light) && s->input.layer_count > 1;
    yoke_status status;
    lay_out(s);
    s->row_count = 2 * s->input.layer_count;
    status =
        app_alloc("the layers of photons", s->row_count, sizeof *s->layers, (void **)&s->layers);
    if (status != YOKE_OK)
        return status;
    make_rows(s);
    s->specular = specular(&s->input);
    s->setup.seed_low = (uint32_t)s->seed;
    s->setup.seed_high = (uint32_t)(s->seed >> 32);
    s->setup.events = events;
    s->setup.start_row = passes;
    s->setup.start_z = s->layers[passes].top;
    s->setup.start_weight = (int32_t)lround((1 - s->specular) * PHOTONS_UNIT);
    return YOKE_OK;
}
