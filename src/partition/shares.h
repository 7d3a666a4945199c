/* shares.h - PURE. A range cut into one fixed region for each device: what `even` and `static` have
 * in common.
 *
 * A device that has not joined keeps its region. The region of one that has failed or left is cut
 * again among those that remain, by their shares; as that is worked out from who is gone now, it
 * needs no memory and holds after any number of failures.
 */
#ifndef YK_PARTITION_SHARES_H
#define YK_PARTITION_SHARES_H

#include "partitioner.h"

struct yk_shares;

/* `weights`: one number >= 0 for each device, of any sum > 0. `chunks`: how many a share of a
 * device with memory of its own is cut into; 0: as many as it has lanes. */
yoke_status yk_shares_open(const struct yk_split_view *view, const double *weights, int64_t chunks,
                           void **out);
/* These fit a partitioner's table. */
void yk_shares_close(void *shares);
void yk_shares_take(void *shares, const struct yk_split_view *view, int device, int lane,
                    int64_t now, struct yk_take *out);
void yk_shares_changed(void *shares, const struct yk_split_view *view, int device);
void yk_shares_explain(const void *shares, const struct yk_split_view *view, int device, char *text,
                       size_t size);

#endif
