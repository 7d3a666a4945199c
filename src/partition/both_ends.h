/* both_ends.h - PURE. A range worked on from both ends, shared by `dynamic` and `guided`. The first
 * CPU device takes from the low end, all others from the high end. */
#ifndef YK_PARTITION_BOTH_ENDS_H
#define YK_PARTITION_BOTH_ENDS_H

#include "partitioner.h"

struct yk_ends {
    const struct yk_split_view *view;
    int low;       /* the device that works upwards */
    int64_t lanes; /* of all devices */
};

struct yk_ends yk_ends_of(const struct yk_split_view *view);
/* Takes `chunk` items for a lane of a GPU. A CPU device gets a chunk for each of its lanes at once,
 * which they take one by one, if that leaves enough for other devices. If chunks are so short that
 * requests would cost too much, it gets several per lane. */
void yk_ends_take(const struct yk_ends *ends, int device, int64_t chunk, struct yk_take *out);
/* Writes why a device did nothing; "" if it did something. */
void yk_ends_explain(const struct yk_split_view *view, int device, char *text, size_t size);

#endif
