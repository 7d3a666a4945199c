/* tune_lines.h - the lines that yoke tune keeps, one for each kind of job and each device, as
 * `linear` uses them.
 *
 * Jobs of one kernel, range and kind of arguments are of one kind. Only jobs that run by themselves
 * are measured, because the times of overlapping jobs overlap, too.
 */
#ifndef YOKE_APPS_TUNE_LINES_H
#define YOKE_APPS_TUNE_LINES_H

#include <yoke/knowledge.h>

#include "driver.h"

enum { TUNE_KINDS_MOST = 16, TUNE_BLOCKS_MAX = 10 };

struct tune_kind {
    yoke_job job;     /* the first one of the kind, with its whole range; arrays may be closed */
    yoke_line *lines; /* one for each device; item_seconds 0: unknown */
    int kept;         /* 1: they are in the knowledge base */
    /* of the device that is being measured: */
    yoke_sample samples[TUNE_BLOCKS_MAX];
    int sample_count;
    /* of the present block: */
    int64_t items; /* of a job */
    double seconds[APP_REPEAT_MAX];
    int jobs;
};

struct tune_lines {
    struct tune_kind *kinds;
    int count, device_count;
    yoke_status status; /* of keeping them; not YOKE_OK: `why` is the reason */
    char why[1024];
    struct app_job_watch measure, keep; /* for app_run.jobs */
};

yoke_status tune_lines_open(int device_count, struct tune_lines *out);
void tune_lines_close(struct tune_lines *lines);
void tune_lines_end_block(struct tune_lines *lines);
/* Call when all blocks of that device have ended: fits its lines. */
yoke_status tune_lines_end_device(struct tune_lines *lines, int device);
/* Gives `device` the lines of `like`, which is alike. */
void tune_lines_copy(struct tune_lines *lines, int device, int like);

#endif
