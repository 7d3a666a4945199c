/* machine.h - PURE. A machine that does not need to exist, described on one line.
 *
 *     cores=8,gpu*4:f=7.5:fixed=50us
 *     [cpu:]key=value[:key=value]... [,gpu[LABEL][*COUNT][:key=value]...]...
 *
 * The first part describes the cores and what all devices share; every other part one GPU, or COUNT
 * equal ones. keys.c has the keys, docs/simulator.md says how each key changes the time.
 */
#ifndef YK_MACHINE_MACHINE_H
#define YK_MACHINE_MACHINE_H

#include <stdint.h>
#include <yoke/status.h>

#include "device.h"

enum { yk_machine_gpus_max = 10000 };

struct yk_machine {
    struct yk_machine_device cpu; /* its contention and seed hold for all devices, and its noise for
                                   * those without noise of their own */
    struct yk_machine_device *gpus;
    int gpu_count;
};

/* For a job or for steps. YOKE_EINVAL with a text that says what was expected at which character of
 * the line. */
yoke_status yk_machine_parse(const char *text, enum yk_machine_user user, struct yk_machine *out);
void yk_machine_close(struct yk_machine *machine);
/* Checks a job's machine like the parser; for machines that were changed after parsing. */
yoke_status yk_machine_check(const struct yk_machine *machine);

struct yk_machine_job;
/* devices.c: the machine as text for yoke_config.devices: devices of the sim backend whose
 * operations only take time. `only`: see yk_machine_ideal. Freed by yk_free. NULL: there is no
 * memory. */
char *yk_machine_devices(const struct yk_machine *machine, const struct yk_machine_job *job,
                         int only);

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
