/* coherence_compare.c - every query of the coherence core, against the model. */
#include <stdio.h>

#include "base/alloc.h"
#include "coherence_model.h"

int model_differs(const char *what, int place, int64_t row, long got, long expected)
{
    fprintf(stderr, "coherence differs from the model: %s, place %d, row %lld: %ld, not %ld\n",
            what, place, (long long)row, got, expected);
    return 1;
}

/* States and extents. */
static int compare_states(struct history *h, int place)
{
    struct yk_interval same = { h->all.first, h->all.first }, extent;
    int64_t r;
    for (r = h->all.first; r < h->all.last; r++) {
        enum yk_row_state expected = row_state(row_at(h, r), place);
        enum yk_row_state got = yk_coherence_state(h->coherence, place, r, &extent);
        if (r == same.last) {
            same.first = r;
            while (same.last < h->all.last && row_state(row_at(h, same.last), place) == expected)
                same.last++;
        }
        if (got != expected)
            return model_differs("state", place, r, got, expected);
        if (extent.first != same.first)
            return model_differs("extent's first", place, r, extent.first, same.first);
        if (extent.last != same.last)
            return model_differs("extent's last", place, r, extent.last, same.last);
        if ((got == YK_SHARED || got == YK_MODIFIED) &&
            row_at(h, r)->memory[place] != row_at(h, r)->newest)
            return model_differs("version in memory of a current row", place, r,
                                 row_at(h, r)->memory[place], row_at(h, r)->newest);
    }
    return 0;
}

/* For the preferences in the history's needs: see compare_lacks. */
static int expected_source(const struct history *h, uint32_t places, int got)
{
    if (places & h->needs.nearer)
        places &= h->needs.nearer;
    else if (places & bit(YK_HOST))
        return YK_HOST;
    else if (places & h->needs.direct)
        places &= h->needs.direct;
    return got >= 0 && places & bit(got) ? got : -1;
}

static int compare_need(struct history *h, int place, int64_t r, const struct yk_copy_need *need)
{
    const struct row *row = row_at(h, r);
    uint32_t arriving = place < h->places ? row->coming[place].sources : 0;
    int lacking = !(row->places & bit(place)) && row->holding != FRESH;
    int source;
    if (!need || !lacking)
        return !!need == lacking ? 0 : model_differs("lacking", place, r, !!need, lacking);
    if (need->arriving != !!arriving)
        return model_differs("need's arriving", place, r, need->arriving, !!arriving);
    source = expected_source(h, arriving ? arriving : row->places, need->source);
    return need->source == source ? 0
                                  : model_differs("need's source", place, r, need->source, source);
}

/* needs->items[0] existed before the call. */
static int compare_needs(struct history *h, int place, struct yk_interval rows)
{
    const struct yk_copy_need *need = h->needs.items + 1, *end = h->needs.items + h->needs.count;
    int64_t r;
    if (h->needs.items[0].source != 77)
        return model_differs("earlier need", place, 0, h->needs.items[0].source, 77);
    for (r = rows.first; r < rows.last; r++) {
        int inside = need < end && need->rows.first <= r;
        if (compare_need(h, place, r, inside ? need : NULL))
            return 1;
        if (!inside || need->rows.last > r + 1)
            continue;
        if (need->rows.first >= need->rows.last || need->rows.first < rows.first)
            return model_differs("need's rows", place, r, need->rows.first, need->rows.last);
        need++;
        if (need < end && need->rows.first == r + 1 && need->source == need[-1].source &&
            need->arriving == need[-1].arriving)
            return model_differs("needs not merged", place, r, need->source, need->arriving);
    }
    return need == end ? 0 : model_differs("needs left over", place, r, end - need, 0);
}

static int compare_lacks(struct history *h, int place, struct yk_interval rows)
{
    int failed, nth = 1, before = 1;
    yoke_status status;
    yk_copy_needs_close(&h->needs);
    if (h->counts->steps % 2) { /* some nearer than the host, some not reachable directly */
        h->needs.nearer = (uint32_t)(h->counts->steps / 2) & ~bit(YK_HOST);
        h->needs.direct = (uint32_t)(h->counts->steps / 8) & ~bit(YK_HOST);
    }
    h->needs.items = yk_calloc(1, sizeof *h->needs.items);
    h->needs.items[0].source = 77;
    h->needs.count = h->needs.capacity = 1;
    do {
        yk_alloc_fail_at(h->memory == HISTORY_MEMORY_FAILS ? nth++ : 0);
        status = yk_coherence_lacks(h->coherence, place, rows, &h->needs);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        if (failed && (status != YOKE_ENOMEM || h->needs.count != before))
            return model_differs("lacks without memory", place, rows.first, h->needs.count, before);
        h->counts->allocation_failures += failed;
    } while (failed);
    if (status != YOKE_OK)
        return model_differs("status of lacks", place, rows.first, status, YOKE_OK);
    return compare_needs(h, place, rows);
}

static int compare_current(struct history *h, int place, struct yk_interval rows)
{
    int64_t r, expected = 0, got = yk_coherence_current(h->coherence, place, rows);
    for (r = rows.first; r < rows.last; r++)
        expected += !!(row_at(h, r)->places & bit(place));
    return got == expected ? 0 : model_differs("current", place, rows.first, got, expected);
}

/* For each row; also checks that the others within the reported extent are the same. */
static int compare_whereabouts(struct history *h)
{
    int64_t r;
    int p;
    for (r = h->all.first; r < h->all.last; r++) {
        const struct row *row = row_at(h, r);
        struct yk_whereabouts got;
        uint32_t arriving = 0;
        int64_t other;
        for (p = 0; p < h->places; p++) {
            struct yk_interval one = { r, r + 1 };
            int flying = yk_coherence_flying(h->coherence, p, one);
            arriving |= row->coming[p].sources ? bit(p) : 0;
            if (flying != (row->coming[p].flying > 0))
                return model_differs("flying", p, r, flying, row->coming[p].flying);
        }
        yk_coherence_whereabouts(h->coherence, r, &got);
        if (got.holders != row->places)
            return model_differs("holders", 0, r, got.holders, row->places);
        if (got.arriving != arriving)
            return model_differs("arriving", 0, r, got.arriving, arriving);
        if (got.rows.first > r || got.rows.last <= r || got.rows.first < h->all.first ||
            got.rows.last > h->all.last)
            return model_differs("rows alike", 0, r, got.rows.first, got.rows.last);
        for (other = r; other < got.rows.last; other++)
            if (row_at(h, other)->places != row->places)
                return model_differs("rows alike", 0, other, row_at(h, other)->places, row->places);
    }
    return 0;
}

int model_compare(struct history *h, struct yk_interval rows)
{
    int p;
    if (!yk_coherence_check(h->coherence))
        return model_differs("invariants", 0, 0, 0, 1);
    if (yk_coherence_version(h->coherence) != h->version)
        return model_differs("version", 0, 0, (long)yk_coherence_version(h->coherence),
                             (long)h->version);
    if (compare_whereabouts(h))
        return 1;
    for (p = 0; p <= h->places; p++) {
        int place = p < h->places ? p : UNUSED_PLACE;
        if (compare_states(h, place) || compare_lacks(h, place, rows) ||
            compare_lacks(h, place, h->all) || compare_current(h, place, rows) ||
            compare_current(h, place, h->all))
            return 1;
    }
    return 0;
}
