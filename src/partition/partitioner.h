/* partitioner.h - PURE. One partitioner = one file = one table; the file has the name that the user
 * types. */
#ifndef YK_PARTITION_PARTITIONER_H
#define YK_PARTITION_PARTITIONER_H

#include "../base/option.h"
#include "dispatch.h"
#include "ranges.h"

/* What a partitioner may read; kept by the dispatcher, read-only here. */
struct yk_split_status {
    struct yk_split_device known; /* as given, with the present `limit` */
    int joined;                   /* 1: its kernel is ready */
    int active;                   /* 1: it may still get chunks (not failed, left or dropped) */
    int64_t items_done, items_out, chunks_done, chunks_out;
    double given_back; /* it has given chunks back, with as many items' work; 0: none */
    int64_t copied_bytes;
    int64_t busy_ns;   /* time during which chunks were out, up to the device's latest event */
    double rate;       /* measured in this job, items per busy ns; 0: no chunk is done yet */
    double item_ns;    /* time that an item adds to a chunk, from this job and earlier knowledge;
                        * 0: unknown */
    double fixed_ns;   /* overhead of a chunk, from the same sources */
    double dearest_ns; /* time per item of its most expensive chunk of this job, without chunks too
                        * short to tell; 0: none */
};
struct yk_split_view {
    int64_t first, last, unit;
    const struct yk_ranges *free; /* items not handed out */
    int64_t free_items;           /* number of these */
    struct yk_adjust adjust;      /* notes about the known shares */
    double late;                  /* as in yk_split_spec */
    int planned;                  /* as in yk_split_spec */
    double planned_ns;
    double awaits_ns; /* as in yk_split_spec */
    int settles;      /* as in yk_split_spec */
    int crowded; /* 1: other jobs run beside this one, so a late device may be busy with them */
    int device_count;
    const struct yk_split_status *devices;
};

/* Returns 1 if the device may get chunks: one that gave a chunk back gets no more, as long as
 * others work. */
static inline int yk_split_serves(const struct yk_split_status *status)
{
    return status->active && !(status->given_back > 0);
}

/* yk_bound_below: the largest allowed bound <= at. yk_bound_above: the smallest one > at.
 * yk_bound_nearest: the nearest one to first + items. */
static inline int64_t yk_bound_below(const struct yk_split_view *view, int64_t at)
{
    return at >= view->last ? view->last : at - (at - view->first) % view->unit;
}
static inline int64_t yk_bound_nearest(const struct yk_split_view *view, int64_t first,
                                       double items)
{
    return yk_bound_below(view, first + (int64_t)(items + (double)view->unit / 2));
}
static inline int64_t yk_bound_above(const struct yk_split_view *view, int64_t at)
{
    int64_t below = yk_bound_below(view, at);
    return view->last - below <= view->unit ? view->last : below + view->unit;
}

/* The fewest items that a lane of the device should get: fewer take it just as long. */
static inline int64_t yk_lane_items(const struct yk_split_view *view, int device)
{
    int64_t fill = view->devices[device].known.lane_fill;
    return fill > view->unit ? (fill - 1) / view->unit * view->unit + view->unit : view->unit;
}

/* Cores get at least as much work at once as lasts this long, in ns: a request takes some 100 ns,
 * during which other cores wait. */
#define YK_PIECE_NS 20000.0
/* A lease of a CPU has YK_LANE_PIECES pieces per lane, if it has enough items, and a lane takes 1 /
 * YK_LANE_PARTS of its remaining pieces at a time (lease.h). So no lane is left with many expensive
 * items, nor with many items on a core that another program uses. */
enum { YK_LANE_PIECES = 32, YK_LANE_PARTS = 6 };
/* For yk_take.parts: pieces are taken one by one. */
enum { YK_ONE_BY_ONE = 1 << 30 };

/* What a lane gets: up to `items` free items of [first, last), from the first free interval at its
 * low or high end. The dispatcher rounds to units and applies the device's limit; if nothing is
 * free inside, it looks in the whole range. items 0: nothing for this lane now. */
struct yk_take {
    int64_t items, piece; /* piece 0: not to be cut */
    int parts;            /* as in yk_chunk */
    int64_t first, last;  /* 0, 0: anywhere */
    int from_high;
    int beside; /* 1: the lane works on them only while beside_lane of beside_device has a chunk out
                 * (yk_chunk.beside); it gets nothing if that lane has none */
    int beside_device, beside_lane;
    int64_t wake_ns;    /* with items 0: time to ask again; 0: at the next event */
    const char *reason; /* a static string */
};

