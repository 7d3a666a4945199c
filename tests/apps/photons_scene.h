/* photons_scene.h - photon transport through layers that a test writes down as a .mci file does. */
#ifndef TESTS_APPS_PHOTONS_SCENE_H
#define TESTS_APPS_PHOTONS_SCENE_H

#include "driver.h"
#include "photons/photons_state.h"

struct scene {
    const char *layers; /* the lines from n above to n below, with \n between them */
    int count;          /* of layers */
    int64_t packets;
    const char *events;                /* --events; NULL: as at first */
    const char *devices, *partitioner; /* NULL: cpu, auto */
    uint64_t seed;                     /* 0: 1 */
    const char *input;                 /* a .mci file instead of all of it; NULL: none */
    enum app_kernel kernel;
    yoke_step step; /* sizes of the step kernel's queues; 0: the library's */
};
/* Four layers, of which two send light out again and one is glass. */
extern const struct scene scene_tissue;
/* Runs it; `scene_close` after looking. NULL where such a device is not on this machine. */
struct photons_state *scene_open(const struct scene *scene);
void scene_close(struct photons_state *state);
/* Shares of the sums of a wavelength. */
double scene_share(const struct photons_state *state, int64_t units);
/* Within four standard errors of `right`, and half of the fourth digit, which not all are known to.
 */
void scene_near(const char *what, double share, double right, int64_t packets);
int64_t scene_slots(const struct photons_state *state);

#endif
