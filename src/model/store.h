/* store.h - the knowledge base: lessons on disk, in one SQLite file that any number of processes
 * share. The only part of src/model that is not pure.
 *
 * It is never a reason to fail. Built without SQLite (store_none.c), it knows and keeps nothing.
 * What is no database, or a damaged one, is set aside as
 * PATH.corrupt-N and a new one begun; one of a newer yoke or of another program is left as it is;
 * without a home, on a full or read-only disk, locked for longer than `patience`, it knows nothing
 * and keeps nothing. A person should know of the first two: one log line at `warn`; of the others
 * one at `info`.
 *
 * A lesson that is read is one that was written: its row carries a checksum. Writers use
 * transactions, so a process that is killed leaves the file as it was before or after one.
 *
 * Thread-safe, by one lock for each store. Every function takes NULL for a store that knows
 * nothing. A process made by fork gets nothing from the store of its parent; to close it does
 * nothing.
 *
 * Costs, on a local disk (docs/results/knowledge-cpu.md): find 7 to 18 us, derive 0.2 ms, put 40 us
 * a lesson, open 0.3 ms, close 0.1 ms; nothing waits until the disk has it.
 */
#ifndef YK_MODEL_STORE_H
#define YK_MODEL_STORE_H

#include <stdint.h>
#include <yoke/status.h>

#include "derive.h"
#include "record.h"

enum { YK_STORE_RUNS = 16 };

/* Zero: as the environment says. YOKE_KB names the file, or is "off"; else it is knowledge.db in
 * yoke's cache folder (platform/cache_folder.h). YOKE_KB_LIMIT: bytes, 64 MiB; beyond it what was
 * seen longest ago goes. YOKE_KB_DERIVE names a method of derive.h. */
struct yk_store_spec {
    const char *path;
    int64_t limit_bytes;
    int64_t patience_ns; /* for other processes that write; 0: 100 ms */
    const struct yk_derivation *derivation;
    const char *vfs; /* SQLite's way to the disk; tests have one that fails */
};

/* YOKE_EINVAL for wrong words in the environment or a limit too small to work with, YOKE_ENOMEM;
 * never for what became of the file. */
struct yk_store;
yoke_status yk_store_open(const struct yk_store_spec *spec, struct yk_store **out);
/* Just that: opens nothing. */
yoke_status yk_store_check(const struct yk_store_spec *spec);
void yk_store_close(struct yk_store *store);
/* Why it knows and keeps nothing, in words; "" if it works. The text goes to `why`. */
enum { YK_STORE_WHY = 512 };
void yk_store_trouble(struct yk_store *store, char why[YK_STORE_WHY]);

struct yk_store_key {
    uint64_t machine; /* hash of the fingerprint, and the fingerprint in words */
    const char *machine_text;
    uint64_t subject; /* hash of all that makes it this subject */
    const char *name, *subject_text;
    const char *partitioner; /* that such jobs are split by; NULL or "": unknown */
};

/* Makes ready what the first find needs: then that takes as long as those after it. */
void yk_store_warm(struct yk_store *store);

/* 1 and the lesson of exactly these sizes, or 0. Of the key only the hashes count. */
int yk_store_find(struct yk_store *store, const struct yk_store_key *key,
                  const struct yk_sizes *sizes, struct yk_lesson *out);

/* Lessons of the subject on that machine, those nearest to `sizes` by yk_sizes_distance, nearest
 * first, at most `capacity`; of more than 1,024 only the latest 1,024 are looked at. `count` is
 * set. */
void yk_store_near(struct yk_store *store, const struct yk_store_key *key,
                   const struct yk_sizes *sizes, struct yk_lesson_list *out);

/* 1 and a lesson for sizes without one, from those nearest, by the method chosen (derive.h); 0:
 * none helps. Nothing is kept of it until it is put. */
int yk_store_derive(struct yk_store *store, const struct yk_store_key *key,
                    const struct yk_sizes *sizes, struct yk_lesson *out);

/* Keep lessons, all or none, in one transaction: that takes a fraction of the time of one for each.
 * `confirmed` is how often they were confirmed since they
 * were last put: it is added to what is kept. `seen` 0: now. What is kept is merged by
 * yk_lesson_merge. Those that cannot be true (yk_lesson_wrong) are left out, and make it
 * YOKE_EINVAL. YOKE_EBUSY: others wrote all the time; nothing was kept, and the same may be put
 * again, best not before the next job. YOKE_EIO: nothing was kept (a full disk, a read-only file),
 * nor is it worth another try. Without a store: YOKE_OK. */
struct yk_store_entry {
    struct yk_store_key key;
    const struct yk_lesson *lesson;
};
yoke_status yk_store_put_all(struct yk_store *store, const struct yk_store_entry *entries,
                             int count);
/* The same, of one subject. */
yoke_status yk_store_put(struct yk_store *store, const struct yk_store_key *key,
                         const struct yk_lesson *lessons, int count);

/* Which lessons; zero: all. */
struct yk_store_filter {
    uint64_t machine, subject; /* 0: any */
    const char *name;          /* of the subject; NULL: any */
    int64_t seen_before;       /* 0: whenever */
};
yoke_status yk_store_forget(struct yk_store *store, const struct yk_store_filter *filter,
                            int64_t *count);
/* Calls `visit` for each, latest first within a subject, until it returns 0. It must not call the
 * store. */
typedef int yk_store_visit(void *context, const struct yk_store_key *key,
                           const struct yk_lesson *lesson);
yoke_status yk_store_each(struct yk_store *store, const struct yk_store_filter *filter,
                          yk_store_visit *visit, void *context);

/* What the latest runs tell of themselves, a text each; YK_STORE_RUNS are kept. `back` 0: the
 * latest, 1: the one before. NULL: there is none; yk_free. */
yoke_status yk_store_put_run(struct yk_store *store, const char *text);
char *yk_store_run(struct yk_store *store, int back);

/* The file; "" if there is none. Valid until close. */
const char *yk_store_path(const struct yk_store *store);
/* What it takes on disk, without what SQLite has beside it. */
int64_t yk_store_bytes(struct yk_store *store);

#endif
