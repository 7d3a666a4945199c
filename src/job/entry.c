/* entry.c - decides which calls may enter a runtime. A call that would use a closed runtime, or
 * wait for ever, fails instead.
 *
 * A runtime is open if it is in a list, which every public call looks up without a lock, because
 * jobs may take a microsecond. So entries are never freed; later runtimes reuse them.
 */

#include "entry.h"

#include "../base/alloc.h"
#include "../base/process_lock.h"
#include "../base/status.h"
#include "../platform/fork.h"

struct listed {
    struct listed *next;                   /* constant */
    _Atomic(const yoke_runtime *) runtime; /* NULL: not in use */
    int closing;                           /* 1: a thread closes it; under the lock */
};

static struct yk_process_lock lock = YK_PROCESS_LOCK_INITIAL; /* protects changes */
static _Atomic(struct listed *) entries;

/* The runtime's entry; for NULL an entry that is not in use. NULL: there is none. */
static struct listed *entry_of(const yoke_runtime *runtime)
{
    struct listed *entry = atomic_load_explicit(&entries, memory_order_acquire);
    while (entry && atomic_load_explicit(&entry->runtime, memory_order_acquire) != runtime)
        entry = entry->next;
    return entry;
}

/* A new entry in the list; NULL: no memory. With the lock held. */
static struct listed *add_entry(void)
{
    struct listed *entry = yk_alloc_kept(sizeof *entry);
    if (!entry)
        return NULL;
    entry->next = atomic_load_explicit(&entries, memory_order_relaxed);
    atomic_init(&entry->runtime, NULL);
    atomic_store_explicit(&entries, entry, memory_order_release);
    return entry;
}

yoke_status yk_runtime_enlist(yoke_runtime *runtime)
{
    struct listed *entry;
    runtime->forks = yk_fork_count();
    yk_process_lock(&lock);
    entry = entry_of(NULL);
    if (!entry)
        entry = add_entry();
    if (entry) {
        entry->closing = 0;
        atomic_store_explicit(&entry->runtime, runtime, memory_order_release);
    }
    yk_process_unlock(&lock);
    return entry ? YOKE_OK
                 : yk_fail(YOKE_ENOMEM, "yoke_open: no memory for another runtime; close some");
}

void yk_runtime_delist(const yoke_runtime *runtime)
{
    yk_process_lock(&lock);
    atomic_store_explicit(&entry_of(runtime)->runtime, NULL, memory_order_release);
    yk_process_unlock(&lock);
}

int yk_runtime_claim(const yoke_runtime *runtime)
{
    struct listed *entry;
    int claimed;
    yk_process_lock(&lock);
    entry = entry_of(runtime);
    claimed = entry && !entry->closing;
    if (claimed)
        entry->closing = 1;
    yk_process_unlock(&lock);
    return claimed;
}

void yk_runtime_disclaim(const yoke_runtime *runtime)
{
    yk_process_lock(&lock);
    entry_of(runtime)->closing = 0;
    yk_process_unlock(&lock);
}

int yk_runtime_is_open(const yoke_runtime *runtime)
{
    return runtime && entry_of(runtime);
}

yoke_status yk_runtime_unknown(const char *call)
{
    return yk_fail(YOKE_EINVAL, "%s: there is no such runtime; it was closed, or never opened",
                   call);
}

/* Why yoke_default() last returned NULL to this thread; 0 and empty if it never did, or has
 * succeeded since. Programs pass its result on without a look at it. */
static _Thread_local struct {
    yoke_status status;
    char why[512];
} no_default;

void yk_runtime_no_default(yoke_status status)
{
    if (status != YOKE_OK)
        snprintf(no_default.why, sizeof no_default.why, "%s", yoke_error_text());
    no_default.status = status;
}

static yoke_status refuse_null(const char *call)
{
    if (no_default.status != YOKE_OK)
        return yk_fail(no_default.status, "%s: yoke_default() has failed: %s", call,
                       no_default.why);
    return yk_fail(YOKE_EINVAL,
                   "%s: the runtime is NULL; pass yoke_default(), or one from yoke_open", call);
}

yoke_status yk_runtime_check(const yoke_runtime *runtime, const char *call)
{
    if (!runtime)
        return refuse_null(call);
    if (!yk_runtime_is_open(runtime))
        return yk_runtime_unknown(call);
    return yk_runtime_refuses(runtime, call) ? YOKE_EINVAL : YOKE_OK;
}

/* The runtime whose progress callback this thread is in; NULL: it is in none. */
static _Thread_local const yoke_runtime *called_by;

const yoke_runtime *yk_callback_enter(const yoke_runtime *runtime)
{
    const yoke_runtime *outer = called_by;
    called_by = runtime;
    return outer;
}

int yk_runtime_refuses_child(const yoke_runtime *runtime, const char *call)
{
    if (runtime->forks == yk_fork_count())
        return 0;
    yk_fail(YOKE_EINVAL,
            "%s: the runtime was opened before this process was forked, and has no threads here; "
            "open one in the child",
            call);
    return 1;
}

int yk_runtime_refuses(const yoke_runtime *runtime, const char *call)
{
    if (yk_runtime_refuses_child(runtime, call))
        return 1;
    if (called_by != runtime)
        return 0;
    yk_fail(
        YOKE_EINVAL,
        "%s: a progress callback may not use the runtime of its job, which waits for it; return "
        "not 0 to cancel the job",
        call);
    return 1;
}
