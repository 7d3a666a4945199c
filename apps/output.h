/* output.h - files that appear complete or not at all.
 */
#ifndef YOKE_APPS_OUTPUT_H
#define YOKE_APPS_OUTPUT_H

#include <stdio.h>
#include <yoke/status.h>

struct output {
    const char *what; /* for messages: "the picture" */
    const char *path;
    /* Writes everything. Need not check for errors in `file`: output_write does. Reports any other
     * failure itself (app_fail) and returns it. */
    yoke_status (*write)(const struct output *output, FILE *file);
    const void *content;
};

/* If writing fails (YOKE_EIO, with the cause), the old file stays. */
yoke_status output_write(const struct output *output);

#endif
