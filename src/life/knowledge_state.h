/* knowledge_state.h - the state shared by knowledge.c (asking) and knowledge_keep.c (storing).
 * Functions need knowledge.lock held, unless the runtime is closing. */
#ifndef YK_LIFE_KNOWLEDGE_STATE_H
#define YK_LIFE_KNOWLEDGE_STATE_H

#include "../job/job.h"
#include "../knowledge/store.h"
#include "../partition/recall.h"

enum { YK_KNOWLEDGE_RECENT = 256 };

struct yk_knowledge {
    char *path; /* NULL: the default file */
    int named;  /* 1: the program or the user named the file */
    /* Hashes of the kinds of jobs that were looked up; a hint, used without the lock. */
    atomic_uint_fast64_t recent[YK_KNOWLEDGE_RECENT];
    atomic_int_fast64_t keep_ns; /* time of the next storing, by the clock of jobs; INT64_MAX: a
                                    thread is storing */
    int64_t interval_ns;
    yk_mutex lock; /* protects the fields below; taken before runtime.lock; its holder may sleep */
    struct yk_store *store;
    int tried;   /* 1: the file was opened, or could not be */
    int devices; /* number of devices in the fingerprint */
    uint64_t machine;
    char *machine_text;
    int has_lines; /* 1: this process stored lines of devices alone */
};

/* Returns the store; the first call opens it. NULL: it could not be opened, which is logged once.
 */
struct yk_store *yk_knowledge_store(struct yk_knowledge *knowledge);
/* Computes the machine's fingerprint, again if devices were added. Returns 1 if it is known. */
int yk_knowledge_look(struct yk_knowledge *knowledge, const yoke_runtime *runtime);
/* Returns the key of the lesson with lines of devices alone, for jobs like this one. */
struct yk_store_key yk_knowledge_alone(const struct yk_knowledge *knowledge,
                                       const struct yk_job *job, uint64_t content);
/* Returns a hash of a job's kernel, and of its alternative if there is one. Without the lock. */
uint64_t yk_knowledge_content(const yoke_kernel *kernel, const yoke_kernel *alternative);
/* Returns the parts of a memory for `count` devices, and writes the devices' names to `names`.
 * Needs runtime.lock instead. */
struct yk_remembered yk_knowledge_remembered(const yoke_runtime *runtime, int count,
                                             struct yk_memory *memory, const char **names);

#endif
