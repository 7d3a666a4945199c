/* yoke/knowledge.h - the knowledge base, to be looked at, taken to other machines and forgotten:
 * for `yoke kb`, and for programs that bring along what they learned elsewhere.
 *
 * A lesson is what jobs of one kernel and one set of sizes taught of one machine's devices.
 * Machines are told apart by a fingerprint of devices, drivers and links: what was learned on
 * another one is kept beside the rest, and used where that machine's fingerprint comes up.
 */
#ifndef YOKE_KNOWLEDGE_H
#define YOKE_KNOWLEDGE_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { YOKE_SIZES_MAX = 64, YOKE_LESSON_DEVICES_MAX = 32, YOKE_FIGURES_MAX = 24 };

/* What is known of a device: figures, each in its place of the list of yoke_figure_name. */
typedef struct yoke_lesson_device {
    const char *name; /* at most 63 bytes */
    double figures[YOKE_FIGURES_MAX];
} yoke_lesson_device;

typedef struct yoke_lesson {
    uint64_t machine; /* its fingerprint, and what that stands for */
    const char *machine_text;
    uint64_t subject; /* the kernel's content and its arguments' shapes; its name, and the rest */
    const char *name, *subject_text;
    const char *partitioner; /* that such jobs are split by; "": unknown; NULL is taken for that */
    int size_count;
    double sizes[YOKE_SIZES_MAX]; /* [0]: items of the range */
    const char *origin;           /* "trained", "derived" or "adjusted" */
    int64_t confirmed;            /* jobs that ran like this */
    int64_t seen;                 /* when the latest of them did, in seconds since 1970 */
    double ns;                    /* that a job takes; 0: unknown */
    uint32_t team;                /* the devices that do it best, a bit each; 0: unknown */
    int device_count;
    yoke_lesson_device devices[YOKE_LESSON_DEVICES_MAX];
} yoke_lesson;

/* Name and meaning of a figure; NULL for those after the last. "share" is one of them: a device's
 * part of the items of the latest job, -1 where that is unknown. */
YOKE_API const char *yoke_figure_name(int figure);
YOKE_API const char *yoke_figure_summary(int figure);

/* The file `path`, or NULL: the one that this process's runtimes use (YOKE_KB). Where a runtime
 * goes on without, this says why: YOKE_EIO, as in a library built without SQLite
 * (YOKE_SQLITE=OFF). Not to be used by several threads at once. */
typedef struct yoke_knowledge yoke_knowledge;
YOKE_API yoke_status yoke_knowledge_open(const char *path, yoke_knowledge **out);
YOKE_API void yoke_knowledge_close(yoke_knowledge *knowledge);
YOKE_API const char *yoke_knowledge_path(const yoke_knowledge *knowledge);
YOKE_API int64_t yoke_knowledge_bytes(yoke_knowledge *knowledge);

/* Which lessons; zero: all. */
typedef struct yoke_lesson_filter {
    uint64_t machine, subject; /* 0: any */
    const char *name;          /* NULL: any */
    int64_t seen_before;       /* 0: whenever */
} yoke_lesson_filter;

/* Calls `visit` for each lesson, by machine, then by name, the latest first, until it returns 0.
 * What it is given is gone when it returns, and it must not use the knowledge base. */
typedef int yoke_lesson_visit(void *context, const yoke_lesson *lesson);
YOKE_API yoke_status yoke_knowledge_each(yoke_knowledge *knowledge,
                                         const yoke_lesson_filter *filter, yoke_lesson_visit *visit,
                                         void *context);
/* Add a lesson from elsewhere. One that is there already and was seen as late or later stays as it
 * is, so that adding the same twice changes nothing: *added is 0 then, 1 if it is new, 2 if it
 * took an older one's place. YOKE_EINVAL: it cannot be true. */
YOKE_API yoke_status yoke_knowledge_add(yoke_knowledge *knowledge, const yoke_lesson *lesson,
                                        int *added);
YOKE_API yoke_status yoke_knowledge_forget(yoke_knowledge *knowledge,
                                           const yoke_lesson_filter *filter, int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
