/* photons_state.h - what the application's files share. */
#ifndef YOKE_APPS_PHOTONS_STATE_H
#define YOKE_APPS_PHOTONS_STATE_H

#include <stdio.h>

#include "../app.h"
#include "../memory.h"
#include "photons_kernels.h"
#include "photons_mci.h"

struct photons_state {
    struct mci_run input;
    int64_t packets;
    uint64_t seed;
    double specular; /* fraction of the light that never enters */
    struct app_memory memory;
    const char *output;              /* --output, or NULL */
    yoke_kernel kernel, alternative; /* the other kernel, if devices choose */
    int chooses;
    photons_setup_t setup;
    layer_t *layers; /* at both wavelengths */
    int32_t row_count;
    int wavelengths;                       /* with tallies: 2, if a layer has a yield */
    int32_t slots;                         /* per wavelength */
    int64_t *tally;                        /* of both wavelengths */
    yoke_array *layer_array, *tally_array; /* NULL while detached */
};

/* photons_setup.c: computes everything up to `slots` from `input`, `packets` and `seed`. It
 * allocates only the table of layers. */
yoke_status photons_settle(struct photons_state *state, uint32_t events);

/* photons_result.c: sums of the tallies, which must be on the host. */
struct photons_sums {
    int64_t absorbed, up, down;           /* of the grids */
    int64_t straight_up, straight_down;   /* the part of up and down that was never scattered */
    int64_t gained, cut, layers, emitted; /* layers: what was absorbed, summed over the layers */
    int64_t begun;                        /* weight that began to walk */
};
struct photons_sums photons_sums(const struct photons_state *state, int wavelength);
/* `units` as a fraction of all packets. */
double photons_share(const struct photons_state *state, int64_t units);
/* What layer k absorbed at a wavelength, and what it sent out again. */
int64_t photons_absorbed(const struct photons_state *state, int wavelength, int k);
int64_t photons_emitted(const struct photons_state *state, int k);

/* photons_check.c */
yoke_status photons_verify(void *state, char *note);
/* The most that one standard error of a share can be. The variance is largest if each packet
 * contributes all or nothing. */
double photons_error(const struct photons_state *state, double share);
/* Shares of all packets, with their errors. */
yoke_status photons_figures(void *state, struct app_figure *out, int *count);
/* photons_output.c: writes the summary to `out`, and with --output the files. */
yoke_status photons_report(void *state, FILE *out);

/* photons_reference.c: the same model, written independently: double precision, other random
 * numbers, one packet at a time. Mean and variance of one packet. */
enum { PHOTONS_UP, PHOTONS_DOWN, PHOTONS_ABSORBED, PHOTONS_EMITTED, PHOTONS_KINDS };
struct photons_moments {
    double mean, variance;
};
struct photons_reference {
    int64_t packets;
    /* At both wavelengths; emitted light counts for the second. */
    struct photons_moments moments[2][PHOTONS_KINDS];
};
void photons_refer(const struct photons_state *state, int64_t most, struct photons_reference *out);

#endif
