/* plot.h - pictures drawn by gnuplot, a command that is searched for when it is needed. */
#ifndef YOKE_CLI_PLOT_H
#define YOKE_CLI_PLOT_H

#include <stdio.h>

/* Call before long work. Returns 0; or, after a message, 2 if the name ends in neither .png nor
 * .svg, and 1 if gnuplot cannot be started. */
int plot_check(const char *path);

/* Write gnuplot's commands and data to `script` between open and finish; terminal and output are
 * already set. */
struct plot {
    FILE *script;
    const char *path;
};
/* `width` and `height` are in pixels. Both functions return 0, or 1 after a message. */
int plot_open(struct plot *plot, const char *path, int width, int height);
/* Draws, and always closes the script. The picture appears complete or not at all. */
int plot_finish(struct plot *plot);

#endif
