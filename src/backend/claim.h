/* claim.h - values of the cache are made once: a thread that wants one that another thread is
 * making waits for it.
 *
 * Equal GPUs need the same kernel at the same moment, and a compiler does one text after the other:
 * the last of eight would be ready after eight compilations. The maker hands its value over in
 * memory, so this works without the disk, too.
 *
 *     struct yk_claim claim = { .key = key };
 *     while (yk_claim_begin(&claim, &value))
 *         if (the value is of use)
 *             return;
 *     make the value;
 *     yk_claim_end(&claim, value);       however that went: others wait for it
 *
 * A thread ends its claim before it begins another one, so that threads cannot wait in a circle.
 * What may never end (work on a device, say) should come after the end. Claims are made for open
 * devices, and a child of fork has none of its parent's (platform/fork.h).
 */
#ifndef YK_BACKEND_CLAIM_H
#define YK_BACKEND_CLAIM_H

#include "../platform/thread.h"
#include "cache.h"

/* Stays where it is from begin to end. */
struct yk_claim {
    struct yk_blob key; /* set by the caller, as is 0 for the rest; borrowed */
    uint64_t hash;
    struct yk_claim *next;
    struct yk_parker parker;
    struct yk_blob given; /* by the thread that had the claim; bytes NULL: nothing */
    int served;           /* 1: a value was returned */
};

/* Returns 1 and a copy of the value (yk_free) if it is on disk or another thread made it meanwhile.
 * Then there is no claim. If the value is of no use, call it again: the disk is not asked again.
 * Returns 0 if the caller has to make the value: it has the claim until yk_claim_end. */
int yk_claim_begin(struct yk_claim *claim, struct yk_blob *value);
/* Stores the value on disk and gives copies to the threads that wait for it. If bytes is NULL,
 * the caller has made none, and the claim goes to the next thread that waits. */
void yk_claim_end(struct yk_claim *claim, struct yk_blob value);
/* For tests: number of threads that have a claim or wait for one. */
int yk_claim_count(void);

#endif
