/* denoise_filter.h - the diffusion of one volume on one runtime: its arrays and its jobs.
 *
 * The same filter serves the application and the tests; the caller runs its jobs. Between steps
 * everything stays on the devices.
 */
#ifndef YOKE_APPS_DENOISE_FILTER_H
#define YOKE_APPS_DENOISE_FILTER_H

#include <yoke/yoke.h>

#include "denoise_grid.h"

struct denoise_parameters {
    int64_t size[3]; /* x (the fastest), y, z; each at least 1 */
    double contrast; /* K: gradients, per voxel, that count as edges */
    double tau;      /* time step; stable up to 1/6 */
    float *image[2]; /* memory of both images, denoise_image_floats each; NULL: yoke allocates it */
};

/* Returns the floats of an image in the layout of denoise_grid.h. */
int64_t denoise_image_floats(const int64_t *size);

struct denoise_filter {
    struct denoise_parameters parameters;
    denoise_grid grid;
    yoke_array *image[2]; /* the current one is image[steps & 1] */
    yoke_array *flat, *up;
    int64_t steps; /* done since denoise_filter_put */
};

typedef yoke_status denoise_run_fn(void *context, const yoke_job *job);

/* Allocates 24 bytes per voxel, and 8 more if the images have no memory. Close also after a
 * failure. */
yoke_status denoise_filter_open(yoke_runtime *runtime, const struct denoise_parameters *parameters,
                                struct denoise_filter *out);
yoke_status denoise_filter_close(struct denoise_filter *filter);

/* Starts from these voxels, which are contiguous in memory. */
yoke_status denoise_filter_put(struct denoise_filter *filter, const float *voxels);
/* Does one time step: two jobs, passed to `run` one after the other. */
yoke_status denoise_filter_step(struct denoise_filter *filter, denoise_run_fn *run, void *context);
/* Copies the current image to the host now; otherwise denoise_filter_get does so later. */
yoke_status denoise_filter_home(struct denoise_filter *filter);
yoke_status denoise_filter_get(struct denoise_filter *filter, float *voxels);

#endif
