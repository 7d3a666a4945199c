/* photons_scene.h - photon transport through layers that a test describes as in a .mci file. */
#ifndef TESTS_APPS_PHOTONS_SCENE_H
#define TESTS_APPS_PHOTONS_SCENE_H

#include "driver.h"
#include "photons/photons_state.h"

struct scene {
    const char *layers; /* the lines from n above to n below, separated by
                         *  */
    int count;          /* number of layers */
    int64_t packets;
    const char *events;                /* --events; NULL: the default */
    const char *devices, *partitioner; /* NULL: cpu, auto */
    uint64_t seed;                     /* 0: 1 */
    const char *input;                 /* a .mci file instead of all this; NULL: none */
    enum app_kernel kernel;
    yoke_step step; /* sizes of the step kernel's queues; 0: the library's */
};
/* Four layers, two of which fluoresce and one of which is glass. */
extern const struct scene scene_tissue;
/* Runs it; release it with scene_close. NULL if this machine does not have the device. */
struct photons_state *scene_open(const struct scene *scene);
void scene_close(struct photons_state *state);
/* Fraction of the sums of a wavelength. */
double scene_share(const struct photons_state *state, int64_t units);
/* Within four standard errors of `right` plus half a unit of its fourth digit, because some
 * references have only four. */
void scene_near(const char *what, double share, double right, int64_t packets);
int64_t scene_slots(const struct photons_state *state);

#endif
