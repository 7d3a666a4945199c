/* store_derive.c - derives a lesson for new sizes from those on disk. */
#include "../base/alloc.h"
#include "store_state.h"

int yk_store_derive(struct yk_store *store, const struct yk_store_key *key,
                    const struct yk_sizes *sizes, struct yk_lesson *out)
{
    struct yk_lesson_list known = { .capacity = YK_DERIVE_MOST };
    if (!store)
        return 0;
    known.at = yk_calloc(YK_DERIVE_MOST, sizeof *known.at);
    if (!known.at)
        return 0;
    yk_store_near(store, key, sizes, &known);
    int derived = yk_derive(store->settings.derivation, sizes, &known, out);
    yk_free(known.at);
    return derived;
}
