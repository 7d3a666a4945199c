/* derive.c - the table of methods, the selection of their input, and the paper's method. See
 * derive.h. */
#include "derive.h"

#include <math.h>
#include <string.h>

static void keep_nearest(const struct yk_derive_from *from, struct yk_lesson *out)
{
    (void)from;
    (void)out; /* `out` has it already */
}

const struct yk_derivation yk_derive_nearest = {
    .name = "nearest",
    .summary = "the lesson of the nearest sizes, unchanged",
    .derive = keep_nearest,
};

const struct yk_derivation *const yk_derivations[] = { &yk_derive_model, &yk_derive_nearest, NULL };

const struct yk_derivation *yk_derivation_find(const char *name)
{
    for (int i = 0; yk_derivations[i]; i++)
        if (!strcmp(yk_derivations[i]->name, name))
            return yk_derivations[i];
    return NULL;
}

static int tells_a_speed(const struct yk_lesson *lesson)
{
    for (int d = 0; d < lesson->device_count; d++)
        if (lesson->devices[d].rate > 0 || lesson->devices[d].line.item_ns > 0)
            return 1;
    return 0;
}

static const struct yk_lesson_device *device_of(const struct yk_lesson *lesson, const char *name)
{
    for (int d = 0; d < lesson->device_count; d++)
        if (!strcmp(lesson->devices[d].name, name))
            return &lesson->devices[d];
    return NULL;
}

/* Whether both have the same devices, in any order, and each device has the same kernel in both:
 * another kernel has another speed. */
static int same_devices(const struct yk_lesson *a, const struct yk_lesson *b)
{
    for (int d = 0; d < a->device_count; d++) {
        const struct yk_lesson_device *other = device_of(b, a->devices[d].name);
        if (!other || other->form != a->devices[d].form)
            return 0;
    }
    return a->device_count == b->device_count;
}

/* Inserts the lesson by distance; the list stays in order. */
static void take(struct yk_derive_from *from, double distances[YK_DERIVE_MOST],
                 const struct yk_lesson *lesson)
{
    double distance = yk_sizes_distance(from->sizes, &lesson->sizes);
    int at = from->count;
    if (at == YK_DERIVE_MOST && distances[at - 1] <= distance)
        return;
    if (at == YK_DERIVE_MOST)
        at--;
    else
        from->count++;
    for (; at > 0 && distances[at - 1] > distance; at--) {
        distances[at] = distances[at - 1];
        from->known[at] = from->known[at - 1];
    }
    distances[at] = distance;
    from->known[at] = lesson;
}

static void choose(struct yk_derive_from *from, const struct yk_lesson_list *known, int derived)
{
    double distances[YK_DERIVE_MOST];
    from->count = 0;
    for (int i = 0; i < known->count; i++) {
        const struct yk_lesson *lesson = &known->at[i];
        if (!yk_lesson_wrong(lesson) && (lesson->origin == YK_ORIGIN_DERIVED) == derived &&
            lesson->sizes.count == from->sizes->count && tells_a_speed(lesson))
            take(from, distances, lesson);
    }
    int kept = 0;
    for (int i = 0; i < from->count; i++)
        if (same_devices(from->known[i], from->known[0]))
            from->known[kept++] = from->known[i];
    from->count = kept;
}

static int are_sizes(const struct yk_sizes *sizes)
{
    if (sizes->count < 1 || sizes->count > YK_SIZES_MAX)
        return 0;
    for (int i = 0; i < sizes->count; i++)
        if (!(sizes->at[i] >= 0 && sizes->at[i] < INFINITY))
            return 0;
    return 1;
}

int yk_derive(const struct yk_derivation *how, const struct yk_sizes *sizes,
              const struct yk_lesson_list *known, struct yk_lesson *out)
{
    struct yk_derive_from from = { .sizes = sizes };
    if (!are_sizes(sizes))
        return 0;
    choose(&from, known, 0);
    if (from.count == 0)
        choose(&from, known, 1);
    if (from.count == 0)
        return 0;
    *out = *from.known[0];
    out->sizes = *sizes;
    out->origin = YK_ORIGIN_DERIVED;
    out->confirmed = out->seen = 0;
    out->ns = 0;
    for (int d = 0; d < out->device_count; d++)
        out->devices[d].steady = 0;
    how->derive(&from, out);
    return 1;
}
