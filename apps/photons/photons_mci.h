/* photons_mci.h - layered tissue as MCML's input files (.mci) describe it, with fluorescence.
 *
 * New are words after the five numbers of a layer; MCML ignores them:
 *     # n   mua  mus  g    d     yield  n    mua  mus  g     of fluorescence
 *     1.37  1.0  100  0.9  0.1   yield  0.3  1.37 0.5  80  0.9
 * A layer without them has a yield of 0 and the same optics for fluorescence.
 */
#ifndef YOKE_APPS_PHOTONS_MCI_H
#define YOKE_APPS_PHOTONS_MCI_H

#include <stdint.h>
#include <yoke/status.h>

struct mci_optics {
    double n, mua, mus, g; /* refractive index; 1/cm; mean cosine of scattering */
};

struct mci_layer {
    struct mci_optics light, fluorescence;
    double depth; /* cm */
    double yield; /* fraction of the absorbed light that is sent out again */
};

enum { MCI_LAYERS_MOST = 1000, MCI_NAME_MOST = 256 };
/* Packet numbers have 32 bits, and sums of packets in units of 2^-30 have 62 bits. */
#define MCI_PACKETS_MOST 4294967296

/* One run. */
struct mci_run {
    char output[MCI_NAME_MOST]; /* the file's name for results; not used here */
    int64_t packets;
    double dz, dr; /* cm; the grids' angles are na steps from 0 to pi / 2 */
    int32_t nz, nr, na;
    double n_above, n_below;
    int32_t layer_count;
    struct mci_layer *layers; /* free() */
};

/* The text of a file, and the file's name for messages. mci_read checks all runs and returns run
 * number `which`, counted from 1. YOKE_EINVAL: something in the text is wrong (the message names
 * the file and the line), or there is no such run; `out` is then unchanged. */
struct mci_text {
    const char *name, *text;
};
yoke_status mci_read(const struct mci_text *from, int64_t which, struct mci_run *out);
/* photons_mci_file.c: the same for a file. */
yoke_status mci_load(const char *path, int64_t which, struct mci_run *out);
/* The built-in description. */
yoke_status mci_default(struct mci_run *out);

#endif
