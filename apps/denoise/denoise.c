/* denoise.c - anisotropic nonlinear diffusion of a 3-D image: many steps that need neighbouring
 * planes.
 *
 * A head with noise of known strength is smoothed along its edges but not across them (kernels and
 * formulas: denoise_kernels.c). A run does two jobs in each of --steps steps. The volume stays on
 * the devices from step to step; they exchange only the planes at the borders of their parts. At
 * the end the result is copied to the host.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../app.h"
#include "../memory.h"
#include "../number.h"
#include "denoise_state.h"

enum { OPTION_STEPS, OPTION_CONTRAST, OPTION_TAU, OPTION_SIGMA, OPTIONS };

static const struct app_option options[] = {
    { "steps", "N", "20", "time steps" },
    { "contrast", "K", "0.035", "gradient, as part of the range a voxel, that counts as an edge" },
    { "tau", "T", "0.1", "time step, at most 1/6" },
    { "sigma", "S", "0.1", "deviation of the noise added, as part of the range" },
    { NULL, NULL, NULL, NULL },
};

static yoke_status read_options(const struct app_spec *spec, struct denoise_state *s)
{
    static const struct number_kind kinds[] = {
        [OPTION_STEPS] = { "steps", 0, 1e6, 1 },
        [OPTION_CONTRAST] = { "contrast", 1e-6, 1e6, 0 },
        [OPTION_TAU] = { "tau", 0, 1.0 / 6.0, 0 },
        [OPTION_SIGMA] = { "sigma", 0, 10, 0 },
    };
    double steps = 0.0;
    double *const values[] = { [OPTION_STEPS] = &steps,
                               [OPTION_CONTRAST] = &s->parameters.contrast,
                               [OPTION_TAU] = &s->parameters.tau,
                               [OPTION_SIGMA] = &s->sigma };
    yoke_status status = YOKE_OK;
    for (int k = 0; k < OPTIONS && !status; ++k)
        status = number_read(&kinds[k], spec->values[k], values[k]);
    s->steps = (int64_t)steps;
    return status;
}

/* A line is indexed in 32 bits, and the number of voxels must not overflow. */
static yoke_status check_size(const int64_t *size)
{
    const int64_t most = 1 << 20;
    for (int d = 0; d < 3; ++d)
        if (size[0] && (size[d] < 1 || size[d] > most))
            return app_fail(YOKE_EINVAL,
                            "a volume of %" PRId64 "x%" PRId64 "x%" PRId64
                            " voxels; each side of --size is from 1 to %" PRId64,
                            size[0], size[1], size[2], most);
    return YOKE_OK;
}

static void denoise_close(void *state)
{
    struct denoise_state *s = state;
    if (!s)
        return;
    denoise_input_close(&s->input);
    free(s->noisy);
    app_data_free(&s->memory, s->parameters.image[0]);
    app_data_free(&s->memory, s->parameters.image[1]);
    free(s);
}

static yoke_status denoise_open(struct app_spec *spec, void **state)
{
    struct denoise_state *s;
    yoke_status status = app_alloc("denoise", 1, sizeof *s, (void **)&s);
    if (status)
        return status;
    *s = (struct denoise_state){ .memory = spec->memory };
    status = check_size(spec->size);
    if (!status)
        status = read_options(spec, s);
    if (!status)
        status = denoise_input_open(spec->input, spec->size, &s->input);
    if (status)
        goto fail;
    for (int d = 0; d < 3; ++d)
        s->parameters.size[d] = spec->size[d] = s->input.size[d];
    s->count = spec->size[0] * spec->size[1] * spec->size[2];
    s->output = spec->output;
    status = app_alloc("the noisy volume", s->count, sizeof *s->noisy, (void **)&s->noisy);
    if (status)
        goto fail;
    const struct app_data image = { "an image", denoise_image_floats(spec->size), sizeof(float) };
    status = app_data_alloc(&s->memory, &image, (void **)&s->parameters.image[0]);
    if (!status)
        status = app_data_alloc(&s->memory, &image, (void **)&s->parameters.image[1]);
    if (status)
        goto fail;
    denoise_add_noise(&s->input, s->sigma, spec->seed, s->noisy);
    *state = s;
    return YOKE_OK;
fail:
    denoise_close(s);
    return status;
}

static yoke_status denoise_detach(void *state)
{
    struct denoise_state *s = state;
    return denoise_filter_close(&s->filter);
}

static yoke_status denoise_attach(void *state, yoke_runtime *runtime)
{
    struct denoise_state *s = state;
    const yoke_status status = denoise_filter_open(runtime, &s->parameters, &s->filter);
    if (status)
        (void)denoise_detach(s);
    return status;
}

static yoke_status denoise_reset(void *state)
{
    struct denoise_state *s = state;
    return denoise_filter_put(&s->filter, s->noisy);
}

static yoke_status run_timed(void *context, const yoke_job *job)
{
    return app_run_job(context, job);
}

static yoke_status denoise_run(void *state, struct app_run *run)
{
    struct denoise_state *s = state;
    yoke_status status = YOKE_OK;
    for (int64_t i = 0; !status && i < s->steps; ++i) {
        status = denoise_filter_step(&s->filter, run_timed, run);
        if (!status)
            status = app_progress(run, i + 1, s->steps);
    }
    return status ? status : denoise_filter_home(&s->filter);
}

static int64_t denoise_items(const void *state)
{
    return ((const struct denoise_state *)state)->parameters.size[2];
}

const struct app app_denoise = {
    .name = "denoise",
    .summary = "edge-preserving diffusion of a 3-D image; steps that need their neighbours",
    .size_words = "WxHxD voxels",
    .size_count = 3,
    .options = options,
    .is_regular = 1,
    .reads_input = 1,
    .writes_output = 1,
    .open = denoise_open,
    .close = denoise_close,
    .attach = denoise_attach,
    .detach = denoise_detach,
    .reset = denoise_reset,
    .run = denoise_run,
    .verify = denoise_verify,
    .items = denoise_items,
    .report = denoise_report,
};
