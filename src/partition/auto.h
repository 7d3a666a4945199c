/* auto.h - PURE. The internals of the partitioner `auto`, shared by auto.c (what a lane gets),
 * auto_plan.c (quotas), auto_region.c, auto_probe.c (the first chunks), auto_chunk.c (the size of a
 * chunk) and auto_planned.c.
 *
 * A device's quota is its part of the free items such that all devices end together. If the
 * shares of an earlier run are known and still right, each device has a region that it keeps to, in
 * the order of the devices, so that no row changes devices. Quotas are ignored as long as the
 * regions end nearly as early as the quotas would. Otherwise there are two fronts: the cores work
 * upwards from the low end, all others downwards from the high end.
 */
#ifndef YK_PARTITION_AUTO_H
#define YK_PARTITION_AUTO_H

#include "balance.h"
#include "partitioner.h"

struct yk_auto_device {
    struct yk_interval region;
    int64_t mark;     /* time from which its chunks that are out count */
    int64_t largest;  /* items of its largest finished chunk, ... */
    double longest;   /* ... and the ns that it took */
    double dear_ns;   /* time of the loop's most expensive items, by earlier jobs; 0: unknown */
    int64_t probed;   /* items it got as probes */
    double needed_ns; /* when it was left out: ns for its smallest part, ... */
    double others_ns; /* ... and ns of the others for all that was left; 0: never left out */
};

struct yk_auto { /* one block with its arrays */
    const struct yk_split_view *view;
    struct yk_auto_device *devices;
    struct yk_taker *loads;  /* for the latest quotas, in times relative to them */
    struct yk_taker *others; /* scratch */
    int64_t began;           /* -1: not yet */
    int planned;             /* it was decided whether there are regions */
    int regions;             /* there are regions */
    int events;              /* since the latest quotas */
    int unknown;             /* devices that may take part and whose speed is unknown */
    int unsettled;           /* devices whose speed is a first guess */
    int64_t parts_until;     /* in a crowd: nothing is taken over before this time */
    int uneven;              /* regions end too far apart: use quotas */
    int best;                /* the device with the largest quota */
    double end_ns;           /* ns from the latest quotas until the end, if all devices keep to
                              * their quotas */
    double planned_ns;       /* as in yk_split_spec; 0: there is no plan */
};

static inline int64_t yk_at_least(int64_t items, int64_t least)
{
    return items > least ? items : least;
}
static inline int64_t yk_at_most(int64_t items, int64_t most)
{
    return items < most ? items : most;
}

/* --- auto_plan.c --- */
/* A device that has not joined is expected after two wake-ups at the earliest: one of its thread,
 * and one while its first chunk is prepared. */
enum { YK_EXPECT_NS = 2 * YK_WAKE_NS };
static inline int yk_auto_is_late(const struct yk_auto *state, int64_t now)
{
    return now - state->began > YK_EXPECT_NS;
}
/* The device whose speed predicts device d: d itself, else another GPU of its make; -1: none. Only
 * for planning what others do: d's own chunks must show how fast it is. */
int yk_auto_like(const struct yk_split_view *view, int d);
/* ns until device d, which has not joined but whose speed is known, is expected; < 0: it is not.
 *
 * The device had not joined when the job began. Its thread has to wake up first, which can take
 * milliseconds if all cores are busy. A device that asks earlier must not take all items. The best
 * guess is that a device that is late by t joins within another t. So what is kept for it shrinks
 * with time, and the others do not wait for a device that would join too late to help. */
