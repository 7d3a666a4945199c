/* account.h - PURE. What a job that is over says of its devices: the line that each one's parts
 * followed, and how long the job would have taken without it.
 *
 * Without it the others would have done its items too, such that all end together (balance.h): how
 * much longer that takes by their lines is added to what the job took. So the figure is as good as
 * the lines are, while what jobs cost beside them (a driver that loads, a first touch of memory)
 * counts once.
 */
#ifndef YK_PARTITION_ACCOUNT_H
#define YK_PARTITION_ACCOUNT_H

#include "dispatch.h"

struct yk_account {
    struct yk_line line; /* its time for v items; item_ns 0: unknown */
    int of_jobs;         /* 1: of its whole part of a job; 0: of a chunk, and b that of each one */
    double grain;        /* items of its chunks, on average; 0: it had none */
    double without_ns;   /* INFINITY: nobody else was there; 0: nobody knows */
};

/* Of a job that took `ns`; `gone`: devices that failed, as bits. Writes one account a device. */
yoke_status yk_dispatch_account(const struct yk_dispatch *dispatch, int64_t ns, uint64_t gone,
                                struct yk_account *out);

#endif
