/* yoke/knowledge.h - the knowledge base: inspecting it, taking it to other machines, removing
 * lessons. For `yoke kb`, and for programs that bring along what they learned elsewhere.
 *
 * A lesson is what jobs of one kernel and one set of sizes taught about one machine's devices. A
 * machine is identified by a fingerprint of its devices, drivers and links. Lessons of other
 * machines are kept as well, and are used on a machine with that fingerprint.
 */
#ifndef YOKE_KNOWLEDGE_H
#define YOKE_KNOWLEDGE_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { YOKE_SIZES_MAX = 64, YOKE_LESSON_DEVICES_MAX = 32, YOKE_FIGURES_MAX = 24 };

/* What is known about a device: numbers, each at its index in the list of yoke_figure_name. */
typedef struct yoke_lesson_device {
    const char *name; /* at most 63 bytes */
    double figures[YOKE_FIGURES_MAX];
} yoke_lesson_device;

typedef struct yoke_lesson {
    uint64_t machine; /* its fingerprint, and what that stands for */
    const char *machine_text;
    uint64_t subject; /* the kernel's content and its arguments' shapes; its name, and the rest */
    const char *name, *subject_text;
    const char *partitioner; /* by which such jobs are split; "": unknown; NULL is treated as "" */
    int size_count;
    double sizes[YOKE_SIZES_MAX]; /* [0]: items of the range */
    const char *origin;           /* "trained", "derived" or "adjusted" */
    int64_t confirmed;            /* number of jobs that ran like this */
    int64_t seen;                 /* when the latest of them ran, in seconds since 1970 */
    double ns;                    /* ns that a job takes; 0: unknown */
    uint32_t team;                /* the devices that do it best, a bit each; 0: unknown */
    int device_count;
    yoke_lesson_device devices[YOKE_LESSON_DEVICES_MAX];
} yoke_lesson;

/* Name and meaning of a figure; NULL after the last. One figure is "share": a device's fraction of
 * the latest job's items; -1 if unknown. */
YOKE_API const char *yoke_figure_name(int figure);
YOKE_API const char *yoke_figure_summary(int figure);

/* The knowledge base in the file `path`; NULL: the one that this process's runtimes use (YOKE_KB).
 * Where a runtime would go on without one, this fails with the reason: YOKE_EIO, for example in a
 * library built without SQLite (YOKE_SQLITE=OFF). Only one thread at a time may use it. */
typedef struct yoke_knowledge yoke_knowledge;
YOKE_API yoke_status yoke_knowledge_open(const char *path, yoke_knowledge **out);
YOKE_API void yoke_knowledge_close(yoke_knowledge *knowledge);
YOKE_API const char *yoke_knowledge_path(const yoke_knowledge *knowledge);
YOKE_API int64_t yoke_knowledge_bytes(yoke_knowledge *knowledge);

/* Selects lessons; zero: all. */
typedef struct yoke_lesson_filter {
    uint64_t machine, subject; /* 0: any */
    const char *name;          /* NULL: any */
    int64_t seen_before;       /* 0: at any time */
} yoke_lesson_filter;

/* Calls `visit` for each lesson, by machine, then by name, the latest first, until it returns 0.
 * The lesson is valid only during the call, and `visit` must not use the knowledge base. */
typedef int yoke_lesson_visit(void *context, const yoke_lesson *lesson);
YOKE_API yoke_status yoke_knowledge_each(yoke_knowledge *knowledge,
                                         const yoke_lesson_filter *filter, yoke_lesson_visit *visit,
                                         void *context);
/* Adds a lesson from elsewhere. A lesson that exists and was seen as late or later is kept, so
 * adding the same one twice changes nothing. *added: 0: kept; 1: new; 2: replaced an older one.
 * YOKE_EINVAL: the lesson is impossible. */
YOKE_API yoke_status yoke_knowledge_add(yoke_knowledge *knowledge, const yoke_lesson *lesson,
                                        int *added);
YOKE_API yoke_status yoke_knowledge_forget(yoke_knowledge *knowledge,
                                           const yoke_lesson_filter *filter, int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
