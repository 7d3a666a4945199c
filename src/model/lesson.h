/* lesson.h - PURE. What jobs of one kernel and one set of sizes taught of a machine's devices: what
 * the knowledge base keeps, one at a time, and what derivations for other sizes start from.
 *
 * A lesson stands for (machine, subject, sizes). The machine is a fingerprint of devices, drivers
 * and links; the subject is what is the same whatever the sizes: the kernel's content, the
 * arguments' shapes, the partitioner where one was asked for. Sizes are numbers (indexes of each
 * dimension, rows and bytes of a row of each array), always as many and in the same order for one
 * subject. papers/003, section 3: "configuration", "argument sizes".
 */
#ifndef YK_MODEL_LESSON_H
#define YK_MODEL_LESSON_H

#include <stdint.h>

#include "line.h"

enum { YK_SIZES_MAX = 64, YK_LESSON_DEVICES = 32, YK_LESSON_NAME = 64 };

enum yk_origin {
    YK_ORIGIN_TRAINED, /* measured with these sizes */
    YK_ORIGIN_DERIVED, /* from lessons of other sizes; nothing has run with it yet */
    YK_ORIGIN_ADJUSTED /* measured, and changed since because runs had become unbalanced */
};

struct yk_sizes {
    int count;
    double at[YK_SIZES_MAX]; /* [0]: items of the range; all >= 0 */
};

struct yk_lesson_device {
    char name[YK_LESSON_NAME]; /* "cpu", "cuda:0": unlike all others of the lesson */
    struct yk_line line;       /* from a job's submission to the end of its last chunk, while those
                                  of `team` worked; v: its items of the job */
    double rate, fixed_ns;     /* of chunks: items per ns while busy, and a chunk's cost beside its
                                  items. rate 0: unknown */
    double share;              /* of the items of the latest job; -1: unknown */
    double copied_bytes;       /* for an item */
    double spread;             /* its dearest chunk's items to all its items, in time; 0: unknown */
    double grain;              /* items of its chunks; 0: unknown */
    double link_bytes_per_ns;  /* as the device's description has it; 0: none, or unknown */
    int steady;                /* the rate was the same in two jobs */
    int form;                  /* of jobs with an alternative kernel: 1 where their kernel is the
                                  faster one here, 2 where the alternative is; 0: there is none,
                                  or that was not settled, and the figures are their kernel's */
};

struct yk_lesson {
    struct yk_sizes sizes;
    enum yk_origin origin;
    int64_t confirmed; /* jobs that ran like this and ended as it says */
    int64_t seen;      /* seconds since 1970: when it was last confirmed or changed */
    double ns;         /* a job's time, submission to end; 0: unknown */
    uint32_t team;     /* devices that did it best, as bits in the order of `devices`; 0: unknown */
    int device_count;
    struct yk_lesson_device devices[YK_LESSON_DEVICES];
};

#endif