static inline int64_t yk_auto_expected_ns(const struct yk_auto *state, int d, int64_t now)
{
    const struct yk_split_status *status = &state->view->devices[d];
    if (status->joined || !status->active || status->known.host_memory ||
        yk_auto_like(state->view, d) < 0)
        return -1;
    return yk_at_least(now - state->began, YK_EXPECT_NS);
}
/* Computes quotas, and in the first call decides whether there are regions. */
void yk_auto_plan(struct yk_auto *state, int64_t now);
/* The fixed cost of a chunk of device d and its smallest part, by the speed of device `whose`. */
void yk_auto_costs(const struct yk_auto *state, int d, int whose, struct yk_taker *load);
/* ns that the others would need for all free items; infinite if there is no other device. */
double yk_auto_without(struct yk_auto *state, int device);
/* ns per item of a chunk that fills it; lower than measured if its chunks were too small for that.
 */
double yk_auto_item_ns(const struct yk_auto *state, int device);

/* --- auto_region.c --- */
/* Regions by the known shares of the devices. Overwrites `others`. */
void yk_auto_lay_out_shares(struct yk_auto *state);
/* Decides whether there are regions, and lays them out. Overwrites `others`. */
int yk_auto_lay_out(struct yk_auto *state);
/* Regions end so far apart that taking over pays. */
int yk_auto_uneven(const struct yk_auto *state, int64_t now);
/* The device other than `device` whose region would end last; -1 if no region has free items. */
int yk_auto_latest(const struct yk_auto *state, int device);
int64_t yk_auto_own(const struct yk_auto *state, int device);

/* --- auto_probe.c: speeds are unknown. Writes items, piece and reason; items 0: nothing now. ---
 */
void yk_auto_probe(struct yk_auto *state, const struct yk_request *request, struct yk_take *out);
/* The device is the CPU, its speed is known, and it waits for a GPU that promises much and has not
 * ended its first chunk: returns 1 and sets out->wake_ns. */
int yk_auto_trusts(const struct yk_auto *state, const struct yk_request *request,
                   struct yk_take *out);

/* --- auto_chunk.c: speeds are known. Writes the same fields. --- */
/* Cores take all but 1 / YK_LEFT_PART of their items first. Those that are done first do the rest:
 * otherwise they would wait for a core that began late. */
enum { YK_LEFT_PART = 4 };
/* The chunks that a device has at the same time are at most 1 / YK_HELD_PART of what is left, so
 * that the rest can correct a wrong speed. */
enum { YK_HELD_PART = 2 };
/* Items that a lane of a CPU device should do at once, at most `most`: as many as make asking for
 * them cheap. item_ns: time of an item on the whole device. */
int64_t yk_auto_piece(const struct yk_split_view *view, int device, double item_ns, int64_t most);
/* Cuts the items that a CPU device takes into pieces of at least `least` for its lanes. */
void yk_auto_lease(const struct yk_split_view *view, int device, int64_t least,
                   struct yk_take *out);
/* Chunks become as small as a chain of copies and kernels needs, and it matters where a GPU's rows
 * are, only if copies take at least this part of an item's time. Hiding shorter copies gains less
 * time than kernels lose that do not fill the device; they only bound a chunk of known speed. */
#define YK_COPIES_COUNT 0.3
/* How long a chain of copies and kernels continues after its slowest stage ended: the time of the
 * other stages of its last chunk. 0 if copies hardly count. */
double yk_auto_drain_ns(const struct yk_split_view *view, const struct yk_split_status *status);
/* `budget`: the items that the device may still do. */
void yk_auto_chunk(struct yk_auto *state, int device, int64_t budget, struct yk_take *out);

/* --- auto_planned.c: a plan gives the rows of each device --- */
void yk_auto_follow(struct yk_auto *state, const struct yk_request *request, struct yk_take *out);
double yk_auto_planned_ns(const void *state);
/* Also without a plan: an idle device would have done the whole chunk, with its rows fetched. */
int yk_auto_gives_back(const void *state, const struct yk_chunk *chunk, double left_ns);
int yk_auto_may_give_back(const void *state, const struct yk_chunk *chunk);
/* 1: the device has all that the plan, its region or, if its speed is known, its quota gives it. */
int yk_auto_served(const void *state, int device);

#endif
