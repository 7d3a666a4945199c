/* store.h - the knowledge base: lessons on disk, in one SQLite file that any number of processes
 * share. The only part of src/knowledge that is not pure.
 *
 * The store never makes a job fail. Built without SQLite (store_none.c), it finds and keeps
 * nothing. A damaged file is renamed to PATH.corrupt-N and a new one is made. A named file that is
 * no database, and one of a newer yoke or of another program, is left as it is. Without a home, on
 * a full or read-only disk, or if the file is locked for longer than `patience`, the store finds
 * and keeps nothing. Damaged files and those of a newer yoke or of another program need the user's
 * attention and log one line at `warn`; other problems log one at `info`.
 *
 * A lesson is returned only if it is as it was written: its row carries a checksum. Writers use
 * transactions, so a process that is killed leaves the file as it was before or after one.
 *
 * Thread-safe, by one lock for each store. Every function accepts NULL for a store that knows
 * nothing. A process made by fork gets nothing from its parent's store; closing it there does
 * nothing.
 *
 * Costs, on a local disk (docs/results/knowledge-cpu.md): find 7 to 18 us, derive 0.2 ms, put 40 us
 * per lesson, open 0.3 ms, close 0.1 ms. No call waits until data are on the disk.
 */
#ifndef YK_KNOWLEDGE_STORE_H
#define YK_KNOWLEDGE_STORE_H

#include <stdint.h>
#include <yoke/status.h>

#include "derive.h"
#include "record.h"

enum { YK_STORE_RUNS = 16 };

/* Zero fields take their values from the environment. YOKE_KB names the file, or is "off"; default,
 * and "on": knowledge.db in yoke's cache folder (platform/cache_folder.h). YOKE_KB_LIMIT: bytes,
 * default 64 MiB; beyond it the lessons seen longest ago are removed. YOKE_KB_DERIVE names a method
 * of derive.h. */
struct yk_store_spec {
    const char *path;
    int64_t limit_bytes;
    int64_t patience_ns; /* how long to wait for other processes that write; 0: 100 ms */
    const struct yk_derivation *derivation;
    const char *vfs; /* SQLite's file system layer; tests use one that fails */
};

/* YOKE_EINVAL for invalid environment variables or a limit too small to work with, YOKE_ENOMEM;
 * never fails because of the file. */
struct yk_store;
yoke_status yk_store_open(const struct yk_store_spec *spec, struct yk_store **out);
/* Only checks the spec and the environment: opens nothing. */
yoke_status yk_store_check(const struct yk_store_spec *spec);
void yk_store_close(struct yk_store *store);
/* Writes to `why` the reason why the store finds and keeps nothing; "" if it works. */
enum { YK_STORE_WHY = 512 };
void yk_store_trouble(struct yk_store *store, char why[YK_STORE_WHY]);

struct yk_store_key {
    uint64_t machine; /* hash of the fingerprint; then the fingerprint in words */
    const char *machine_text;
    uint64_t subject; /* hash of everything that identifies the subject */
    const char *name, *subject_text;
    const char *partitioner; /* that splits such jobs; NULL or "": unknown */
};

/* Prepares what the first find needs, so that it takes no longer than later ones. */
void yk_store_warm(struct yk_store *store);

/* Returns 1 and the lesson of exactly these sizes, or 0. Uses only the hashes of the key. */
int yk_store_find(struct yk_store *store, const struct yk_store_key *key,
                  const struct yk_sizes *sizes, struct yk_lesson *out);

/* Lessons of the subject on that machine, nearest to `sizes` first by yk_sizes_distance, at most
 * `capacity`. If there are more than 1,024, only the latest 1,024 are considered. Sets `count`. */
void yk_store_near(struct yk_store *store, const struct yk_store_key *key,
                   const struct yk_sizes *sizes, struct yk_lesson_list *out);

/* Returns 1 and a lesson for sizes without one, derived from the nearest ones by the chosen method
 * (derive.h); or 0 if no lesson helps. The lesson is not stored until it is put. */
int yk_store_derive(struct yk_store *store, const struct yk_store_key *key,
                    const struct yk_sizes *sizes, struct yk_lesson *out);

/* Stores lessons, all or none, in one transaction, which takes a fraction of the time of one
 * transaction per lesson. `confirmed`: confirmations since the lesson was last put; they are added.
 * `seen` 0: now. yk_lesson_merge merges a lesson with the stored one. Invalid lessons
 * (yk_lesson_wrong) are left out, and the result is YOKE_EINVAL. YOKE_EBUSY: other processes wrote
 * all the time; nothing was stored, and the same lessons may be put again, best not before the next
 * job. YOKE_EIO: nothing was stored (a full disk, a read-only file), and trying again is useless.
 * Without a store: YOKE_OK. */
struct yk_store_entry {
    struct yk_store_key key;
    const struct yk_lesson *lesson;
};
yoke_status yk_store_put_all(struct yk_store *store, const struct yk_store_entry *entries,
                             int count);
/* As yk_store_put_all, for lessons of one subject. */
yoke_status yk_store_put(struct yk_store *store, const struct yk_store_key *key,
                         const struct yk_lesson *lessons, int count);

/* Selects lessons; zero: all. */
struct yk_store_filter {
    uint64_t machine, subject; /* 0: any */
    const char *name;          /* of the subject; NULL: any */
    int64_t seen_before;       /* 0: at any time */
};
yoke_status yk_store_forget(struct yk_store *store, const struct yk_store_filter *filter,
                            int64_t *count);
/* Calls `visit` for each lesson, latest first within a subject, until it returns 0. `visit` must
 * not call the store. */
typedef int yk_store_visit(void *context, const struct yk_store_key *key,
                           const struct yk_lesson *lesson);
yoke_status yk_store_each(struct yk_store *store, const struct yk_store_filter *filter,
                          yk_store_visit *visit, void *context);

/* Reports of the latest runs, one text each; YK_STORE_RUNS are kept. `back` 0: the latest, 1: the
 * one before. NULL: there is none; free with yk_free. */
yoke_status yk_store_put_run(struct yk_store *store, const char *text);
char *yk_store_run(struct yk_store *store, int back);

/* The file's path; "" if there is none. Valid until close. */
const char *yk_store_path(const struct yk_store *store);
/* Its size on disk in bytes, without SQLite's other files. */
int64_t yk_store_bytes(struct yk_store *store);

#endif
