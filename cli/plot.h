/* plot.h - pictures drawn by gnuplot, a command that is looked for when it is needed. */
#ifndef YOKE_CLI_PLOT_H
#define YOKE_CLI_PLOT_H

#include <stdio.h>

/* Before long work: 0; or after a message 2 if the name ends in neither .png nor .svg, 1 if there
 * is no gnuplot. */
int plot_check(const char *path);

/* Write gnuplot's words and data to `script` between open and finish; terminal and output are set
 * by then. */
struct plot {
    FILE *script;
    const char *path;
};
/* Of so many pixels. These give the exit status, after a message. */
int plot_open(struct plot *plot, const char *path, int width, int height);
/* Draws, in any case closes the script; the picture appears whole or not at all. */
int plot_finish(struct plot *plot);

#endif
