/* cores.h - the host's own work, done in blocks by all its cores.
 *
 * The blocks are indexes of a yoke job on a runtime whose only device is the CPU, so they stay on
 * the host whatever devices the application's jobs use. Its workers sleep between jobs.
 */
#ifndef YOKE_APPS_CORES_H
#define YOKE_APPS_CORES_H

#include <yoke/yoke.h>

typedef void cores_fn(void *context, int64_t block);

struct cores_work {
    const char *name; /* for traces */
    cores_fn *block;  /* called once for each block, by many threads at once */
    void *context;
    int64_t blocks;
};

/* Opens such a runtime. After a request to stop (stop.h) its work ends with YOKE_ECANCELED. */
yoke_status cores_open(yoke_runtime **out);
yoke_status cores_close(yoke_runtime *cores); /* NULL does nothing */
yoke_status cores_run(yoke_runtime *cores, const struct cores_work *work);
/* Does the work on a runtime opened only for this call: takes one or two milliseconds more. */
yoke_status cores_run_once(const struct cores_work *work);

/* Returns block number `block` of `blocks` parts of [0, count), whose lengths differ by at most
 * one. */
struct cores_span {
    int64_t first, last;
};
struct cores_span cores_span(int64_t count, int64_t blocks, int64_t block);

#endif
