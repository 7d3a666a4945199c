/* picture.c - PNG files through libpng's simplified interface, which needs no setjmp. */
#include "picture.h"

#include "app.h"

#ifdef APP_PNG
#include <errno.h>
#include <png.h>
#include <string.h>

#include "output.h"

static yoke_status write_png(const struct output *output, FILE *file)
{
    const struct picture *picture = output->content;
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)picture->width,
                        .height = (png_uint_32)picture->height,
                        .format = picture->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY };
    errno = 0;
    if (png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL))
        return YOKE_OK;
    return app_fail(YOKE_EIO, "cannot write the picture %s: %s (%s); choose another --output",
                    output->path, image.message, errno ? strerror(errno) : "libpng");
}

yoke_status picture_write(const char *path, const struct picture *picture)
{
    const struct output output = { "the picture", path, write_png, picture };
    const int64_t most = INT32_MAX / 4; /* libpng's limit on a row, in pixels of any format */
    if (picture->width < 1 || picture->height < 1 || picture->width > most ||
        picture->height > most || (picture->channels != 1 && picture->channels != 3))
        return app_fail(YOKE_EINVAL, "a picture of %lldx%lld pixels in %d channels cannot be PNG",
                        (long long)picture->width, (long long)picture->height, picture->channels);
    return output_write(&output);
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
