/* yoke/simulate.h - predicts a loop's time on a machine that does not exist.
 *
 * The library's partitioners hand out the loop's items on a virtual clock, to the cores and GPUs of
 * a machine described on one line; nothing is computed and no device is used. The same description
 * gives the same numbers everywhere, to the last bit. yoke-sim(1) explains the descriptions,
 * docs/simulator.md what takes which time.
 */
#ifndef YOKE_SIMULATE_H
#define YOKE_SIMULATE_H

#include <stdint.h>
#include <yoke/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise, then set fields as needed. */
typedef struct yoke_simulation {
    const char *machine; /* "cores=8,gpu*4:f=7.5:fixed=50us"; required */
    const char *profile; /* the items' costs: "linear-up", "random:spread=0.5"; NULL: all equal */
    int64_t items, unit; /* number of items; chunks are multiples of `unit` items; unit 0: 1 */
    const double *costs; /* profile "recorded": costs of stretches of equal length, in any unit */
    int64_t cost_count;  /* number of costs */
    double core_seconds; /* time of an average item on a core; 0: from the machine's rate */
    double bytes_in, bytes_out; /* bytes that an item needs copied to and from a GPU */
    const char *partitioner;    /* NULL: auto */
    int threads;                /* as in yoke_config */
    yoke_waiting waiting;       /* as in yoke_config */
    int64_t seed;               /* of noise and random costs; 0: as given by machine and profile */
    int runs;          /* number of runs, one after the other, each with what the earlier ones
                        * taught and with its own noise; 0: 1 */
    int alone;         /* 1: also run each device alone */
    const char *trace; /* file for the last run's timeline (.json or .html); with `step`: of all */
    /* Kernels on arrays that stay on the devices, instead of one job: "smooth(in u[1], out w);
     * smooth(in w[1], out u)". Then a run is one step, with `items` indexes for each kernel and
     * rows for each array; profile, unit, costs, bytes and threads must be zero. The runtime itself
     * runs on simulated devices, whose clock it shares with those of other runtimes of the process.
     * NULL: one job */
    const char *step;
} yoke_simulation;

/* What one device did in the last run. */
typedef struct yoke_simulated_device {
    const char *name;           /* "cpu", then the machine's names */
    int lanes;                  /* chunks that it works on at the same time */
    int64_t items, chunks;      /* number of items, and of chunks, that it did */
    double share, busy_seconds; /* items / all; time with a chunk under way */
    double alone_seconds; /* time of an extra run with this device alone; NAN: not requested, or it
                           * cannot do the job alone */
    const char *reason;   /* why it got its share; "" if there is nothing to say */
} yoke_simulated_device;

/* Results of the last run, unless noted otherwise. */
typedef struct yoke_simulated {
    const double *runs;      /* seconds of each run */
    int run_count;           /* entries of `runs` */
    double ideal_seconds;    /* the least possible: all devices work all the time, each GPU's fixed
                              * cost once */
    const char *partitioner; /* with its settings */
    int cores, threads;      /* cores of the machine; threads for CPU work */
    int64_t seed;            /* of the first run's noise */
    int64_t chunks, decisions;            /* decisions: calls to the dispatcher */
    double core_seconds;                  /* useful work, summed over the cores */
    double spin_seconds;                  /* time in which threads polled a GPU, summed over the
                                           * cores */
    double lost_seconds;                  /* everything that was not useful work */
    int64_t to_devices, from_devices;     /* bytes copied to GPUs, and from them */
    const yoke_simulated_device *devices; /* the cores, then each GPU */
    int device_count;                     /* entries of `devices` */
    double predicted_seconds;             /* as its partitioner predicted it before the start; 0: no
                                           * prediction */
    int64_t between_devices;              /* bytes, only with `step` */
} yoke_simulated;

/* Simulates. `simulation` is read only during the call. YOKE_EINVAL with a text that says what is
 * wrong and where; YOKE_EDEVICE if no device is left that could do everything. Close *out. */
YOKE_API yoke_status yoke_simulate(const yoke_simulation *simulation, yoke_simulated **out);
/* Frees it. NULL is allowed. */
YOKE_API void yoke_simulated_close(yoke_simulated *simulated);

/* Name of a cost profile, from index 0; NULL after the last. */
YOKE_API const char *yoke_profile_name(int index);

#ifdef __cplusplus
}
#endif
#endif
