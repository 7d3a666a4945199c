/* simulate.h - PURE. Predicts a loop's time on a machine that does not need to exist.
 *
 * The real dispatcher and partitioners hand out chunks here, on a virtual clock. The time of a
 * chunk comes from the machine's description and the loop's cost profile; nothing is computed. (The
 * sim backend is the other simulation: it runs the whole runtime, with copies and kernels whose
 * results are real, for tens of devices. Here there are no arrays and no results, but threads that
 * share cores, host threads that wait in different ways, and thousands of devices.)
 *
 * Device 0 is the CPU, device 1 + g the machine's GPU g. The same spec gives the same result, to
 * the last bit.
 */
#ifndef YK_SIMULATOR_SIMULATE_H
#define YK_SIMULATOR_SIMULATE_H

#include "../machine/machine.h"
#include "../partition/dispatch.h"
#include "../partition/learned.h"
#include "../partition/team.h"
#include "profile.h"

enum yk_simulate_waiting {                    /* of host threads; the order of yoke_waiting */
                           YK_SIMULATE_AUTO,  /* spin if a chunk is too short for a sleep to pay;
                                               * otherwise block */
                           YK_SIMULATE_SPIN,  /* holds the core; the end is noticed a poll later */
                           YK_SIMULATE_YIELD, /* runs when a core is free; otherwise the end is
                                               * noticed when it gets one */
                           YK_SIMULATE_BLOCK  /* leaves the core free; the end is noticed a wake and
                                               * a switch later */
};

enum yk_simulate_kind {
    YK_SIMULATE_CHUNK, /* a lane computed */
    YK_SIMULATE_COPY_IN,
    YK_SIMULATE_COPY_OUT,
    YK_SIMULATE_DONE, /* these items are done; start and end are the same */
    YK_SIMULATE_LOST  /* all_or_nothing: the device failed, and all that it did is lost */
};
struct yk_simulate_span {
    enum yk_simulate_kind kind;
    int device, lane;
    int64_t start_ns, end_ns, first, last, bytes;
    const char *reason; /* of the chunk; static */
};

struct yk_simulate_spec {
    const struct yk_machine *machine;
    const struct yk_profile *profile; /* also has the number of items */
    int64_t first;                    /* the range's first item */
    int64_t unit;                     /* 0: 1 */
    int all_or_nothing;               /* as in yk_split_spec */
    const char *partitioner;          /* NULL: auto, which is also used if `learned` tells too
                                       * little for it */
    int64_t threads; /* number of CPU lanes. 0: one per core, and one more for each thread that
                      * drives a GPU, does nothing else meanwhile (nc-ht) and sleeps */
    enum yk_simulate_waiting waiting;
    double core_seconds;              /* of an average item on a core; 0: by the machine's rate */
    double bytes_in, bytes_out;       /* of an item */
    const struct yk_learned *learned; /* one per device, or NULL */
    const struct yk_adjust *adjust;   /* what earlier jobs taught about shares; NULL: nothing */
    struct yk_late late;              /* how late such jobs were so far; zero: unknown */
    const struct yk_team *team;       /* decides by what it knows which devices are asked to take
                                       * part; NULL: all */
    void (*span)(void *context, const struct yk_simulate_span *span); /* or NULL */
    /* Makes what is known of a device beforehand wrong or less; or NULL. */
    void (*know)(void *context, int device, struct yk_split_device *known);
    void *context;
    int alone;           /* d + 1: only device d works; 0: all */
    int without;         /* d + 1: all but device d work; 0: all */
    int64_t most_events; /* the run is given up after this many; 0: 10^10 */
};

enum { yk_simulate_reason_max = 224 };

struct yk_simulate_device {
    const char *name; /* of the machine; "cpu" */
    int lanes;
    int64_t items, chunks;
    double busy_seconds;
    struct yk_learned learned;
    char reason[yk_simulate_reason_max];
};

struct yk_simulate_result {
    double seconds;       /* until the last item was done */
    double ideal_seconds; /* see yk_machine_ideal */
    struct yk_simulate_device *devices;
    int device_count;
    struct yk_adjust adjust;
    struct yk_late late;
    struct yk_team team; /* the team after this run; empty if there was none */
    int64_t threads, chunks;
    double core_seconds; /* useful work, summed over the cores */
    double spin_seconds; /* time of spinning threads, summed over the cores */
    double lost_seconds; /* everything that was not useful work */
    int64_t calls;       /* to the dispatcher */
    int64_t events;
    double predicted_seconds; /* by its partitioner before the start; 0: it predicts nothing */
    char partitioner[128];    /* its full name */
    char verdict[256];        /* why not all items were done; "": they were */
};

/* YOKE_OK even if not all items could be done (see verdict). Close the result afterwards. */
yoke_status yk_simulate(const struct yk_simulate_spec *spec, struct yk_simulate_result *out);
void yk_simulate_close(struct yk_simulate_result *result);

#endif
