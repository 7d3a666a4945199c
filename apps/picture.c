/* picture.c - PNG files through libpng's simplified interface, which needs no setjmp.
 *
 * Written beside the target under another name and renamed when it is complete and on its way to
 * the disk, so that a full disk or a missing folder leaves no half file. A target that is no
 * regular file (/dev/stdout) is written in place.
 */
#include "picture.h"

#include "app.h"

#ifdef APP_PNG
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static yoke_status write_png(const char *path, FILE *file, const struct picture *picture)
{
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)picture->width,
                        .height = (png_uint_32)picture->height,
                        .format = picture->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY };
    errno = 0;
    if (!png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL))
        return app_fail(YOKE_EIO, "cannot write the picture %s: %s (%s); choose another --output",
                        path, image.message, errno ? strerror(errno) : "libpng");
    if (fflush(file))
        return app_fail(YOKE_EIO,
                        "cannot write the picture %s: %s; make room or choose another --output",
                        path, strerror(errno));
    return YOKE_OK;
}

static yoke_status write_file(const char *path, const char *name, const struct picture *picture)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return app_fail(YOKE_EIO,
                        "cannot create the picture %s: %s; choose an --output in a folder that "
                        "exists and can be written",
                        path, strerror(errno));
    yoke_status status = write_png(path, file, picture);
    if (fclose(file) && !status)
        status = app_fail(YOKE_EIO,
                          "cannot write the picture %s: %s; make room or choose another --output",
                          path, strerror(errno));
    return status;
}

yoke_status picture_write(const char *path, const struct picture *picture)
{
    const int64_t most = INT32_MAX / 4; /* libpng's limit on a row, in pixels of any format */
    if (picture->width < 1 || picture->height < 1 || picture->width > most ||
        picture->height > most || (picture->channels != 1 && picture->channels != 3))
        return app_fail(YOKE_EINVAL, "a picture of %lldx%lld pixels in %d channels cannot be PNG",
                        (long long)picture->width, (long long)picture->height, picture->channels);
    struct stat there;
    if (!stat(path, &there) && !S_ISREG(there.st_mode))
        return write_file(path, path, picture);

    const size_t bytes = strlen(path) + sizeof ".part";
    char *part = malloc(bytes);
    if (!part)
        return app_fail(YOKE_ENOMEM, "no memory for a file name of %zu bytes", bytes);
    (void)snprintf(part, bytes, "%s.part", path);
    yoke_status status = write_file(path, part, picture);
    if (!status && rename(part, path))
        status = app_fail(YOKE_EIO, "cannot rename %s to %s: %s; choose another --output", part,
                          path, strerror(errno));
    if (status)
        (void)remove(part);
    free(part);
    return status;
}

#else

yoke_status picture_write(const char *path, const struct picture *picture)
{
    (void)picture;
    return app_fail(YOKE_EINVAL,
                    "cannot write the picture %s: built without PNG; install libpng-dev and build "
                    "again",
                    path);
}

#endif
