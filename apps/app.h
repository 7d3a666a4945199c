/* app.h - what a benchmark application is: a kernel file and this table. It never has its own main,
 * timer or parser.
 *
 * `yoke run NAME` (cli/run.c) calls the table's functions: open, attach to a runtime, then for each
 * repeat reset (not timed) and run (timed according to `timed`), verify, detach, close. --baselines
 * and --sweep attach the same data to other runtimes, or run it with other partitioners.
 */
#ifndef YOKE_APPS_APP_H
#define YOKE_APPS_APP_H

#include <stdio.h>
#include <yoke/yoke.h>

#include "memory.h"

struct app_option {      /* an option of one application or command */
    const char *name;    /* "flops" for --flops */
    const char *value;   /* name of the value in help: "K" */
    const char *initial; /* default as text */
    const char *help;
};

enum { APP_OPTIONS_MAX = 16 };

/* Which of an application's kernels does the work, if it also has a step kernel. */
enum app_kernel {
    APP_KERNEL_AUTO,  /* each device finds out which is faster: job.kernel is the plain one,
                       * job.alternative the step kernel */
    APP_KERNEL_PLAIN, /* the one that does a whole index at once */
    APP_KERNEL_STEP   /* the step kernel (yoke/kernel_step.h) */
};

struct app_spec {
    int64_t size[3]; /* as given, size_count numbers; size[0] 0: use the application's default */
    uint64_t seed;
    const char *input;                   /* --input FILE, or NULL */
    const char *output;                  /* --output PREFIX for pictures, or NULL */
    struct app_memory memory;            /* for the data that devices work on */
    enum app_kernel kernel;              /* used if the application has a step kernel */
    const char *values[APP_OPTIONS_MAX]; /* of app->options, in the same order; never NULL */
};

/* One timed run. The application passes its jobs to app_run_job, which runs them and adds up what
 * the devices did. */
struct app_run;
yoke_status app_run_job(struct app_run *run, const yoke_job *job);
/* Runs up to APP_JOBS_MAX jobs at the same time, as their order allows; returns when all are done.
 * A device's busy time is the sum over its jobs. */
enum { APP_JOBS_MAX = 64 };
yoke_status app_run_jobs(struct app_run *run, const yoke_job *jobs, int count);
yoke_runtime *app_runtime(struct app_run *run);
/* From now on writes, for each index of a job's range, the device that did it to `owners`, by its
 * number in the runtime. NULL ends this. */
void app_run_owners(struct app_run *run, uint8_t *owners);
/* Returns how many of a job's `items` this run does: all, unless only a part is timed. */
int64_t app_run_items(const struct app_run *run, int64_t items);
/* Reports progress within a run: `done` of `total` steps are done. Returns YOKE_ECANCELED after
 * Ctrl-C; the caller returns it. */
yoke_status app_progress(struct app_run *run, int64_t done, int64_t total);

enum app_timed {
    APP_TIMED_RUN, /* from inputs in host memory to results in host memory */
    APP_TIMED_JOBS /* only the jobs; the host's work between them is reported separately */
};

/* A numeric result: its name, and how far it may be off by chance. */
struct app_figure {
    const char *name; /* as in JSON: "diffuse_reflectance"; lives as long as the program */
    double value;
    double error; /* one standard error, or a bound of it; NAN: none */
};
enum { APP_FIGURES_MAX = 16 };

struct app {
    const char *name, *summary;
    const char *size_words;           /* "elements", "rows", "bodies", "WxHxD voxels" */
    int size_count;                   /* 1 or 3 */
    int size_square;                  /* 1: one number may stand for all three */
    const struct app_option *options; /* NULL-name terminated, or NULL */
    enum app_timed timed;             /* what a run's seconds include */
    int is_regular;                   /* 1: every item of its jobs costs the same */
    int offers_steps;                 /* 1: also has a step kernel, and uses spec->kernel */
    int reads_input;                  /* 1: uses spec->input */
    int writes_output;                /* 1: uses spec->output */
    /* Makes or loads the inputs (deterministic for a seed). Errors say which file or size, and what
     * to do. The actual size is stored in spec->size. */
    yoke_status (*open)(struct app_spec *spec, void **state);
    void (*close)(void *state);
    yoke_status (*attach)(void *state, yoke_runtime *runtime); /* wrap arrays */
    yoke_status (*detach)(void *state);                        /* close them */
    yoke_status (*reset)(void *state);                         /* restore the inputs, on the host */
    yoke_status (*run)(void *state, struct app_run *run);
    /* Compares with an independent reference and exact properties. On success writes a line of
     * numbers to `note` (capacity 256), e.g. "max error 2.1e-7 (allowed 1e-6)". A wrong result is
     * YOKE_EINVAL with the text of the first wrong value. */
    yoke_status (*verify)(void *state, char *note);
    int64_t (*items)(const void *state); /* items of one job's range, for shares ("rows" in JSON) */
    /* Optional: the amount of a run's work in `work_words` ("rays"), reported per second. */
    const char *work_words;
    double (*work)(const void *state);
    /* Optional: results for JSON, after a run; *count up to APP_FIGURES_MAX. */
    yoke_status (*figures)(void *state, struct app_figure *out, int *count);
    /* Optional: results and pictures after verify (PSNR, PNG files named after spec->output). */
    yoke_status (*report)(void *state, FILE *out);
};

/* Sets the error text of an application's own failure (cause, then cure) and returns `status`.
 * Failures of yoke's calls are returned unchanged. */
yoke_status app_fail(yoke_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets the text of a usage error: returns YOKE_EINVAL, and the command's exit status is 2. */
yoke_status app_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns 1 if the latest failure of an application was a usage error. */
int app_is_mistaken(void);
/* Returns the text of the latest failure, the application's or yoke's. */
const char *app_error_text(void);

extern const struct app *const apps[]; /* NULL-terminated */
const struct app *app_find(const char *name);

#endif
