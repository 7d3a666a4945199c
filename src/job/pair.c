/* pair.c - what is known about two kernels that do the same work (kernel.h): pairs are interned,
 * and each has one entry per key. */
#include "../base/alloc.h"
#include "kernel.h"

yoke_status yk_pair_intern(struct yk_kernel *kernel, struct yk_kernel *alternative,
                           struct yk_pair **out)
{
    struct yk_pair *pair;
    yoke_status status;
    for (pair = kernel->pairs; pair; pair = pair->next)
        if (pair->alternative == alternative) {
            *out = pair;
            return YOKE_OK;
        }
    pair = yk_calloc(1, sizeof *pair);
    if (!pair)
        return YOKE_ENOMEM;
    status = yk_mutex_open(&pair->lock);
    if (status != YOKE_OK) {
        yk_free(pair);
        return status;
    }
    pair->alternative = alternative;
    pair->next = kernel->pairs;
    kernel->pairs = pair;
    *out = pair;
    return YOKE_OK;
}

void yk_pairs_close(struct yk_kernel *kernel)
{
    while (kernel->pairs) {
        struct yk_pair *pair = kernel->pairs;
        kernel->pairs = pair->next;
        yk_mutex_close(&pair->lock);
        yk_free(pair);
    }
}

/* Replaces the entry that was unused for longest. The new one begins with what the latest one knew.
 */
static struct yk_pair_entry *add_entry(struct yk_pair *pair, uint64_t key)
{
    struct yk_pair_entry *oldest = pair->entries, *latest = pair->entries;
    int i;
    for (i = 1; i < YK_PAIR_ENTRIES; i++) {
        if (pair->entries[i].used < oldest->used)
            oldest = &pair->entries[i];
        if (pair->entries[i].used > latest->used)
            latest = &pair->entries[i];
    }
    for (i = 0; i < YK_PLACES; i++) {
        if (!latest->used)
            yk_choice_open(&oldest->device[i]);
        else if (oldest != latest)
            oldest->device[i] = latest->device[i];
    }
    oldest->key = key;
    return oldest;
}

struct yk_choice *yk_pair_choice(struct yk_pair *pair, uint64_t key, int device)
{
    struct yk_pair_entry *entry = NULL;
    int i;
    for (i = 0; i < YK_PAIR_ENTRIES && !entry; i++)
        if (pair->entries[i].used && pair->entries[i].key == key)
            entry = &pair->entries[i];
    if (!entry)
        entry = add_entry(pair, key);
    entry->used = ++pair->clock;
    return &entry->device[device];
}
