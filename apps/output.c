/* output.c - written beside the target under another name and renamed when it is complete and on
 * its way to the disk, so that a full disk or a missing folder leaves no half file. A target that
 * is no regular file (/dev/stdout) is written in place.
 */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"

static yoke_status full(const struct output *output)
{
    return app_fail(YOKE_EIO, "cannot write %s %s: %s; make room or choose another --output",
                    output->what, output->path, strerror(errno));
}

static yoke_status write_file(const struct output *output, const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return app_fail(YOKE_EIO,
                        "cannot create %s %s: %s; choose an --output in a folder that exists and "
                        "can be written",
                        output->what, output->path, strerror(errno));
    yoke_status status = output->write(output, file);
    if (status == YOKE_OK && (fflush(file) || ferror(file)))
        status = full(output);
    if (fclose(file) && status == YOKE_OK)
        status = full(output);
    return status;
}

yoke_status output_write(const struct output *output)
{
    const char *path = output->path;
    struct stat there;
    if (!stat(path, &there) && !S_ISREG(there.st_mode))
        return write_file(output, path);

    const size_t bytes = strlen(path) + sizeof ".part";
    char *part = malloc(bytes);
    if (!part)
        return app_fail(YOKE_ENOMEM, "no memory for a file name of %zu bytes", bytes);
    (void)snprintf(part, bytes, "%s.part", path);
    yoke_status status = write_file(output, part);
    if (!status && rename(part, path))
        status = app_fail(YOKE_EIO, "cannot rename %s to %s: %s; choose another --output", part,
                          path, strerror(errno));
    if (status)
        (void)remove(part);
    free(part);
    return status;
}