/* Whether threads that drive a GPU count as lanes of the CPU (yk_split_device.hosts): as many for
 * each GPU as the option `streams` says. If such a thread got nothing as a CPU lane, it asks again
 * after its GPU lane has asked. */
enum yk_hosts {
    YK_HOSTS_NONE, /* they do not count */
    YK_HOSTS_IDLE, /* they count, but do nothing while their GPU works, so the CPU may have more
                    * lanes than cores */
    YK_HOSTS_WORK  /* they count and get chunks beside the GPU's chunks */
};

struct yk_partitioner {
    const char *name, *summary;
    const struct yk_option *options; /* keys after the name; NULL if none */
    size_t settings_bytes;
    enum yk_hosts hosts;
    /* 1: splits by the lessons of earlier jobs. Until enough is known, `auto` splits the jobs and
     * so teaches it. */
    int needs_lessons;
    int takes_lines; /* 1: can begin with lines that were measured with each device alone */
    /* Returns the rule by which its shares are adjusted after each job (optional). */
    const struct yk_adjust_rule *(*adjusts)(const void *settings);
    /* `view` and `settings` (filled from options) must outlive the state: it keeps a pointer to the
     * view, which the other functions read. */
    yoke_status (*open)(const struct yk_split_view *view, const void *settings, void **state);
    /* Resets a finished state for a job with as many devices and the same settings (optional). */
    void (*reopen)(void *state, const struct yk_split_view *view);
    void (*close)(void *state);
    /* Decides what a lane gets. The caller zeroes *out. */
    void (*take)(void *state, const struct yk_request *request, struct yk_take *out);
    /* A chunk of the device ended (optional). */
    void (*observe)(void *state, int device, const struct yk_chunk_times *times);
    /* Returns 1 if a chunk should be given back, as yk_dispatch_gives_back; or may be, as
     * yk_dispatch_may_give_back (optional: never). */
    int (*gives_back)(const void *state, const struct yk_chunk *chunk, double left_ns);
    int (*may_give_back)(const void *state, const struct yk_chunk *chunk);
    /* A device joined, left, failed or gave a chunk back (optional). */
    void (*changed)(void *state, int device);
    /* Writes a sentence for the result to `text`: why this device got its part (optional). */
    void (*explain)(const void *state, int device, char *text, size_t size);
    /* Returns 1 if nothing is left of the device's own part, so that it gets more only if another
     * device fails or is late (optional; default: 1 if no item is free). */
    int (*served)(const void *state, int device);
    /* Returns the predicted time of the job from its submission, in ns; 0: unknown (optional). */
    double (*predicted_ns)(const void *state);
    /* Returns the devices that get items even if none fails, as bits (optional; default: all). The
     * others need not be woken: one of them joins late if it must step in for a failed device. */
    uint32_t (*asked)(const void *state);
};

extern const struct yk_partitioner yk_partitioner_auto, yk_partitioner_alone, yk_partitioner_even,
    yk_partitioner_static, yk_partitioner_dynamic, yk_partitioner_guided, yk_partitioner_nc_ht,
    yk_partitioner_c_ht, yk_partitioner_demand, yk_partitioner_weight, yk_partitioner_linear,
    yk_partitioner_trained;
/* All partitioners, NULL-terminated, `auto` first. */
extern const struct yk_partitioner *const yk_partitioners[];
/* Finds a partitioner by "name[:settings]". NULL: there is none (the error lists all names). */
const struct yk_partitioner *yk_partitioner_find(const char *text);
/* Returns 1 if this partitioner splits by lessons (yk_partitioner.needs_lessons). */
int yk_partitioner_needs_lessons(const char *text);
/* Returns 1 if it can begin with lines of devices alone (yk_partitioner.takes_lines). */
int yk_partitioner_takes_lines(const char *text);
/* Fills settings from defaults, then the environment, then the text "name[:settings]". */
yoke_status yk_partitioner_read(const struct yk_partitioner *partitioner, const char *text,
                                void *settings);
/* Number of lanes of each GPU whose threads count as lanes of the CPU; 0 for YK_HOSTS_NONE.
 * YOKE_EINVAL if there is no such partitioner, or it has no such setting. */
yoke_status yk_partitioner_streams(const char *text, int64_t *streams);

#endif
