/* tune.h - offline training (papers on automatic data partitioning, section 4.1): runs each kind of
 * device alone at several sizes and fits a line to its times; then runs all devices together.
 *
 * A block is the first part of the range of each of the application's jobs. Devices that are alike
 * share the results of one of them. The lines of single jobs (tune_lines.h) and the lessons of the
 * runs with all devices stay in the knowledge base.
 */
#ifndef YOKE_APPS_TUNE_H
#define YOKE_APPS_TUNE_H

#include "tune_lines.h"

struct tune_spec {
    struct measure_spec *spec; /* its partitioner is used for all together */
    int blocks;                /* 2 .. TUNE_BLOCKS_MAX; the last block is the whole range */
    double narrow; /* a time is known when the 95 % interval of its mean is +- this fraction of
                    * it */
    int runs_most; /* most runs of a block, even if not narrow; 2 .. APP_REPEAT_MAX */
};

/* A mean time in seconds, measured until its 95 % interval, +- half, was narrow. */
struct tune_time {
    double seconds, half;
    int runs;
};

struct tune_block {
    int percent; /* of the range */
    int64_t items;
    struct tune_time time;
};

struct tune_device {
    int like; /* the device whose blocks these are: itself, or an earlier one that is alike */
    int block_count;
    struct tune_block blocks[TUNE_BLOCKS_MAX];
    yoke_line alone;
    int64_t part; /* items that the lines alone would give it */
};

struct tune {
    struct measure all;          /* all together; only the timed runs */
    struct tune_device *devices; /* as many as `all` has */
    struct tune_lines lines;     /* of single jobs, and whether they are kept */
    struct tune_time together;
    double foretold; /* seconds predicted for all together by the lines alone */
    int64_t items;   /* of a run's jobs; if there are several, their sum */
};

/* On failure the text is app_error_text(). Close `out` in either case. */
yoke_status tune_measure(const struct tune_spec *spec, struct tune *out);
void tune_close(struct tune *tune);

#endif
