/* output.h - files that appear whole or not at all.
 */
#ifndef YOKE_APPS_OUTPUT_H
#define YOKE_APPS_OUTPUT_H

#include <stdio.h>
#include <yoke/status.h>

struct output {
    const char *what; /* for messages: "the picture" */
    const char *path;
    /* Writes all of it; a failure that leaves no mark in `file` is its own to tell. */
    yoke_status (*write)(const struct output *output, FILE *file);
    const void *content;
};

/* A failed write (YOKE_EIO, with the cause) leaves what was there before. */
yoke_status output_write(const struct output *output);

#endif
