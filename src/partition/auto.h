/* auto.h - PURE. The insides of the partitioner `auto`, shared by auto.c (what a lane gets),
 * auto_plan.c (regions and quotas) and auto_chunk.c (how large a chunk is).
 *
 * A device's quota says how much of what is free it should do so that all end together; its region
 * says where. Regions lie in the order of the devices and stay; quotas follow the speeds. As long
 * as everyone doing its own region ends nearly as early as the quotas would, quotas are ignored and
 * no row changes hands.
 */
#ifndef YK_PARTITION_AUTO_H
#define YK_PARTITION_AUTO_H

#include "balance.h"
#include "partitioner.h"

struct yk_auto_device {
    struct yk_range region;
    int64_t mark;     /* from when its chunks that are out count */
    int64_t largest;  /* items of its largest chunk that ended */
    int64_t probed;   /* items it got as probes */
    double item_ns;   /* as it was when the regions were laid out; 0: unknown */
    double needed_ns; /* when it was left out: its least part would take this, */
    double others_ns; /* and the others this for all that was left; 0: never left out */
};

struct yk_auto {
    struct yk_auto_device *devices;
    struct yk_load *loads;  /* for the latest quotas, in times from then */
    struct yk_load *others; /* scratch */
    double *weights;        /* scratch */
    int64_t began;          /* -1: not yet */
    int devices_here;
    int stale;     /* regions have to be laid out anew */
    int events;    /* since the latest quotas */
    int unknown;   /* devices that may take part and whose speed nobody knows */
    int unsettled; /* those whose speed is a first guess */
    int uneven;    /* regions end too far apart: quotas count */
    int best;      /* the device with the largest quota */
    double end_ns; /* from the latest quotas' time on, if all keep to quotas */
};

/* --- auto_plan.c --- */
/* Quotas, and first the regions if they are stale. */
void yk_auto_plan(struct yk_auto *state, const struct yk_split_view *view, int64_t now);
/* How long the others would need for all that is free; infinite if there is nobody. */
double yk_auto_without(struct yk_auto *state, const struct yk_split_view *view, int device);
/* The device whose region would end last, other than `device`; -1 if nothing is free there. */
int yk_auto_latest(const struct yk_auto *state, const struct yk_split_view *view, int device);
int64_t yk_auto_own(const struct yk_auto *state, const struct yk_split_view *view, int device);
/* Time for an item, with the benefit of the doubt if its chunks were too small to fill it. */
double yk_auto_item_ns(const struct yk_auto *state, const struct yk_split_view *view, int device);

/* --- auto_chunk.c --- */
/* Both write items, piece and reason; items 0: nothing now. */
void yk_auto_probe(struct yk_auto *state, const struct yk_split_view *view, int device, int64_t now,
                   struct yk_take *out);
void yk_auto_chunk(struct yk_auto *state, const struct yk_split_view *view, int device,
                   int64_t budget, struct yk_take *out);

#endif
