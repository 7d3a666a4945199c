/* path_view.c - makes the rays through pixels from a view: the eye and the point it looks at. */
#include <math.h>

#include "path_state.h"

static void cross(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void make_unit(double *a)
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

void path_look(struct path_state *state, const struct path_scene_view *view)
{
    static const double up[3] = { 0, 1, 0 };
    const double tall = 2 * tan(view->degrees * 3.14159265358979323846 / 360);
    const double pixel = tall / (double)state->height;
    path_setup_t *setup = &state->setup;
    double ahead[3], right[3], down[3], corner[3];
    for (int k = 0; k < 3; k++)
        ahead[k] = view->look[k] - view->eye[k];
    make_unit(ahead);
    cross(ahead, up, right);
    make_unit(right);
    cross(ahead, right, down);
    for (int k = 0; k < 3; k++) {
        right[k] *= pixel;
        down[k] *= pixel;
        corner[k] = ahead[k] - 0.5 * (double)state->width * right[k] -
                    0.5 * (double)state->height * down[k];
    }
    setup->eye_x = (float)view->eye[0];
    setup->eye_y = (float)view->eye[1];
    setup->eye_z = (float)view->eye[2];
    setup->look_x = (float)corner[0];
    setup->look_y = (float)corner[1];
    setup->look_z = (float)corner[2];
    setup->right_x = (float)right[0];
    setup->right_y = (float)right[1];
    setup->right_z = (float)right[2];
    setup->down_x = (float)down[0];
    setup->down_y = (float)down[1];
    setup->down_z = (float)down[2];
}
