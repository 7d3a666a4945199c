/* denoise_filter.c - arrays and jobs of the diffusion of one volume.
 *
 * Two images are swapped from step to step. What denoise_tensor passes to denoise_step is rewritten
 * in every step and never leaves the devices, except for the planes at their borders. Jobs run over
 * whole lines, `pitch` long, so vectors of any width have no remainder; a remainder would cost more
 * than the few elements beyond the voxels.
 */
#include "denoise_filter.h"

#include <string.h>

#include "denoise_kernels.h"

static denoise_grid grid_of(const int64_t *size)
{
    denoise_grid grid = { .nx = (int32_t)size[0], .ny = (int32_t)size[1], .nz = (int32_t)size[2] };
    grid.pitch = (grid.nx + 15) / 16 * 16;
    grid.plane = (int64_t)grid.pitch * grid.ny + 2 * DENOISE_MARGIN;
    return grid;
}

int64_t denoise_image_floats(const int64_t *size)
{
    return grid_of(size).plane * size[2];
}

static yoke_status open_planes(yoke_runtime *runtime, const yoke_array_spec *like, yoke_array **out)
{
    yoke_array_spec spec = *like;
    spec.element_size = sizeof(float);
    return yoke_array_open(runtime, &spec, out);
}

yoke_status denoise_filter_open(yoke_runtime *runtime, const struct denoise_parameters *parameters,
                                struct denoise_filter *out)
{
    *out = (struct denoise_filter){ .parameters = *parameters, .grid = grid_of(parameters->size) };
    const int64_t nz = out->grid.nz, plane = out->grid.plane;
    yoke_array_spec image = {
        .host = parameters->image[0], .rows = nz, .row_elements = plane, .name = "image"
    };
    yoke_status status = open_planes(runtime, &image, &out->image[0]);
    image.host = parameters->image[1];
    image.name = "next";
    if (!status)
        status = open_planes(runtime, &image, &out->image[1]);
    if (!status)
        status = open_planes(runtime,
                             &(yoke_array_spec){ .rows = nz,
                                                 .row_elements = DENOISE_FLAT * plane,
                                                 .name = "tensor in planes" },
                             &out->flat);
    if (!status)
        status = open_planes(runtime,
                             &(yoke_array_spec){ .rows = nz,
                                                 .row_elements = DENOISE_UP * plane,
                                                 .name = "tensor across planes" },
                             &out->up);
    return status;
}

yoke_status denoise_filter_close(struct denoise_filter *filter)
{
    yoke_array **const arrays[] = { &filter->image[0], &filter->image[1], &filter->flat,
                                    &filter->up };
    yoke_status status = YOKE_OK;
    for (int i = 0; i < 4; ++i) {
        const yoke_status closed = yoke_array_close(*arrays[i]);
        status = status ? status : closed;
        *arrays[i] = NULL;
    }
    return status;
}

yoke_status denoise_filter_put(struct denoise_filter *filter, const float *voxels)
{
    const denoise_grid *g = &filter->grid;
    yoke_array *image = filter->image[0];
    yoke_status status = yoke_array_acquire(image, YOKE_WRITE);
    if (status)
        return status;
    float *to = yoke_array_host(image);
    memset(to, 0, sizeof *to * (size_t)g->plane * (size_t)g->nz);
    for (int64_t z = 0; z < g->nz; ++z)
        for (int64_t y = 0; y < g->ny; ++y)
            memcpy(to + z * g->plane + DENOISE_MARGIN + y * g->pitch,
                   voxels + (z * g->ny + y) * g->nx, sizeof *to * (size_t)g->nx);
    filter->steps = 0;
    return yoke_array_release(image);
}

yoke_status denoise_filter_step(struct denoise_filter *filter, denoise_run_fn *run, void *context)
{
    const denoise_grid g = filter->grid;
    const double contrast = filter->parameters.contrast;
    const float scale = (float)(1.0 / (128.0 * contrast * contrast));
    const float half_tau = (float)(0.5 * filter->parameters.tau);
    yoke_array *from = filter->image[filter->steps & 1], *to = filter->image[~filter->steps & 1];
    const yoke_job tensor = { .kernel = &denoise_tensor,
                              .range = { 0, g.nz, { g.ny, g.pitch } },
                              .args = { yoke_value(g), yoke_value(scale), yoke_in_halo(from, 1, 1),
                                        yoke_out_part(filter->flat), yoke_out_part(filter->up) } };
    const yoke_job step = { .kernel = &denoise_step,
                            .range = { 0, g.nz, { g.ny, g.pitch } },
                            .args = { yoke_value(g), yoke_value(half_tau), yoke_in_halo(from, 1, 1),
                                      yoke_in(filter->flat), yoke_in_halo(filter->up, 1, 1),
                                      yoke_out_part(to) } };
    yoke_status status = run(context, &tensor);
    if (!status)
        status = run(context, &step);
    if (!status)
        filter->steps++;
    return status;
}

yoke_status denoise_filter_home(struct denoise_filter *filter)
{
    yoke_array *image = filter->image[filter->steps & 1];
    const yoke_status status = yoke_array_acquire(image, YOKE_READ);
    return status ? status : yoke_array_release(image);
}

yoke_status denoise_filter_get(struct denoise_filter *filter, float *voxels)
{
    const denoise_grid *g = &filter->grid;
    yoke_array *image = filter->image[filter->steps & 1];
    const yoke_status status = yoke_array_acquire(image, YOKE_READ);
    if (status)
        return status;
    const float *from = yoke_array_host(image);
    for (int64_t z = 0; z < g->nz; ++z)
        for (int64_t y = 0; y < g->ny; ++y)
            memcpy(voxels + (z * g->ny + y) * g->nx,
                   from + z * g->plane + DENOISE_MARGIN + y * g->pitch,
                   sizeof *voxels * (size_t)g->nx);
    return yoke_array_release(image);
}
