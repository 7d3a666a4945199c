/* machine_device.h - the devices of dispatch_machine.h: their properties, their state, and how long
 * work takes on them. Noise comes from a seed. */
#ifndef MACHINE_DEVICE_H
#define MACHINE_DEVICE_H

#include <math.h>
#include <string.h>

#include "partition/learned.h"

enum { LANES_MAX = 64, DEVICES_MAX = 16, LEASES_MAX = LANES_MAX + 1, NEVER = -1 };

struct model {
    struct yk_split_device known;
    double item_ns;  /* time per item of the whole device, if it is full */
    double fixed_ns; /* time before a GPU chunk's kernel starts; lanes overlap it */
    double copy_ns;  /* per item, GPU; overlaps the kernels of other lanes */
    int staircase;   /* GPU: time rises in steps of a whole fill */
    double noise;    /* largest relative error of a chunk's time */
    double cold_ns;  /* added once, to the first chunk */
    int64_t join_ns, fail_ns, leave_ns; /* time, or NEVER */
    int64_t memory;            /* items that fit; larger chunks are returned; 0: no limit */
    struct yk_learned learned; /* filled in by learn() */
    double told_ns;            /* assumed cost of a chunk before anything was learned */
    int taught;
};

struct lease {
    struct yk_chunk chunk;
    int64_t next, pieces_left, issued;
};

struct lane {
    int lease; /* -1: a chunk without a lease */
    int64_t first, last, issued;
    struct yk_chunk chunk;
};

struct device_run {
    uint64_t busy; /* bit l is set: lane l is busy */
    /* Tournament tree of the ends of busy lanes: element LANES_MAX + l is lane l's end, or
     * INT64_MAX; element i < LANES_MAX is the minimum of 2 i and 2 i + 1. So an event costs six
     * steps, not one for every core. */
    int64_t soonest[2 * LANES_MAX];
    int64_t wake[LANES_MAX]; /* of idle lanes: when to ask again, or NEVER */
    struct lane lanes[LANES_MAX];
    struct lease leases[LEASES_MAX];
    int current; /* the lease that is being cut; -1: none */
    double copy_free, kernel_free;
    int joined, gone, failed, warm;
};

struct machine {
    struct model models[DEVICES_MAX];
    int count;
    int64_t first, last, unit;
    int all_or_nothing;
    const char *partitioner;
    unsigned seed;
    /* results of a run */
    double seconds_ns;
    struct yk_split_outcome outcomes[DEVICES_MAX];
    char reasons[DEVICES_MAX][256];
    size_t decisions;
    int asked, got; /* calls of next, and chunks given */
    int trace;
    double end_ns[DEVICES_MAX]; /* when the device was last busy */
    /* state during a run */
    struct device_run runs[DEVICES_MAX];
    unsigned char *times_done; /* for each item, how often it was done */
    signed char *by;           /* for each item, the device that did it */
    struct yk_dispatch *dispatch;
    int64_t now;
};

static inline unsigned machine_random(unsigned *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static inline double uneven(struct machine *m, const struct model *model)
{
    double unit = (double)(machine_random(&m->seed) & 0xffff) / 32767.5 - 1;
    return 1 + model->noise * unit;
}

/* --- work --- */

static inline double kernel_ns(const struct model *model, int64_t items)
{
    double v = (double)items, fill = (double)model->known.fill;
    if (model->staircase)
        return ceil(v / fill) * fill * model->item_ns;
    return model->item_ns * (v < fill ? 0.2 * fill + 0.8 * v : v);
}

static inline int64_t gpu_end(struct machine *m, int d, int64_t items)
{
    const struct model *model = &m->models[d];
    struct device_run *run = &m->runs[d];
    double start = fmax((double)m->now, run->copy_free), kernel;
    run->copy_free = start + (double)items * model->copy_ns;
    kernel = fmax(fmax(run->copy_free, (double)m->now + model->fixed_ns), run->kernel_free);
    run->kernel_free = kernel + kernel_ns(model, items) * uneven(m, model);
    if (!run->warm)
        run->kernel_free += model->cold_ns;
    run->warm = 1;
    return (int64_t)ceil(run->kernel_free);
}

/* A core's time for a vector is the same if the vector is not full. */
static inline double whole_vectors(const struct model *model, int64_t items)
{
    double fill = fmax(1, (double)model->known.lane_fill);
    return ceil((double)items / fill) * fill;
}

#endif
