/* yoke/simulate.h - what a loop would take on a machine that need not exist.
 *
 * The partitioners of the library hand out the loop's items on a virtual clock, to the cores and
 * GPUs of a machine that is described on one line; nothing is computed and no device is used. The
 * same description gives the same figures everywhere, to the last bit. yoke-sim(1) tells what can
 * be written, docs/simulator.md what takes which time.
 */
#ifndef YOKE_SIMULATE_H
#define YOKE_SIMULATE_H

#include <stdint.h>
#include <yoke/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise, then set what matters. */
typedef struct yoke_simulation {
    const char *machine; /* "cores=8,gpu*4:f=7.5:fixed=50us"; always given */
    const char *profile; /* what items cost: "linear-up", "random:spread=0.5"; NULL: all the same */
    int64_t items, unit; /* chunks are multiples of unit; 0: 1 */
    const double *costs; /* profile "recorded": of stretches of equal length, in any unit */
    int64_t cost_count;
    double core_seconds;        /* of an average item on a core; 0: what the machine's rate says */
    double bytes_in, bytes_out; /* that an item has copied to and from a GPU */
    const char *partitioner;    /* NULL: auto */
    int threads;                /* as in yoke_config */
    yoke_waiting waiting;
    int64_t seed;      /* of noise and random costs; 0: as machine and profile say */
    int runs;          /* one after the other, each with what those before it taught and with noise
                          of its own; 0: 1 */
    int alone;         /* 1: each device by itself as well */
    const char *trace; /* the last run's timeline goes here (.json or .html) */
} yoke_simulation;

typedef struct yoke_simulated_device {
    const char *name; /* "cpu", then as the machine calls it */
    int lanes;
    int64_t items, chunks;
    double share, busy_seconds;
    double alone_seconds; /* of a last run of its own; NAN: not asked, or it cannot do it alone */
    const char *reason;   /* why it got what it got; "" if nothing is to be said */
} yoke_simulated_device;

/* Of the last run, where nothing else is said. */
typedef struct yoke_simulated {
    const double *runs; /* seconds of each */
    int run_count;
    double ideal_seconds;    /* the least there could be: all devices work all the time, each GPU's
                                fixed cost once */
    const char *partitioner; /* with its settings */
    int cores, threads;
    int64_t seed;                         /* of the first run's noise */
    int64_t chunks, decisions;            /* decisions: calls of the dispatcher */
    double core_seconds;                  /* of all cores together: useful work, */
    double spin_seconds;                  /* threads that watched a GPU, */
    double lost_seconds;                  /* all that was no useful work */
    int64_t to_devices, from_devices;     /* bytes */
    const yoke_simulated_device *devices; /* the cores, then each GPU */
    int device_count;
    double predicted_seconds; /* what its partitioner took it to be, before it began; 0: it says
                                 nothing */
} yoke_simulated;

/* YOKE_EINVAL with a text that says what is not right and where; YOKE_EDEVICE if no device is left
 * that could do all. *out is to be closed. */
YOKE_API yoke_status yoke_simulate(const yoke_simulation *simulation, yoke_simulated **out);
YOKE_API void yoke_simulated_close(yoke_simulated *simulated); /* NULL is fine */

/* The cost profiles there are, from index 0; NULL after the last. */
YOKE_API const char *yoke_profile_name(int index);

#ifdef __cplusplus
}
#endif
#endif
