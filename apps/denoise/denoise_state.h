/* denoise_state.h - what the application keeps between open and close. */
#ifndef YOKE_APPS_DENOISE_STATE_H
#define YOKE_APPS_DENOISE_STATE_H

#include <stdio.h>

#include "../memory.h"
#include "denoise_filter.h"
#include "denoise_input.h"

struct denoise_state {
    struct denoise_parameters parameters;
    int64_t steps;
    double sigma;
    int64_t count; /* voxels */
    struct denoise_input input;
    float *noisy;
    struct app_memory memory; /* of parameters.image */
    const char *output;       /* prefix of pictures' names, or NULL */
    struct denoise_filter filter;
};

/* denoise_check.c: struct app's verify and report. */
yoke_status denoise_verify(void *state, char *note);
yoke_status denoise_report(void *state, FILE *out);

#endif
