/* list.c - all applications: what `yoke run` knows. */
#include <string.h>

#include "app.h"

extern const struct app app_saxpy, app_mxv, app_nbody, app_denoise, app_barnes_hut, app_mm,
    app_photons, app_path, app_spmv;

const struct app *const apps[] = { &app_saxpy,      &app_mxv, &app_nbody,   &app_denoise,
                                   &app_barnes_hut, &app_mm,  &app_photons, &app_path,
                                   &app_spmv,       NULL };

const struct app *app_find(const char *name)
{
    int i;
    for (i = 0; apps[i]; i++)
        if (strcmp(apps[i]->name, name) == 0)
            return apps[i];
    return NULL;
}
