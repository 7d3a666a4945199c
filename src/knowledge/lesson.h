/* lesson.h - PURE. What jobs of one kernel and one set of sizes taught about a machine's devices.
 * The knowledge base stores lessons, and derivations for other sizes start from them.
 *
 * A lesson stands for (machine, subject, sizes). The machine is a fingerprint of devices, drivers
 * and links. The subject is what does not depend on the sizes: the kernel's content, the arguments'
 * shapes, and the partitioner if one was requested. Sizes are numbers (indexes of each dimension,
 * rows and bytes of a row of each array), always as many and in the same order for one subject.
 * papers/003, section 3: "configuration", "argument sizes".
 */
#ifndef YK_KNOWLEDGE_LESSON_H
#define YK_KNOWLEDGE_LESSON_H

#include <stdint.h>

#include "../model/cost.h"
#include "../model/line.h"

enum { YK_SIZES_MAX = 64, YK_LESSON_DEVICES = 32, YK_LESSON_NAME = 64 };

enum yk_origin {
    YK_ORIGIN_TRAINED,  /* measured with these sizes */
    YK_ORIGIN_DERIVED,  /* derived from lessons of other sizes; nothing has run with it yet */
    YK_ORIGIN_ADJUSTED, /* measured, and changed since then because runs had become unbalanced */
    YK_ORIGIN_TUNED     /* lines of each device alone, which a program measured (yoke tune) */
};

struct yk_sizes {
    int count;
    double at[YK_SIZES_MAX]; /* [0]: items of the range; all >= 0 */
};

struct yk_lesson_device {
    char name[YK_LESSON_NAME]; /* "cpu", "cuda:0": unique in the lesson */
    struct yk_line line;       /* time from a job's submission to the end of its last chunk,
                                * while the devices of `team` worked (origin `tuned`: alone); v:
                                * its items of the job */
    double item_half_ns, off;  /* line.item_ns is within +- item_half_ns with a probability of
                                * 95 %, and samples are off the line by this part; 0: unknown */
    double rate, fixed_ns;     /* of chunks: items per ns while busy, and the overhead of a
                                * chunk. rate 0: unknown */
    double share;              /* part of the items of the latest job; -1: unknown */
    double copied_bytes;       /* per item */
    double spread;             /* time per item of its most expensive chunk / of all its items;
                                * 0: unknown */
    double grain;              /* mean items of its chunks; 0: unknown */
    double link_bytes_per_ns;  /* from the device's description; 0: none, or unknown */
    int steady;                /* 1: the rate was the same in two jobs */
    int form;                  /* for jobs with an alternative kernel: 1 if the job's kernel is
                                * the faster one on this device, 2 if the alternative is; 0:
                                * there is none, or that was not settled, and the figures are
                                * those of the job's kernel */
    struct yk_kept_cost cost;  /* of a part whose rows are already in place */
    int stays; /* 1: it is in the best set of devices while rows stay, by trials; 2: it is not; 3:
                * it is in a set that was not compared with others; 0: unknown */
};

struct yk_lesson {
    struct yk_sizes sizes;
    enum yk_origin origin;
    int64_t confirmed; /* number of jobs that ran like this and ended as it says */
    int64_t seen;      /* seconds since 1970 when it was last confirmed or changed */
    double ns;         /* time of a job from submission to end; 0: unknown */
    uint32_t team;     /* the best set of devices, as bits in the order of `devices`; 0: unknown */
    int device_count;
    struct yk_lesson_device devices[YK_LESSON_DEVICES];
};

#endif
