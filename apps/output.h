/* output.h - files that appear complete or not at all.
 */
#ifndef YOKE_APPS_OUTPUT_H
#define YOKE_APPS_OUTPUT_H

#include <stdio.h>
#include <yoke/status.h>

struct output {
    const char *what; /* for messages: "the picture" */
    const char *path;
    /* Writes everything. If it fails without an error in `file`, it reports that itself. */
    yoke_status (*write)(const struct output *output, FILE *file);
    const void *content;
};

/* A failed write (YOKE_EIO, with the cause) leaves the old file. */
yoke_status output_write(const struct output *output);

#endif
