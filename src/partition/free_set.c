/* free_set.c - see free_set.h. */
#include "free_set.h"

#include <string.h>

#include "../base/alloc.h"

yoke_status yk_free_reserve(struct yk_free_set *set, int spans)
{
    struct yk_span *grown;
    int capacity = set->capacity ? set->capacity : 8;
    if (spans <= set->capacity)
        return YOKE_OK;
    while (capacity < spans)
        capacity *= 2;
    grown = yk_realloc(set->spans, (size_t)capacity, sizeof *grown);
    if (!grown)
        return YOKE_ENOMEM;
    set->spans = grown;
    set->capacity = capacity;
    return YOKE_OK;
}

void yk_free_close(struct yk_free_set *set)
{
    yk_free(set->spans);
    *set = (struct yk_free_set){ 0 };
}

static void erase(struct yk_free_set *set, int at)
{
    memmove(&set->spans[at], &set->spans[at + 1],
            (size_t)(set->count - at - 1) * sizeof *set->spans);
    set->count--;
}

static void insert(struct yk_free_set *set, int at, struct yk_span span)
{
    memmove(&set->spans[at + 1], &set->spans[at], (size_t)(set->count - at) * sizeof *set->spans);
    set->spans[at] = span;
    set->count++;
}

void yk_free_put(struct yk_free_set *set, struct yk_span span)
{
    int at = 0;
    if (span.first >= span.last)
        return;
    set->items += span.last - span.first;
    while (at < set->count && set->spans[at].last < span.first)
        at++;
    if (at == set->count || set->spans[at].first > span.last) {
        insert(set, at, span);
        return;
    }
    if (set->spans[at].first == span.last) {
        set->spans[at].first = span.first;
        return;
    }
    set->spans[at].last = span.last; /* it ended where this one begins */
    if (at + 1 < set->count && set->spans[at + 1].first == span.last) {
        set->spans[at].last = set->spans[at + 1].last;
        erase(set, at + 1);
    }
}

void yk_free_remove(struct yk_free_set *set, struct yk_span span)
{
    struct yk_span *found;
    int at = 0;
    while (set->spans[at].last < span.last)
        at++;
    found = &set->spans[at];
    set->items -= span.last - span.first;
    if (found->first == span.first && found->last == span.last) {
        erase(set, at);
    } else if (found->first == span.first) {
        found->first = span.last;
    } else if (found->last == span.last) {
        found->last = span.first;
    } else {
        struct yk_span above = { span.last, found->last };
        found->last = span.first;
        insert(set, at + 1, above);
    }
}

static struct yk_span meet(struct yk_span a, struct yk_span b)
{
    struct yk_span both = { a.first > b.first ? a.first : b.first,
                            a.last < b.last ? a.last : b.last };
    return both;
}

int yk_free_find(const struct yk_free_set *set, struct yk_span within, int from_high,
                 struct yk_span *out)
{
    int i;
    for (i = 0; i < set->count; i++) {
        struct yk_span both = meet(set->spans[from_high ? set->count - 1 - i : i], within);
        if (both.first < both.last) {
            *out = both;
            return 1;
        }
    }
    return 0;
}

int64_t yk_free_count(const struct yk_free_set *set, struct yk_span within)
{
    int64_t items = 0;
    int i;
    for (i = 0; i < set->count; i++) {
        struct yk_span both = meet(set->spans[i], within);
        if (both.first < both.last)
            items += both.last - both.first;
    }
    return items;
}

int yk_free_check(const struct yk_free_set *set)
{
    int64_t items = 0;
    int i;
    for (i = 0; i < set->count; i++) {
        if (set->spans[i].first >= set->spans[i].last ||
            (i && set->spans[i].first <= set->spans[i - 1].last))
            return 0;
        items += set->spans[i].last - set->spans[i].first;
    }
    return items == set->items;
}
