/* path_picture.h - pictures drawn for tests. */
#ifndef TESTS_APPS_PATH_PICTURE_H
#define TESTS_APPS_PATH_PICTURE_H

#include "driver.h"
#include "path/path_state.h"

struct picture_of {
    int64_t samples;
    const char *words[24];             /* option names without dashes and values, alternating */
    const char *model;                 /* the text of an .obj file; NULL: none */
    const char *materials;             /* text of its .mtl file, which is named scene.mtl */
    const char *devices, *partitioner; /* NULL: cpu, auto */
    uint64_t seed;                     /* 0: 1 */
    enum app_kernel kernel;
};

/* Draws it; release it with path_picture_free. NULL if this machine does not have the device. */
struct path_state *path_picture(const struct picture_of *of);
void path_picture_free(struct path_state *state);

/* Over all pixels and colors: the mean radiance, and its standard error estimated from the spread
 * of the pixels (valid if all pixels have the same expected value). */
struct path_mean {
    double mean, error;
};
struct path_mean path_mean_of(const struct path_state *state);

#endif
