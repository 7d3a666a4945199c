/* device.h - PURE. A device that does not need to exist: its keys, and what its operations take.
 *
 * Three users have such devices. The sim backend runs a program's jobs on them (`sim:gpu:f=...`),
 * the simulator runs one job without arrays, and `yoke sim MACHINE step:KERNELS` runs jobs on
 * arrays that stay on them. A key means the same for all users, and all compute times with these
 * functions. keys.c says which user has which key; others are refused.
 */
#ifndef YK_MACHINE_DEVICE_H
#define YK_MACHINE_DEVICE_H

#include <stdint.h>

#include "../base/option.h"
#include "../base/slowdown.h"

enum yk_machine_kind { YK_MACHINE_CORES, YK_MACHINE_GPU };
enum yk_machine_user { YK_MACHINE_BACKEND = 1, YK_MACHINE_JOB = 2, YK_MACHINE_STEPS = 4 };
/* Whether a driver offers something, or refuses it when asked. */
enum yk_machine_offer { YK_MACHINE_NO, YK_MACHINE_YES, YK_MACHINE_REFUSED };
enum { yk_machine_name_max = 32 };

/* Times in seconds, rates in items or bytes per second; keys.c explains each field. */
struct yk_machine_device {
    char name[yk_machine_name_max]; /* no key */
    /* kernels */
    int64_t cores, fill, lanes, seed;
    double rate, f, peak, work, fixed, launch, noise, contention, slowed, cold;
    int stair;
    char *slow, *load;         /* owned by the settings: yk_options_clear */
    struct yk_slowdowns loads; /* no key: what `load` says */
    /* copies and memory */
    double link, latency, peer, pageable, bandwidth;
    int64_t memory, pages, taken, pinnable;
    int pin, staging; /* enum yk_machine_offer */
    /* threads that wait for GPUs */
    double poll, wake, wait_switch, hand;
    /* what is late, fails or is unknown */
    double join, leave, fail, stall;
    int64_t fail_after;
    int told, build, results;
    char *identity;
};

/* Whose settings are meant; messages begin with `what`. */
struct yk_machine_use {
    const char *what;
    enum yk_machine_kind kind;
    enum yk_machine_user user;
};

/* --- keys.c --- */
extern const struct yk_option yk_machine_options[];
/* The device as it is if no key is given. */
yoke_status yk_machine_device_open(const struct yk_machine_use *use, struct yk_machine_device *out);
/* Reads "key=value:key=value". YOKE_EINVAL with a text that begins with `what`, if this user does
 * not have a key, or a value is invalid. */
yoke_status yk_machine_device_read(const struct yk_machine_use *use, const char *text,
                                   struct yk_machine_device *device);
/* YOKE_EINVAL: a number that this user has is out of range. */
yoke_status yk_machine_device_check(const struct yk_machine_use *use,
                                    const struct yk_machine_device *device);

/* "key=value:key=value" of the keys that this user has and whose values are not the defaults; freed
 * by yk_free. NULL: there is no memory. */
char *yk_machine_device_text(const struct yk_machine_use *use,
                             const struct yk_machine_device *device);

/* --- device.c --- */
struct yk_machine_work {
    double items;   /* number of items of a chunk */
    double cost;    /* of all of them, in average items */
    double item_ns; /* time of an average item */
};
/* Time of a kernel without launch, noise, load and contention. */
double yk_machine_kernel_ns(const struct yk_machine_device *device,
                            const struct yk_machine_work *work);
/* Time of a copy at this rate; rate 0: it only takes the latency. */
double yk_machine_copy_ns(const struct yk_machine_device *device, double rate, double bytes);
/* The factor on an operation's time: evenly distributed from 1 - noise to 1 + noise. */
double yk_machine_noise(double noise, uint64_t *state);

#endif
