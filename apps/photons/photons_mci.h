/* photons_mci.h - layered tissue as MCML's input files describe it (.mci), with fluorescence.
 *
 * What is new are words behind the five numbers of a layer, which MCML does not read:
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
    double yield; /* of what is absorbed, the share that is sent out again */
};

enum { MCI_LAYERS_MOST = 1000, MCI_NAME_MOST = 256 };
#define MCI_PACKETS_MOST 4294967296 /* their numbers have 32 bits, their sums in 2^-30 62 */

/* One run. */
struct mci_run {
    char output[MCI_NAME_MOST]; /* the file's word for where results go; nobody needs it here */
    int64_t packets;
    double dz, dr; /* cm; grids' angles go from 0 to pi / 2 in na steps */
    int32_t nz, nr, na;
    double n_above, n_below;
    int32_t layer_count;
    struct mci_layer *layers; /* free() */
};

/* Text of a file called `name`, which is named with the line in what is wrong with it, whichever of
 * its runs that is in; `which` run of it, from 1. YOKE_EINVAL: that; `out` is then as it was. */
struct mci_text {
    const char *name, *text;
};
yoke_status mci_read(const struct mci_text *from, int64_t which, struct mci_run *out);
/* photons_mci_file.c: the same of a file. */
yoke_status mci_load(const char *path, int64_t which, struct mci_run *out);
/* The built-in one. */
yoke_status mci_default(struct mci_run *out);

#endif
