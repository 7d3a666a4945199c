/* denoise_input.h - the volume to be denoised: a head (or a phantom), cut to size, with noise. */
#ifndef YOKE_APPS_DENOISE_INPUT_H
#define YOKE_APPS_DENOISE_INPUT_H

#include <stdint.h>
#include <yoke/status.h>

#define DENOISE_HEAD "/usr/share/mricron/templates/ch2better.nii.gz"

struct denoise_input {
    int64_t size[3];
    float *clean;     /* scaled to 0 .. 1; freed by denoise_input_close */
    char source[256]; /* where it comes from, as text */
};

/* `path` NULL: the head, or the phantom if the head is not installed. `size`: the part to cut from
 * the middle; where the image is smaller, it is mirrored. size[0] 0: all of it. */
yoke_status denoise_input_open(const char *path, const int64_t *size, struct denoise_input *out);
void denoise_input_close(struct denoise_input *input);

/* Gaussian noise of deviation `sigma`; a voxel's noise depends only on the seed and its index. */
void denoise_add_noise(const struct denoise_input *input, double sigma, uint64_t seed, float *out);

#endif
