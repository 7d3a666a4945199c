/* work.h - jobs over more data than a device's memory holds, whose results are easily checked. */
#ifndef YOKE_BENCH_WORK_H
#define YOKE_BENCH_WORK_H

#include <yoke/yoke.h>

/* How a job touches its arrays, all of 4-byte elements. */
enum work_kind {
    WORK_SCALE,   /* in x, out z: as much in as out */
    WORK_ADD,     /* in x, inout z: twice as much in as out */
    WORK_STENCIL, /* in x with 256 rows on both sides, out z */
    WORK_TABLE,   /* in a whole table of a sixteenth of the items, in x, out z */
    WORK_KINDS
};
extern const char *const work_names[WORK_KINDS];

struct work_spec {
    enum work_kind kind;
    int64_t items;
    int32_t rounds;          /* of a loop that takes time */
    const char *partitioner; /* NULL: the runtime's */
};

struct work {
    yoke_runtime *rt;
    struct work_spec spec;
    int64_t entries, width;
    uint32_t *memory;          /* table, x, z in this order */
    yoke_array *table, *x, *z; /* table: NULL where there is none */
    int times;                 /* jobs that went well */
};

/* Bytes of its arrays; what a job over all items copies to a device, and back. */
int64_t work_bytes(const struct work_spec *spec);
int64_t work_bytes_in(const struct work_spec *spec);
int64_t work_bytes_out(const struct work_spec *spec);

/* Close also after a failure. */
yoke_status work_open(yoke_runtime *rt, const struct work_spec *spec, struct work *out);
void work_close(struct work *work);
/* One job over items first .. last - 1. result as of yoke_run. */
yoke_status work_run(struct work *work, int64_t first, int64_t last, yoke_result **result);
/* After jobs over all items: whether every element is right at the host. */
yoke_status work_check(struct work *work, int *right);

#endif
