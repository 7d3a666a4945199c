/* picture.h - PNG files, 8 bits per channel.
 */
#ifndef YOKE_APPS_PICTURE_H
#define YOKE_APPS_PICTURE_H

#include <stdint.h>
#include <yoke/status.h>

struct picture {
    int64_t width, height;
    int channels;          /* 1: gray, 3: red, green, blue */
    const uint8_t *pixels; /* height rows of width * channels bytes, top row first */
};

/* Writes `picture` to `path`. The file appears complete or not at all: a failed write (YOKE_EIO,
 * with the cause) leaves the old file. */
yoke_status picture_write(const char *path, const struct picture *picture);

#endif
