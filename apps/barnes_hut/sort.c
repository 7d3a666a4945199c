/* sort.c - radix sort from the lowest digit of 8 bits to the highest, each in two passes over the
 * items: count each value in each block, then move every item to its place. A digit that is equal
 * in all keys is skipped.
 *
 * The cost does not depend on the distribution of the keys. The keys of a star cluster are badly
 * distributed: most have the same first digits.
 */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "../cores.h"
#include "../memory.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64 };

yoke_status sort_open(int64_t count, int64_t blocks, struct sort *out)
{
    yoke_status status;
    *out = (struct sort){ .count = count, .blocks = blocks };
    status = app_alloc("keys", count, sizeof *out->items, (void **)&out->items);
    if (status == YOKE_OK)
        status = app_alloc("sorted keys", count, sizeof *out->spare, (void **)&out->spare);
    if (status == YOKE_OK)
        status = app_alloc("counts of digits", blocks, sizeof *out->at, (void **)&out->at);
    if (status != YOKE_OK)
        sort_close(out);
    return status;
}

void sort_close(struct sort *sort)
{
    free(sort->items);
    free(sort->spare);
    free(sort->at);
    *sort = (struct sort){ 0 };
}

static unsigned digit(const struct sort *sort, int64_t i)
{
    return sort->items[i].key >> sort->shift & (DIGITS - 1);
}

static void count_block(void *context, int64_t block)
{
    const struct sort *sort = context;
    const struct cores_span span = cores_span(sort->count, sort->blocks, block);
    int32_t counts[DIGITS] = { 0 };
    int64_t i;
    for (i = span.first; i < span.last; i++)
        counts[digit(sort, i)]++;
    memcpy(sort->at[block], counts, sizeof counts);
}

static void place_block(void *context, int64_t block)
{
    const struct sort *sort = context;
    const struct cores_span span = cores_span(sort->count, sort->blocks, block);
    int32_t at[DIGITS];
    int64_t i;
    memcpy(at, sort->at[block], sizeof at);
    for (i = span.first; i < span.last; i++)
        sort->spare[at[digit(sort, i)]++] = sort->items[i];
}

/* Turns the counts of a digit's values into the positions of their first items. Returns 0 if all
 * items have the same value. */
static int counts_to_places(struct sort *sort)
{
    int32_t at = 0;
    int64_t b;
    int d, same = 0;
    for (d = 0; d < DIGITS; d++) {
        const int32_t before = at;
        for (b = 0; b < sort->blocks; b++) {
            const int32_t count = sort->at[b][d];
            sort->at[b][d] = at;
            at += count;
        }
        same |= at - before == sort->count;
    }
    return !same;
}

yoke_status sort_run(struct sort *sort, yoke_runtime *cores)
{
    const struct cores_work count = { "count digits", count_block, sort, sort->blocks };
    const struct cores_work place = { "place keys", place_block, sort, sort->blocks };
    yoke_status status = YOKE_OK;
    for (sort->shift = 0; sort->shift < KEY_BITS && status == YOKE_OK; sort->shift += DIGIT_BITS) {
        struct sort_item *other = sort->spare;
        status = cores_run(cores, &count);
        if (status != YOKE_OK || !counts_to_places(sort))
            continue;
        status = cores_run(cores, &place);
        sort->spare = sort->items;
        sort->items = other;
    }
    return status;
}
