/* path_kernels.c - an item is a pixel. The plain kernel follows the pixel's paths, each to its end;
 * the step kernel does one segment per call.
 */
#include <yoke/kernel_step.h>

#include "path_segment.h"

YOKE_KERNEL(path_plain, i, YOKE_VALUE(path_setup_t, setup), YOKE_IN(node_t, nodes),
            YOKE_IN(triangle_t, triangles), YOKE_IN(material_t, materials),
            YOKE_IN(light_t, lights), YOKE_OUT(pixel_t, pixels))
{
    path_t p = path_start(setup, (int32_t)i);
    while (p.sample < setup.last) {
        while (p.bounce >= 0)
            path_segment(setup, PATH_SCENE, &p);
        p.sample++;
        path_begin(setup, &p);
    }
    pixels[i] = path_pixel_of(p);
}

YOKE_STEP_KERNEL(path_steps, path_t, p, i, 1, PATH_GENERATIONS, YOKE_VALUE(path_setup_t, setup),
                 YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
                 YOKE_IN(material_t, materials), YOKE_IN(light_t, lights),
                 YOKE_OUT(pixel_t, pixels))
{
    YOKE_SEED
    {
        p = path_start(setup, (int32_t)i);
    }
    if (p.bounce >= 0)
        path_segment(setup, PATH_SCENE, &p);
    if (p.bounce < 0 && ++p.sample < setup.last)
        path_begin(setup, &p);
    if (p.bounce >= 0)
        YOKE_EMIT(p);
    else
        pixels[p.index] = path_pixel_of(p);
}
