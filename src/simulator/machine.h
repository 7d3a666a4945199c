/* machine.h - PURE. A machine that does not need to exist, described on one line.
 *
 *     cores=8,gpu*4:f=7.5:fixed=50us
 *     [cpu:]key=value[:key=value]... [,gpu[LABEL][*COUNT][:key=value]...]...
 *
 * The first part describes the cores and what all devices share; every other part one GPU, or COUNT
 * equal ones. machine.c has the tables of keys, base/slowdown.h reads the text after load=;
 * docs/simulator.md says how each key changes the time.
 */
#ifndef YK_SIMULATOR_MACHINE_H
#define YK_SIMULATOR_MACHINE_H

#include <stdint.h>
#include <yoke/status.h>

#include "../base/slowdown.h"

enum { yk_machine_gpus_max = 10000, yk_machine_name_max = 32 };

/* Times in seconds, rates in average items per second. */
struct yk_machine_gpu {
    char name[yk_machine_name_max];
    double rate; /* 0: f times a core's rate */
    double f;
    double fixed;  /* a kernel's cost beside its items; the device's other kernels wait meanwhile */
    double launch; /* from issue until the kernel may start; overlaps with other lanes' kernels */
    int64_t fill;  /* items that run at once */
    int stair;     /* 1: a kernel's time grows in steps of `fill` items */
    int64_t lanes;
    double link; /* bytes per second in each direction; 0: copies only take `latency` */
    double latency;
    int64_t memory;    /* bytes; 0: any number */
    double fail, join; /* 0: never fails; 0: present from the start */
    int told;          /* 1: `fixed` and `launch` are known to the partitioner beforehand */
    struct yk_slowdowns loads;
};

struct yk_machine {
    int64_t cores;
    double rate;               /* of a core */
    double wait_switch;        /* until a thread that is not running gets a core */
    double poll, wake;         /* a poll of a GPU; waking a sleeping thread */
    double hand;               /* until the dispatcher hands out a chunk */
    double contention;         /* work takes longer by this fraction for each other busy device */
    double noise;              /* a chunk's time varies by up to this fraction */
    int64_t seed;              /* of the noise */
    struct yk_slowdowns loads; /* of the cores */
    struct yk_machine_gpu *gpus;
    int gpu_count;
};

/* YOKE_EINVAL with a text that says what was expected at which character of the line. */
yoke_status yk_machine_parse(const char *text, struct yk_machine *out);
void yk_machine_close(struct yk_machine *machine);
/* Checks numbers like the parser, for machines that were changed later. */
yoke_status yk_machine_check(const struct yk_machine *machine);

/* What a job requires of a machine. */
struct yk_machine_job {
    double items;               /* average items */
    double core_seconds;        /* of an average item on a core; 0: by the machine's rate */
    double bytes_in, bytes_out; /* of an item */
    double dearest;             /* cost of the most expensive item, in average items; 0: all cost
                                 * the same */
};
/* Average items per second of a core, and of a GPU's kernels. */
double yk_machine_core_rate(const struct yk_machine *machine, const struct yk_machine_job *job);
double yk_machine_gpu_rate(const struct yk_machine *machine, const struct yk_machine_job *job,
                           int gpu);
/* The least time in which all devices together could do it: no chunks, each GPU's fixed cost,
 * launch and latency once, copies overlapped with kernels; no stairs, noise or contention. `only`
 * is the only device that may work (0: the cores, 1 + g: GPU g); -1: all. */
double yk_machine_ideal(const struct yk_machine *machine, const struct yk_machine_job *job,
                        int only);
#endif
