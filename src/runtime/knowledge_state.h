/* knowledge_state.h - what knowledge.c (asking) and knowledge_keep.c (keeping) share.
 */
#ifndef YK_RUNTIME_KNOWLEDGE_STATE_H
#define YK_RUNTIME_KNOWLEDGE_STATE_H

#include "../model/store.h"
#include "../partition/recall.h"
#include "job.h"

enum { YK_KNOWLEDGE_RECENT = 256 };

struct yk_knowledge {
    char *path; /* NULL: as usual */
    int named;
    atomic_uint_fast64_t
        recent[YK_KNOWLEDGE_RECENT]; /* kinds of jobs that were asked for; a hint */
    atomic_int_fast64_t
        keep_ns; /* after this what was learned is kept again, by the clock of jobs */
    int64_t interval_ns;
    yk_mutex lock; /* the rest; outside of runtime.lock, and whoever has it may sleep */
    struct yk_store *store;
    int tried;   /* it was, or could not be */
    int devices; /* as many as the fingerprint tells of */
    uint64_t machine;
    char *machine_text;
};

/* Under its lock. What keeps it from working it says itself, once. */
struct yk_store *yk_knowledge_store(struct yk_knowledge *knowledge);
/* What a memory has of so many devices, whose names go into `names`. */
struct yk_remembered yk_knowledge_remembered(const yoke_runtime *runtime, int count,
                                             struct yk_memory *memory, const char **names);

#endif
