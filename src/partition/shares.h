/* shares.h - PURE. A range cut into one fixed region for each device: what `even`, `static` and
 * others have in common.
 *
 * A device that has not joined keeps its region. The region of one that has failed or left is cut
 * again among those that remain, by their shares; as that is worked out from who is gone now, it
 * needs no memory and holds after any number of failures.
 */
#ifndef YK_PARTITION_SHARES_H
#define YK_PARTITION_SHARES_H

#include "partitioner.h"

struct yk_shares;

struct yk_shares_spec {
    const double *weights; /* one number >= 0 for each device, of any sum > 0 */
    int64_t chunks;        /* that a share of a device with memory of its own is cut into; 0: as
                              many as it has lanes */
    int64_t host_chunks;   /* the same of a CPU device; 0: 1 */
    int hosts_first;       /* CPU devices have the low end of the range; else all have theirs in the
                              order of the devices */
};
yoke_status yk_shares_open(const struct yk_split_view *view, const struct yk_shares_spec *spec,
                           void **out);
/* A device's, as a fraction of all. */
double yk_shares_weight(const void *shares, int device);
/* Of the share of whoever has most left among those that are, as the device, CPU devices or not, a
 * chunk. */
void yk_shares_take_over(const void *shares, const struct yk_split_view *view, int device,
                         struct yk_take *out);
/* The device's region is cut into so many chunks instead; 0: as many as it has lanes. */
void yk_shares_cut(void *shares, const struct yk_split_view *view, int device, int64_t chunks);
/* These fit a partitioner's table. */
void yk_shares_close(void *shares);
void yk_shares_take(void *shares, const struct yk_split_view *view, int device, int lane,
                    int64_t now, struct yk_take *out);
/* Those with a region, as bits. */
uint32_t yk_shares_asked(const void *shares, const struct yk_split_view *view);
void yk_shares_changed(void *shares, const struct yk_split_view *view, int device);
void yk_shares_explain(const void *shares, const struct yk_split_view *view, int device, char *text,
                       size_t size);

#endif
