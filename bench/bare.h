/* bare.h - runs chunks on a device by direct calls of its backend: the cost that every runtime has.
 */
#ifndef YOKE_BENCH_BARE_H
#define YOKE_BENCH_BARE_H

#include "backend/backend.h"

enum { BARE_LANES_MAX = 16 };

struct bare {
    struct yk_device_list list;
    struct yk_device *device;
    const struct yk_backend *backend;
    struct yk_program *program;
    struct yk_queue *queues[BARE_LANES_MAX];
    int lanes;
    struct yk_buffer *x, *y;
    float *home; /* pinned, if the driver has such memory */
    int64_t items;
};

/* Opens the first device of `text`, with `items` floats x = 0 and y on it. Call bare_close also
 * after a failure. */
yoke_status bare_open(const char *text, int64_t items, struct bare *out);
void bare_close(struct bare *bare);
/* Runs all items in chunks: launch, copy to the host, event. One chunk is in flight on each
 * queue. */
yoke_status bare_run(struct bare *bare, int64_t chunk);

#endif
