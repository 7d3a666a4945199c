/* mesh_load.c - opens a mesh file and chooses its reader by the ending of its name. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "../app.h"
#include "mesh_build.h"

FILE *mesh_open_file(const char *path, const char **cause)
{
    struct stat there;
    FILE *file = NULL;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        *cause = "it is no regular file"; /* opening a pipe would block */
    else if (!(file = fopen(path, "rb")))
        *cause = strerror(errno);
    return file;
}

yoke_status mesh_load(const char *path, struct mesh *out)
{
    static const struct {
        const char *ending;
        yoke_status (*read)(FILE *, const char *, struct mesh *);
    } formats[] = { { ".obj", mesh_read_obj },
                    { ".ply", mesh_read_ply },
                    { ".off", mesh_read_off } };
    const char *cure = "name a .obj, .ply or .off file";
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof formats / sizeof *formats; k++)
        if (strcasecmp(ending, formats[k].ending) == 0) {
            const char *cause;
            FILE *file = mesh_open_file(path, &cause);
            if (!file)
                return app_fail(YOKE_EIO, "cannot read %s: %s; %s", path, cause, cure);
            yoke_status status = formats[k].read(file, path, out);
            fclose(file);
            return status;
        }
    return app_fail(YOKE_EINVAL, "%s is no kind of mesh that is known; %s", path, cure);
}
