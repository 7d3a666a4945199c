/* device_account.h - PURE. What a finished job shows about its devices: the line of each device,
 * and how long the job would have taken without it.
 *
 * Without a device the others would also have done its items, and ended together (balance.h). The
 * extra time for that, by their lines, is added to the job's measured time. So the result is as
 * accurate as the lines. Costs outside the lines (loading a driver, first touch of memory) are only
 * in the measured time.
 */
#ifndef YK_PARTITION_DEVICE_ACCOUNT_H
#define YK_PARTITION_DEVICE_ACCOUNT_H

#include "dispatch.h"

struct yk_account {
    struct yk_line line; /* its time for v items; item_ns 0: unknown */
    int of_jobs;  /* 1: the line of its whole part of a job; 0: that of a chunk, so b is paid for
                     each chunk */
    double grain; /* mean items of its chunks; 0: it had none */
    double without_ns; /* time of the job without it; INFINITY: there was no other device; 0:
                          unknown */
};

/* Writes one account per device, for a job that took `ns`. `gone`: devices that failed, as bits. */
yoke_status yk_dispatch_account(const struct yk_dispatch *dispatch, int64_t ns, uint64_t gone,
                                struct yk_account *out);

#endif
