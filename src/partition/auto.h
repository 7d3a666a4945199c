/* auto.h - PURE. The insides of the partitioner `auto`, shared by auto.c (what a lane gets),
 * auto_plan.c (quotas), auto_region.c, auto_probe.c (the first chunks), auto_chunk.c (how large a
 * chunk is) and auto_trial.c (who slows whom).
 *
 * A device's quota says how much of what is free it should do so that all end together. Where the
 * shares of an earlier run are known and still right, each device has a region that it keeps to, in
 * the order of the devices, so that no row changes hands; as long as everyone doing its own region
 * ends nearly as early as the quotas would, quotas are ignored. Otherwise there are two fronts: the
 * cores work upwards from the low end, all others downwards from the high end.
 */
#ifndef YK_PARTITION_AUTO_H
#define YK_PARTITION_AUTO_H

#include "balance.h"
#include "partitioner.h"

struct yk_auto_device {
    struct yk_range region;
    int64_t mark;     /* from when its chunks that are out count */
    int64_t largest;  /* items of its largest chunk that ended, */
    double longest;   /* and how many ns that took */
    int64_t probed;   /* items it got as probes */
    int rests;        /* the others do more without it: */
    double gain;      /* so many times as much as all together */
    double needed_ns; /* when it was left out: its least part would take this, */
    double others_ns; /* and the others this for all that was left; 0: never left out */
};

/* auto_trial.c */
enum yk_trial_phase {
    YK_TRIAL_NONE, /* not yet */
    YK_TRIAL_BEFORE,
    YK_TRIAL_ARMED,
    YK_TRIAL_ALONE,
    YK_TRIAL_ACROSS,
    YK_TRIAL_AFTER,
    YK_TRIAL_OVER
};
struct yk_trial {
    enum yk_trial_phase phase;
    int best, working;   /* the device that works alone, and how many worked before */
    int trials;          /* that said the same */
    int64_t until;       /* armed: everybody's chunks end by then */
    int skip, samples;   /* ends of chunks of the phase that do not count, and that did */
    int64_t mark, items; /* from when on the phase counts, and how much was done by then */
    double shared; /* its speed beside others, the better of before and after, items per ns, */
    double alone;  /* alone, */
    double across; /* and alone from the other end */
};

struct yk_auto { /* with the arrays in one block */
    struct yk_auto_device *devices;
    struct yk_taker *loads;  /* for the latest quotas, in times from then */
    struct yk_taker *others; /* scratch */
    int64_t began;           /* -1: not yet */
    int planned;             /* whether there are regions was decided, */
    int regions;             /* and there are */
    int events;              /* since the latest quotas */
    int unknown;             /* devices that may take part and whose speed nobody knows */
    int unsettled;           /* those whose speed is a first guess */
    int64_t parts_until;     /* in a crowd: nothing is taken over before */
    int uneven;              /* regions end too far apart: quotas count */
    int best;                /* the device with the largest quota */
    struct yk_trial trial;
    double end_ns;     /* from the latest quotas' time on, if all keep to quotas */
    double planned_ns; /* as in yk_split_spec; 0: there is no plan */
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
/* A device that has not joined is expected in this time at the soonest: what waking takes. */
enum { YK_EXPECT_NS = 50000 };
static inline int yk_auto_is_late(const struct yk_auto *state, int64_t now)
{
    return now - state->began > YK_EXPECT_NS;
}
/* In how many ns a device that has not joined, though its speed can be told, may be expected; < 0:
 * it is not. */
int64_t yk_auto_expected_ns(const struct yk_auto *state, const struct yk_split_view *view, int d,
                            int64_t now);
/* Whose speed tells what to expect of device d: its own, else that of another GPU of its make; -1:
 * nobody's. It is only for what others may count on: chunks of d's own have to show how fast it is.
 */
int yk_auto_like(const struct yk_split_view *view, int d);
/* Quotas, and the first time whether there are regions. */
void yk_auto_plan(struct yk_auto *state, const struct yk_split_view *view, int64_t now);
/* What a chunk of device d costs beside its items, if its speed is that of `whose`, and the least
 * that it can do. */
void yk_auto_costs(const struct yk_auto *state, const struct yk_split_view *view, int d, int whose,
                   struct yk_taker *load);
/* How long the others would need for all that is free; infinite if there is nobody. */
double yk_auto_without(struct yk_auto *state, const struct yk_split_view *view, int device);
/* Time for an item, with the benefit of the doubt if its chunks were too small to fill it. */
double yk_auto_item_ns(const struct yk_auto *state, const struct yk_split_view *view, int device);

/* --- auto_region.c --- */
/* Regions by the shares that devices are known to have. Writes over `others`. */
void yk_auto_lay_out_shares(struct yk_auto *state, const struct yk_split_view *view);
/* Regions, if there are to be any: whether there are. Writes over `others`. */
int yk_auto_lay_out(struct yk_auto *state, const struct yk_split_view *view);
/* They end so far apart that taking over pays. */
int yk_auto_uneven(const struct yk_auto *state, const struct yk_split_view *view, int64_t now);
/* The device whose region would end last, other than `device`; -1 if nothing is free there. */
int yk_auto_latest(const struct yk_auto *state, const struct yk_split_view *view, int device);
int64_t yk_auto_own(const struct yk_auto *state, const struct yk_split_view *view, int device);

/* --- auto_probe.c: speeds are unknown. Writes items, piece and reason; items 0: nothing now. ---
 */
void yk_auto_probe(struct yk_auto *state, const struct yk_split_view *view, int device, int64_t now,
                   struct yk_take *out);
/* A CPU device, whose speed is known, waits for a GPU that promised much and has not ended its
 * first chunk: 1, and out->wake_ns. */
int yk_auto_trusts(const struct yk_auto *state, const struct yk_split_view *view, int device,
                   int64_t now, struct yk_take *out);

/* --- auto_chunk.c: likewise --- */
/* `items` for a CPU device, cut into pieces of at least `least` for its lanes. */
void yk_auto_lease(const struct yk_split_view *view, int device, int64_t items, int64_t least,
                   struct yk_take *out);
/* What a chain of copies and kernels goes on after its slowest stage ended: the other stages of its
 * last chunk. 0 where copies hardly count. */
double yk_auto_drain_ns(const struct yk_split_status *status);
void yk_auto_chunk(struct yk_auto *state, const struct yk_split_view *view, int device,
                   int64_t budget, struct yk_take *out);

/* --- auto_planned.c: a plan says who does what --- */
void yk_auto_follow(struct yk_auto *state, const struct yk_split_view *view, int device,
                    int64_t now, struct yk_take *out);
uint32_t yk_auto_asked(const void *state, const struct yk_split_view *view);
double yk_auto_planned_ns(const void *state);

/* --- auto_trial.c --- */
/* How much of its budget the device may have now, because of a trial. */
int64_t yk_trial_limit(struct yk_auto *state, const struct yk_split_view *view, int device,
                       int64_t now, int64_t budget);
/* A chunk of the device ended. */
void yk_trial_observe(struct yk_auto *state, const struct yk_split_view *view, int device,
                      int64_t ended);
/* No trial any more, and nobody rests. */
void yk_trial_end(struct yk_auto *state, const struct yk_split_view *view);

#endif
