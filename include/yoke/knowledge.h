/* yoke/knowledge.h - the knowledge base: inspecting it, taking it to other machines, removing
 * lessons, and storing lines of devices alone. For `yoke kb`, `yoke tune`, and programs that bring
 * along what they learned elsewhere or measured themselves.
 *
 * A lesson is what jobs of one kernel and one set of sizes taught about one machine's devices. A
 * machine is identified by a fingerprint of its devices, drivers and links. Lessons of other
 * machines are kept as well, and are used on a machine with that fingerprint. docs/scheduling.md
 * explains how jobs use them.
 */
#ifndef YOKE_KNOWLEDGE_H
#define YOKE_KNOWLEDGE_H

#include <stdint.h>
#include <yoke/job.h>
#include <yoke/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Capacities of a lesson. */
enum { YOKE_SIZES_MAX = 64, YOKE_LESSON_DEVICES_MAX = 32, YOKE_FIGURES_MAX = 24 };

/* What is known about a device: numbers, each at its index in the list of yoke_figure_name. */
typedef struct yoke_lesson_device {
    const char *name;                 /* at most 63 bytes */
    double figures[YOKE_FIGURES_MAX]; /* in the figures' own units */
} yoke_lesson_device;

/* A lesson. Strings are owned by the caller of yoke_knowledge_add, or valid during a visit. */
typedef struct yoke_lesson {
    uint64_t machine;         /* the machine's fingerprint */
    const char *machine_text; /* what the fingerprint stands for */
    uint64_t subject;         /* hash of the kernel's content and its arguments' shapes */
    const char *name;         /* the kernel's name */
    const char *subject_text; /* what else `subject` stands for */
    const char *partitioner;  /* by which such jobs are split; "": unknown; NULL is treated as "" */
    int size_count;           /* entries of `sizes` */
    double sizes[YOKE_SIZES_MAX]; /* [0]: items of the range */
    const char *origin;           /* "trained", "derived", "adjusted" or "tuned" */
    int64_t confirmed;            /* number of jobs that ran like this */
    int64_t seen;                 /* when the latest of them ran, in seconds since 1970 */
    double ns;                    /* ns that a job takes; 0: unknown */
    uint32_t team;                /* the devices that do it best, one bit per device; 0: unknown */
    int device_count;             /* entries of `devices` */
    /* What is known of each device. */
    yoke_lesson_device devices[YOKE_LESSON_DEVICES_MAX];
} yoke_lesson;

/* Name of a figure, from 0; NULL after the last. One figure is "share": a device's fraction of
 * the latest job's items; -1 if unknown. */
YOKE_API const char *yoke_figure_name(int figure);
/* What the figure means, with its unit; NULL after the last. */
YOKE_API const char *yoke_figure_summary(int figure);

/* The knowledge base in the file `path`; NULL: the one that this process's runtimes use (YOKE_KB).
 * A runtime goes on without a knowledge base if it cannot use the file, but this call fails, with
 * the reason: YOKE_EIO, for example in a library built without SQLite (YOKE_SQLITE=OFF). Only one
 * thread at a time may use it. */
typedef struct yoke_knowledge yoke_knowledge;
/* Opens the file, which is created if it is missing; close *out. */
YOKE_API yoke_status yoke_knowledge_open(const char *path, yoke_knowledge **out);
/* NULL is allowed. */
YOKE_API void yoke_knowledge_close(yoke_knowledge *knowledge);
/* Its file's path; valid until it is closed. */
YOKE_API const char *yoke_knowledge_path(const yoke_knowledge *knowledge);
/* Bytes of its file. */
YOKE_API int64_t yoke_knowledge_bytes(yoke_knowledge *knowledge);

/* Selects lessons; zero: all. */
typedef struct yoke_lesson_filter {
    uint64_t machine, subject; /* 0: any */
    const char *name;          /* NULL: any */
    int64_t seen_before;       /* 0: at any time */
} yoke_lesson_filter;

/* Gets a lesson of yoke_knowledge_each; returns 0 to end the visits. */
typedef int yoke_lesson_visit(void *context, const yoke_lesson *lesson);
/* Calls `visit` for each lesson, by machine, then by name, the latest first, until it returns 0.
 * The lesson is valid only during the call, and `visit` must not use the knowledge base. `filter`
 * NULL: all lessons. */
YOKE_API yoke_status yoke_knowledge_each(yoke_knowledge *knowledge,
                                         const yoke_lesson_filter *filter, yoke_lesson_visit *visit,
                                         void *context);
/* Adds a lesson from elsewhere. A lesson that exists and was seen as late or later is kept, so
 * adding the same one twice changes nothing. *added: 0: kept; 1: new; 2: replaced an older one.
 * YOKE_EINVAL: the lesson is impossible. */
YOKE_API yoke_status yoke_knowledge_add(yoke_knowledge *knowledge, const yoke_lesson *lesson,
                                        int *added);
/* Removes the lessons that the filter selects (NULL: all). *count: how many were removed. */
YOKE_API yoke_status yoke_knowledge_forget(yoke_knowledge *knowledge,
                                           const yoke_lesson_filter *filter, int64_t *count);

/* Stores, in the runtime's knowledge base, the times of jobs like `job` (its kernel, range and
 * shapes of arrays) on each device alone: one line for each device of the runtime, in its order;
 * item_seconds 0: unknown. The partitioner `linear` begins with these lines, in this runtime if it
 * has not seen such a job yet, and in later processes on this machine until such jobs have measured
 * the devices together. The job itself does not run. This is what `yoke tune` does. YOKE_ENODEV:
 * the runtime keeps nothing (YOKE_KB=off; simulated devices without a named file). YOKE_EIO,
 * YOKE_EBUSY: the file cannot be written. YOKE_EINVAL: the job is invalid, or a line. */
YOKE_API yoke_status yoke_keep_lines(yoke_runtime *runtime, const yoke_job *job,
                                     const yoke_line *lines, int count);

#ifdef __cplusplus
}
#endif
#endif
