/* claim.c - see claim.h. All claims, and the threads that wait for them, are in one list in the
 * order in which they came. Of those with the same key the first one has the claim.
 */
#include "claim.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/hash.h"
#include "../base/process_lock.h"

static struct yk_process_lock lock = YK_PROCESS_LOCK_INITIAL;
static struct yk_claim *claims; /* under lock */

static int is_same(const struct yk_claim *one, const struct yk_claim *other)
{
    return one->hash == other->hash && one->key.size == other->key.size &&
           memcmp(one->key.bytes, other->key.bytes, one->key.size) == 0;
}

/* Returns 1 if no other thread has the claim. */
static int enter(struct yk_claim *claim)
{
    struct yk_claim **at = &claims;
    int is_first = 1;
    yk_process_lock(&lock);
    for (; *at; at = &(*at)->next)
        is_first = is_first && !is_same(*at, claim);
    *at = claim;
    yk_process_unlock(&lock);
    return is_first;
}

/* Returns 1 if `waiter` got a copy. */
static int give(struct yk_claim *waiter, struct yk_blob value)
{
    void *copy = value.bytes ? yk_calloc(1, value.size) : NULL;
    if (!copy)
        return 0;
    memcpy(copy, value.bytes, value.size);
    waiter->given = (struct yk_blob){ copy, value.size };
    return 1;
}

/* Ends the claim: waiting threads get copies. The first that gets none has the claim now, and those
 * behind it wait on. */
static void leave(const struct yk_claim *claim, struct yk_blob value)
{
    struct yk_claim **at = &claims;
    int passed = 0;
    yk_process_lock(&lock);
    while (*at && !passed) {
        struct yk_claim *one = *at;
        if (!is_same(one, claim)) {
            at = &one->next;
            continue;
        }
        passed = one != claim && !give(one, value);
        if (!passed)
            *at = one->next;
        if (one != claim)
            yk_parker_wake(&one->parker); /* it may be gone now */
    }
    yk_process_unlock(&lock);
}

int yk_claim_begin(struct yk_claim *claim, struct yk_blob *value)
{
    void *bytes;
    size_t size;
    claim->hash = yk_hash_large(yk_hash_start, claim->key.bytes, claim->key.size);
    claim->next = NULL;
    claim->given = (struct yk_blob){ NULL, 0 };
    if (!enter(claim))
        yk_parker_sleep(&claim->parker, -1);
    if (!claim->given.bytes) {
        if (claim->served || !yk_cache_load(claim->key, &bytes, &size))
            return 0;
        claim->given = (struct yk_blob){ bytes, size };
        leave(claim, claim->given);
    }
    claim->served = 1;
    *value = claim->given;
    return 1;
}

void yk_claim_end(struct yk_claim *claim, struct yk_blob value)
{
    if (value.bytes)
        yk_cache_store(claim->key, value); /* first: a thread that comes after the claim finds it */
    leave(claim, value);
}

int yk_claim_count(void)
{
    int count = 0;
    yk_process_lock(&lock);
    for (const struct yk_claim *claim = claims; claim; claim = claim->next)
        count++;
    yk_process_unlock(&lock);
    return count;
}
