/* shares.h - PURE. A range cut into one fixed region for each device: shared by `even`, `static`
 * and others.
 *
 * A device that has not joined keeps its region. The region of a device that failed or left is
 * divided among the others, by their shares. The division is computed from the devices that are
 * gone now, so it needs no memory and holds after any number of failures.
 */
#ifndef YK_PARTITION_SHARES_H
#define YK_PARTITION_SHARES_H

#include "partitioner.h"

struct yk_shares;

struct yk_shares_spec {
    const double *weights; /* one number >= 0 for each device, of any sum > 0 */
    int64_t chunks;        /* number of chunks of a share, for a device with its own memory; 0: as
                            * many as it has lanes */
    int64_t host_chunks;   /* the same for a CPU device; 0: one */
    int hosts_first;       /* 1: CPU devices get the low end of the range; 0: regions are in the
                            * order of the devices */
};
yoke_status yk_shares_open(const struct yk_split_view *view, const struct yk_shares_spec *spec,
                           void **out);
/* A device's weight, as a fraction of all. */
double yk_shares_weight(const void *shares, int device);
/* The notes about shares before this job. */
const struct yk_adjust *yk_shares_adjust(const void *shares);
/* Takes a chunk from the region with the most free items among devices of the same kind (CPU
 * devices or others). */
void yk_shares_take_over(const void *shares, int device, struct yk_take *out);
/* Cuts the region of a device with its own memory anew, into chunks whose copies overlap with
 * kernels. Does nothing if there is nothing to copy. */
void yk_shares_overlap(void *shares, int device);
/* The following functions fit a partitioner's table. */
void yk_shares_close(void *shares);
void yk_shares_take(void *shares, const struct yk_request *request, struct yk_take *out);
/* Devices with a region, as bits. */
uint32_t yk_shares_asked(const void *shares);
/* Returns 1 if the whole region of the device is handed out. */
int yk_shares_served(const void *shares, int device);
void yk_shares_changed(void *shares, int device);
void yk_shares_explain(const void *shares, int device, char *text, size_t size);

#endif
