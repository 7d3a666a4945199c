/* partitioner.h - PURE. One partitioner = one file = one table; the name of the file is the name
 * the user types.
 */
#ifndef YK_PARTITION_PARTITIONER_H
#define YK_PARTITION_PARTITIONER_H

#include "../base/option.h"
#include "dispatch.h"
#include "free_set.h"

/* What a partitioner may look at; kept by the dispatcher, read-only here. */
struct yk_split_status {
    struct yk_split_device known; /* as given, `limit` as it is now */
    int joined;                   /* kernel ready */
    int active;                   /* may still get chunks (not failed, left or dropped) */
    int64_t items_done, items_out, chunks_done, chunks_out;
    int64_t busy_ns; /* union of the times when chunks were out, up to the latest event */
    double rate;     /* measured in this job, items per busy ns; 0 before the first done */
};
struct yk_split_view {
    int64_t first, last, unit;
    const struct yk_free_set *free; /* which items nobody has */
    int64_t free_items;             /* not handed out */
    int device_count;
    const struct yk_split_status *devices;
};

/* Up to `items` free items of [first, last), from its low or its high end, whichever free interval
 * comes first there; the dispatcher rounds to units, applies the device's limit, and where nothing
 * is free inside looks in the whole range. items 0: nothing for this lane now. */
struct yk_take {
    int64_t items, piece; /* piece 0: not to be cut */
    int64_t first, last;  /* 0, 0: anywhere */
    int from_high;
    int64_t wake_ns;    /* with items 0: ask again by then; 0: at the next event */
    const char *reason; /* static */
};

struct yk_partitioner {
    const char *name, *summary;
    const struct yk_option *options; /* keys after the name; NULL if none */
    size_t settings_bytes;
    /* `settings` (filled from options) outlives the state. */
    yoke_status (*open)(const struct yk_split_view *view, const void *settings, void **state);
    void (*close)(void *state);
    void (*take)(void *state, const struct yk_split_view *view, int device, int lane, int64_t now,
                 struct yk_take *out);
    /* A chunk of `items` ended (optional). */
    void (*observe)(void *state, const struct yk_split_view *view, int device, int64_t items,
                    const struct yk_chunk_times *times);
    /* A device joined, left or failed (optional). */
    void (*changed)(void *state, const struct yk_split_view *view, int device);
    /* Sentence for the result (optional): why this device got what it got; written to text. */
    void (*explain)(const void *state, const struct yk_split_view *view, int device, char *text,
                    size_t size);
};

/* All there are, NULL-terminated, `auto` first. */
extern const struct yk_partitioner *const yk_partitioners[];
/* By "name[:settings]"; NULL if there is none (text set: the names there are). */
const struct yk_partitioner *yk_partitioner_find(const char *text);

#endif
