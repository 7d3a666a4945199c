/* machine.h - PURE. A machine that need not exist, and what it is told on one line.
 *
 *     cores=8,gpu*4:f=7.5:fixed=50us
 *     [cpu:]key=value[:key=value]... [,gpu[LABEL][*COUNT][:key=value]...]...
 *
 * The first part describes the cores and what all devices share, every other one a GPU or COUNT
 * alike. machine.c has the tables of keys, load.c reads what stands after load=; docs/simulator.md
 * says what each does to time.
 */
#ifndef YK_SIMULATOR_MACHINE_H
#define YK_SIMULATOR_MACHINE_H

#include <stdint.h>
#include <yoke/status.h>

enum { yk_machine_gpus_max = 10000, yk_machine_loads_max = 8, yk_machine_name_max = 32 };

/* From `from` to `to` seconds all work takes `factor` times as long. */
struct yk_load {
    double from, to, factor;
};
struct yk_loads {
    struct yk_load items[yk_machine_loads_max];
    int count;
};
/* "FROM-TO*F+FROM-TO*F"; NULL: none. `what` is said first where it is none of that. */
yoke_status yk_loads_parse(const char *what, const char *text, struct yk_loads *out);

/* Times in seconds, rates in average items a second. */
struct yk_machine_gpu {
    char name[yk_machine_name_max];
    double rate; /* 0: f times a core's */
    double f;
    double fixed; /* a kernel's cost beside its items; other kernels of the device wait meanwhile */
    double launch; /* from issue until the kernel may start; hidden behind other lanes' kernels */
    int64_t fill;  /* items that run at once */
    int stair;     /* 1: a kernel's time grows in steps of `fill` items */
    int64_t lanes;
    double link; /* bytes a second in each direction; 0: copies take `latency` only */
    double latency;
    int64_t memory;    /* bytes; 0: any number */
    double fail, join; /* 0: never fails, there from the start */
    int told;          /* 1: what `fixed` and `launch` are is known beforehand */
    struct yk_loads loads;
};

struct yk_machine {
    int64_t cores;
    double rate;           /* of a core */
    double wait_switch;    /* a thread that is not running gets a core */
    double poll, wake;     /* a look at a GPU; a sleeping thread is told */
    double hand;           /* the dispatcher hands out a chunk */
    double contention;     /* work takes longer by this fraction for each other busy device */
    double noise;          /* a chunk's time varies by up to this fraction */
    int64_t seed;          /* of the noise */
    struct yk_loads loads; /* of the cores */
    struct yk_machine_gpu *gpus;
    int gpu_count;
};

/* YOKE_EINVAL with a text that says at which character of the line what was expected. */
yoke_status yk_machine_parse(const char *text, struct yk_machine *out);
void yk_machine_close(struct yk_machine *machine);
/* What the parser checks of numbers, for machines changed since. */
yoke_status yk_machine_check(const struct yk_machine *machine);

/* What a job asks of a machine. */
struct yk_machine_job {
    double items;               /* average ones */
    double core_seconds;        /* of an average item on a core; 0: what the machine's rate says */
    double bytes_in, bytes_out; /* of an item */
    double dearest;             /* item, in averages; 0: all cost the same */
};
/* Average items a second of a core and of a GPU's kernels. */
double yk_machine_core_rate(const struct yk_machine *machine, const struct yk_machine_job *job);
double yk_machine_gpu_rate(const struct yk_machine *machine, const struct yk_machine_job *job,
                           int gpu);
/* The least time in which all devices together could do it: no chunks, each GPU's fixed cost,
 * launch and latency once, copies behind kernels; no stairs, noise or contention. `only` is the one
 * device that may work (0: the cores, 1 + g: GPU g), -1: all. */
double yk_machine_ideal(const struct yk_machine *machine, const struct yk_machine_job *job,
                        int only);
/* How many times as long work takes at a time; the next time after it when that changes, or
 * INFINITY. */
double yk_loads_factor(const struct yk_loads *loads, double when);
double yk_loads_next(const struct yk_loads *loads, double when);

#endif
