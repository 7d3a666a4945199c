/* tune.h - training off line (papers on automatic data partitioning, section 4.1): each kind of
 * device alone at several sizes, its time as a line; then all together.
 *
 * A block is the first part of the range of each of the application's jobs. Devices that are alike
 * share what one of them showed. What all together taught stays in the knowledge base.
 */
#ifndef YOKE_APPS_TUNE_H
#define YOKE_APPS_TUNE_H

#include <yoke/model.h>

#include "driver.h"

enum { TUNE_BLOCKS_MAX = 10 };

struct tune_spec {
    struct measure_spec *spec; /* its partitioner is that of all together */
    int blocks;                /* 2 .. TUNE_BLOCKS_MAX; the last one is the whole range */
    double narrow; /* a time is known when its mean's 95 % interval is +- this part of it */
    int runs_most; /* of a block, narrow or not; 2 .. APP_REPEAT_MAX */
};

/* A time that was measured until its interval was narrow. */
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
    int like; /* whose blocks these are: itself, or an earlier one that is alike */
    int block_count;
    struct tune_block blocks[TUNE_BLOCKS_MAX];
    yoke_line alone;
    int64_t part; /* that the lines alone would give it */
};

struct tune {
    struct measure all;          /* together, runs that count only */
    struct tune_device *devices; /* as many as `all` has */
    struct tune_time together;
    double foretold; /* of all together, by the lines alone */
    int64_t items;   /* of a run's jobs, one after another where there are several */
};

/* On failure the text is app_error_text(). Close `out` in either case. */
yoke_status tune_measure(const struct tune_spec *spec, struct tune *out);
void tune_close(struct tune *tune);

#endif
