/* narrow_choice.c - see narrow_choice.h. Chunks of a job differ only in their first dimension, so
 * the result for one chunk often answers for the next.
 */
#include "narrow_choice.h"

#include <string.h>

static struct yk_bounds indexes_of(const struct yk_space *space, int dimension)
{
    const int64_t first = space->along[dimension].first, last = space->along[dimension].last;
    return (struct yk_bounds){ first, last > first ? last - 1 : first };
}

static void read_value(const struct yk_kernel_param *param, const void *value, int64_t *out)
{
    int32_t narrow;
    if (param->size == sizeof *out) {
        memcpy(out, value, sizeof *out);
    } else {
        memcpy(&narrow, value, sizeof narrow);
        *out = narrow;
    }
}

static void take_place(const struct yk_narrow_choice *choice, const struct yk_kernel_shape *shape,
                       const struct yk_launch *launch, struct yk_bounds_place *out)
{
    const struct yk_space space = yk_space_of(launch);
    uint32_t values = choice->is.bounds.values;
    memset(out, 0, sizeof *out);
    for (int d = 0; d < 3; d++)
        out->index[d] = indexes_of(&space, d);
    out->size[0] = space.size2;
    out->size[1] = space.size3;
    for (int p = 0; values; p++, values >>= 1)
        if (values & 1)
            read_value(&shape->params[p], launch->args[p].value, &out->value[p]);
}

/* Whether the indexes of launch b contain those of launch a. */
static int has_within(const struct yk_bounds_place *a, const struct yk_bounds_place *b)
{
    return a->index[0].low >= b->index[0].low && a->index[0].high <= b->index[0].high;
}

static int is_alike(const struct yk_bounds_place *a, const struct yk_bounds_place *b)
{
    const size_t first = offsetof(struct yk_bounds_place, index) + sizeof a->index[0];
    return memcmp((const char *)a + first, (const char *)b + first, sizeof *a - first) == 0;
}

static int try_place(struct yk_narrow_choice *choice, const struct yk_bounds_place *place)
{
    const int holds = yk_bounds_hold(&choice->is.bounds, place);
    choice->last = *place;
    choice->known = holds ? YK_NARROW_HOLDS : YK_NARROW_FAILS;
    return holds;
}

int yk_narrow_choose(struct yk_narrow_choice *choice, const struct yk_kernel_shape *shape,
                     const struct yk_launch *launch)
{
    struct yk_bounds_place place;
    if (!choice->is.text)
        return 0;
    take_place(choice, shape, launch, &place);
    if (choice->known == YK_NARROW_UNKNOWN || !is_alike(&place, &choice->last))
        return try_place(choice, &place);
    if (choice->known == YK_NARROW_HOLDS && has_within(&place, &choice->last))
        return 1;
    if (choice->known == YK_NARROW_FAILS && has_within(&choice->last, &place))
        return 0;
    if (choice->known == YK_NARROW_HOLDS) { /* extend the known range, soon to the whole job */
        struct yk_bounds_place both = place;
        if (choice->last.index[0].low < both.index[0].low)
            both.index[0].low = choice->last.index[0].low;
        if (choice->last.index[0].high > both.index[0].high)
            both.index[0].high = choice->last.index[0].high;
        if (try_place(choice, &both))
            return 1;
    }
    return try_place(choice, &place);
}
