/* path_picture.h - pictures that a test has drawn. */
#ifndef TESTS_APPS_PATH_PICTURE_H
#define TESTS_APPS_PATH_PICTURE_H

#include "driver.h"
#include "path/path_state.h"

struct picture_of {
    int64_t samples;
    const char *words[24];             /* options and their values by turns, without dashes */
    const char *model;                 /* the text of an .obj file; NULL: none */
    const char *materials;             /* of its .mtl file, which is called scene.mtl */
    const char *devices, *partitioner; /* NULL: cpu, auto */
    uint64_t seed;                     /* 0: 1 */
    enum app_kernel kernel;
};

/* Draws it; path_picture_free after looking. NULL where such a device is not on this machine. */
struct path_state *path_picture(const struct picture_of *of);
void path_picture_free(struct path_state *state);

/* Of all pixels and colors: the mean radiance, and by how much that is off, as the pixels' spread
 * tells (one standard error; of pixels that are alike). */
struct path_mean {
    double mean, error;
};
struct path_mean path_mean_of(const struct path_state *state);

#endif
