/* volume.h - a 3-D image from a NIfTI file (.nii or .nii.gz), as floats in memory order x, y, z.
 */
#ifndef YOKE_APPS_VOLUME_H
#define YOKE_APPS_VOLUME_H

#include <stdint.h>
#include <yoke/status.h>

struct volume {
    int64_t size[3]; /* x (the fastest), y, z */
    float *voxels;   /* freed by volume_close */
};

/* Accepts any real datatype and byte order; applies the file's scale; voxels that are not numbers
 * become 0. YOKE_EIO with the cause and the cure if the file is missing, truncated or not a 3-D
 * NIfTI image. */
yoke_status volume_load(const char *path, struct volume *out);
void volume_close(struct volume *volume);

#endif
