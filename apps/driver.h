/* driver.h - how every application is run and measured: one loop, one clock, one set of results.
 *
 * A session is an application's data attached to one open runtime. measure() opens one for the
 * judged run, then, if requested, one for each device alone (the baselines) and one more for the
 * sweep over fixed splits (the oracle); matrix.h has one for every set of devices. The data are in
 * memory of the first runtime, which stays open, asleep, until the others are done. Time is the
 * runtime's own, so simulated devices are measured in virtual seconds by the same code. What was
 * not measured is NAN.
 */
#ifndef YOKE_APPS_DRIVER_H
#define YOKE_APPS_DRIVER_H

#include <signal.h>

#include "app.h"
#include "cold.h"

enum { APP_NOTE_MAX = 256, APP_REASON_MAX = 256, APP_REPEAT_MAX = 1000 };

/* --- what to measure, and the results --- */

/* How to report progress, and a flag that stops the measurement. */
struct measure_watch {
    void (*progress)(void *context, const char *what, int64_t done, int64_t total); /* or NULL */
    void *context;
    const volatile sig_atomic_t *canceled; /* not 0: stop; may be NULL */
};

/* The CPU weight of the timed runs (yoke/weight.h), and the policy that changes it between runs. */
struct measure_weight {
    int given; /* 0: there is no weight */
    double weight;
    yoke_weight_fn *policy; /* NULL: it does not change */
};

struct measure_spec {
    const struct app *app;
    struct app_spec input; /* gets the actual size */
    yoke_config config;
    int repeat; /* 1 .. APP_REPEAT_MAX */
    int verify, baselines;
    int cold;          /* 1: caches are filled with other data before each run */
    double sweep_step; /* 0.05: the oracle's first grid; 0: no sweep */
    struct measure_weight weight;
    struct measure_watch watch;
};

struct measure_device {
    char name[YOKE_DEVICE_NAME_MAX], spec[YOKE_DEVICE_SPEC_MAX], model[96], backend[16];
    int lanes;
    int64_t items; /* completed in the median run, by all its jobs */
    double share;  /* fraction of the items of all devices */
    int64_t rows;  /* of one job; the mean if a run has several */
    double busy_seconds;
    int64_t chunks;
    int64_t alternative_items;   /* of its items, those done with the jobs' alternative kernel */
    char reason[APP_REASON_MAX]; /* of its last job */
    char kernel[APP_REASON_MAX]; /* how its two kernels compare; "" if there is only one */
    yoke_waiting waiting;        /* of the last job in which a thread waited for it */
    char wait[APP_REASON_MAX];   /* the reason for that */
    yoke_model_result line;      /* of its last job; zeros: unknown */
    double alone_seconds;
    double oracle_share;
};

struct measure {
    int wrong_words; /* 1: it failed because of a usage error */
    double open_seconds, first_seconds;
    double *runs;
    double *predictions; /* predicted seconds of each run, before its start; NAN: no prediction.
                          * NULL: none for any run */
    double *ends;        /* for each run and each device, line.ended_seconds; 0: it did nothing.
                          * NULL: none */
    int run_count;
    int64_t jobs;         /* of the median run */
    double seconds;       /* median of runs */
    double whole_seconds; /* of the median run, including the host's work between its jobs; NAN if
                           * there is no difference */
    char partitioner[128];
    int verified;                               /* -1: not requested */
    char note[APP_NOTE_MAX];                    /* verify's numbers, or what is wrong */
    struct app_figure figures[APP_FIGURES_MAX]; /* the application's results */
    int figure_count;
    char *report;         /* the application's own lines; NULL if it has none */
    yoke_traffic traffic; /* of the median run */
    struct measure_device *devices;
    int device_count;
    double work;              /* of a run, in app->work_words; NAN if the application has none */
    double predicted_seconds; /* predicted for the median run's jobs; NAN: no prediction */
    double ideal_seconds, efficiency, gain;
    double oracle_seconds, regret;
};

/* A wrong result is not a failure here: `verified` is 0 and `note` says why. On failure the text is
 * app_error_text(). Close `out` in either case. */
yoke_status measure(struct measure_spec *spec, struct measure *out);
void measure_close(struct measure *measure);

/* --- its parts; not for other files --- */

struct app_tally {                  /* what the devices did, added up over the jobs of one run */
    struct measure_device *devices; /* by index in the runtime */
    int device_count;
    int64_t jobs;
    yoke_traffic traffic;
    double predicted_seconds; /* of all jobs; NAN: one had no prediction */
    char partitioner[128];
};
void app_tally_clear(struct app_tally *tally);

