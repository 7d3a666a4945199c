/* knowledge_state.h - shared by knowledge.c (asking) and knowledge_keep.c (storing). */
#ifndef YK_LIFE_KNOWLEDGE_STATE_H
#define YK_LIFE_KNOWLEDGE_STATE_H

#include "../job/job.h"
#include "../knowledge/store.h"
#include "../partition/recall.h"

enum { YK_KNOWLEDGE_RECENT = 256 };

struct yk_knowledge {
    char *path; /* NULL: the default */
    int named;
    atomic_uint_fast64_t
        recent[YK_KNOWLEDGE_RECENT]; /* kinds of jobs that were asked for; a hint */
    atomic_int_fast64_t keep_ns;     /* time of the next storing, by the clock of jobs */
    int64_t interval_ns;
    yk_mutex lock; /* protects the rest; taken before runtime.lock; its holder may sleep */
    struct yk_store *store;
    int tried;   /* 1: opening was tried */
    int devices; /* number of devices in the fingerprint */
    uint64_t machine;
    char *machine_text;
    int has_lines; /* 1: this process stored lines of devices alone */
};

/* With its lock held. The store itself reports a problem, once. */
struct yk_store *yk_knowledge_store(struct yk_knowledge *knowledge);
/* Identifies the machine, including devices that were added since. 1 if that worked. */
int yk_knowledge_look(struct yk_knowledge *knowledge, const yoke_runtime *runtime);
/* The lesson with lines of devices alone for jobs like this one. */
struct yk_store_key yk_knowledge_alone(const struct yk_knowledge *knowledge,
                                       const struct yk_job *job, uint64_t content);
/* Hash of a job's kernel, and of its alternative if there is one. */
uint64_t yk_knowledge_content(const yoke_kernel *kernel, const yoke_kernel *alternative);
/* The parts of a memory for `count` devices; their names are written to `names`. */
struct yk_remembered yk_knowledge_remembered(const yoke_runtime *runtime, int count,
                                             struct yk_memory *memory, const char **names);

#endif
