/* alternative_work.h - a job with an alternative kernel, its arrays, and its outcome. The arrays
 * are the same in the end, whichever kernel does which items. */
#ifndef ALTERNATIVE_WORK_H
#define ALTERNATIVE_WORK_H

#include <yoke/yoke.h>

#include "alternative_kernels.h"

enum { HANGS_SECONDS = 200, DEVICES_MOST = 4 };
extern const char *where; /* prefix of failure messages */

struct work {
    yoke_runtime *rt;
    int64_t n;
    uint32_t *x, *y;
    int64_t sum;
    yoke_array *ax, *ay, *asum;
};

struct did { /* per device */
    double seconds;
    int64_t items[DEVICES_MOST][2];
    char reasons[DEVICES_MOST][192], names[DEVICES_MOST][32];
};

yoke_status open_work(yoke_runtime *rt, int64_t n, struct work *out);
yoke_status close_work(struct work *work);

/* The whole range, by k_at_once or k_by_steps. */
yoke_job job_of(const struct work *work);
/* Clears the sum first; the test fails if a result is wrong. */
yoke_status run_work(struct work *work, const yoke_job *job, struct did *out);
/* Checks the arrays after `times` correct jobs. */
yoke_status check_work(struct work *work, int times);

/* Every partitioner; NULL: auto. */
enum { PARTITIONERS = 8 };
extern const char *const partitioners[PARTITIONERS];

#endif