/* Called before and after each job that runs by itself, with the job as the application gave it.
 * Either function may be NULL. */
struct app_job_watch {
    void *context;
    void (*begins)(void *context, yoke_runtime *runtime, const yoke_job *job);
    void (*ended)(void *context, const yoke_job *job, const yoke_result *result);
};

struct app_run {
    yoke_runtime *runtime;
    const char *partitioner; /* for jobs that name none; NULL: the runtime's */
    const struct measure_watch *watch;
    const struct app_job_watch *jobs; /* or NULL */
    const char *what;                 /* for progress: "run 2 of 5" */
    uint8_t *owners;                  /* of indexes (app_run_owners), or NULL */
    int part;      /* above 1: only the first 1/part of each job's range is done */
    int percent;   /* above 0: only this percentage of it is done, */
    int64_t width; /* rounded up to a multiple of this; 0: of 1 */
    struct app_tally tally;
    double job_seconds, job_wall_seconds; /* of its jobs, by the runtime's clock and in real time */
};

struct app_session {
    const struct measure_spec *spec;
    void *state;
    struct app_run run;
    struct app_cold cold; /* if the spec asks for it */
    double open_seconds;
    double whole_seconds; /* of the latest run, as in struct measure */
    int attached;
    int failed; /* 1: the latest run failed */
};

/* `devices` NULL: use those of the spec. Only a judged session writes a trace and uses the
 * knowledge base. Close the session also after a failure. */
struct app_session_spec {
    const struct measure_spec *spec;
    const char *devices;
    int judged;
};
yoke_status app_session_open(const struct app_session_spec *from, struct app_session *out);
yoke_status app_session_attach(struct app_session *session, void *state);
yoke_status app_session_detach(struct app_session *session);
/* Detaches first, if the data are still attached. */
yoke_status app_session_close(struct app_session *session);
/* Resets the inputs (not timed), then does one run; its tally stays in the session. */
yoke_status app_session_time(struct app_session *session, const char *what, double *seconds);

/* Does the first run of a session, then more untimed runs until each device has worked, for at most
 * two seconds. A device joins when its kernel is compiled, and short runs end before that. */
yoke_status app_session_warm_up(struct app_session *session, double *first_seconds);
/* Checks the latest result, if the spec asks for it; sets `verified` and `note`. */
yoke_status app_session_verify(struct app_session *session, struct measure *out);

/* Runs of one session, kept until the median run is known. */
struct app_record;
struct app_runs {
    struct app_record *records;
    int count, capacity;
};
yoke_status app_runs_open(struct app_runs *runs, int capacity);
void app_runs_close(struct app_runs *runs);
/* Takes over the tally of the session's latest run, which took `seconds`. Runs beyond the capacity
 * are not kept. */
yoke_status app_runs_keep(struct app_runs *runs, struct app_session *session, double seconds);
/* Stores the seconds of all runs, and the devices' results in the median run. The application's
 * data must still be in the session. Call once, and only if there are runs. */
yoke_status app_runs_tell(struct app_runs *runs, const struct app_session *session,
                          struct measure *out);

/* Makes entries for the runtime's first `count` devices; existing ones are kept. */
yoke_status app_tally_grow(struct app_run *run, int count);
double app_wall_seconds(void); /* real time, even if devices are simulated */
/* Returns the median of up to APP_REPEAT_MAX values; NAN if there are none. */
double app_median(const double *values, int count);

/* Returns 1 if a time of `seconds` is so far behind the best one, and so many seconds were spent on
 * it, that it is not measured again. */
int measure_is_behind(double seconds, double best, double spent_seconds);
/* Sets ideal, efficiency and gain from the times alone of the devices that worked together; NAN if
 * one of these times is NAN. */
void measure_gain(const double *alone_seconds, int count, struct measure *out);
/* Returns 1 if both are the same kind of device with the same settings, and so equally fast. */
int measure_alike(const struct measure_device *a, const struct measure_device *b);
/* Returns a struct in which nothing is measured yet. */
struct measure measure_nothing(void);
/* Runs each device in its own runtime: sets alone_seconds, then ideal, efficiency and gain. */
yoke_status measure_baselines(const struct measure_spec *spec, void *state, struct measure *out);
/* Searches for the best fixed split; sets oracle_seconds, each device's oracle_share, and
 * regret. */
yoke_status measure_sweep(const struct measure_spec *spec, void *state, struct measure *out);

#endif
