/* work.h - jobs over more data than a device's memory holds, with results that are easy to
 * check. */
#ifndef YOKE_BENCH_WORK_H
#define YOKE_BENCH_WORK_H

#include <yoke/yoke.h>

/* How a job accesses its arrays. All elements have 4 bytes. */
enum work_kind {
    WORK_SCALE,   /* in x, out z: as many bytes in as out */
    WORK_ADD,     /* in x, inout z: twice as many bytes in as out */
    WORK_STENCIL, /* in x with 256 more rows on both sides, out z */
    WORK_TABLE,   /* whole table (a sixteenth of the items), in x, out z */
    WORK_KINDS
};
extern const char *const work_names[WORK_KINDS];

struct work_spec {
    enum work_kind kind;
    int64_t items;
    int32_t rounds;          /* rounds of a loop, to take time */
    const char *partitioner; /* NULL: the runtime's */
};

struct work {
    yoke_runtime *rt;
    struct work_spec spec;
    int64_t entries, width;
    uint32_t *memory;          /* table, x, z, in this order */
    yoke_array *table, *x, *z; /* table: NULL for kinds without one */
    int times;                 /* number of successful jobs */
};

/* Bytes of the arrays; bytes that a job over all items copies to a device; bytes back. */
int64_t work_bytes(const struct work_spec *spec);
int64_t work_bytes_in(const struct work_spec *spec);
int64_t work_bytes_out(const struct work_spec *spec);

/* Call work_close also after a failure. */
yoke_status work_open(yoke_runtime *rt, const struct work_spec *spec, struct work *out);
void work_close(struct work *work);
/* Runs one job over items first .. last - 1. `result` is as for yoke_run. */
yoke_status work_run(struct work *work, int64_t first, int64_t last, yoke_result **result);
/* After jobs over all items: sets *right to 1 if every checked element is right on the host. */
yoke_status work_check(struct work *work, int *right);

#endif
