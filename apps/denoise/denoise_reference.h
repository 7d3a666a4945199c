/* denoise_reference.h - the same diffusion by definition, in double precision, without yoke. */
#ifndef YOKE_APPS_DENOISE_REFERENCE_H
#define YOKE_APPS_DENOISE_REFERENCE_H

#include <stdint.h>
#include <yoke/status.h>

#include "denoise_filter.h"

/* D (xx, yy, zz, xy, xz, yz) of the structure tensor j (the same order). */
void denoise_reference_diffusion(const double *j, double contrast, double *d);

/* Does `steps` steps on `voxels`, in place. About a microsecond per voxel and step. */
yoke_status denoise_reference(const struct denoise_parameters *parameters, int64_t steps,
                              double *voxels);

#endif
