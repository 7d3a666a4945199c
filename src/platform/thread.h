/* thread.h - threads, locks and sleeping, as the operating system offers them. No other file has an
 * #ifdef for a system.
 */
#ifndef YK_PLATFORM_THREAD_H
#define YK_PLATFORM_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <yoke/status.h>

typedef pthread_mutex_t yk_mutex;
#define YK_MUTEX_INITIAL PTHREAD_MUTEX_INITIALIZER
yoke_status yk_mutex_open(yk_mutex *mutex);
void yk_mutex_close(yk_mutex *mutex);
void yk_lock(yk_mutex *mutex);
/* Returns 1 if it took the lock, 0 if another thread has it. */
int yk_try_lock(yk_mutex *mutex);
void yk_unlock(yk_mutex *mutex);

/* A thread, named for ps and debuggers (15 characters). Signals are blocked in it, so that the
 * program's own threads get them (Ctrl-C), except faults and SIGPROF. cpu >= 0 binds it to that
 * processor (operating system's number). yk_alloc_fail_at can make thread creation fail like an
 * allocation. */
struct yk_thread {
    pthread_t handle;
};
enum yk_thread_kind {
    YK_THREAD_WORKS,   /* computes as long as there is work */
    YK_THREAD_ATTENDS, /* sleeps; when woken it has to run at once, for some microseconds, so it
                        * gets priority over computing threads, as far as the system allows */
};
struct yk_thread_spec {
    const char *name;
    int cpu;
    enum yk_thread_kind kind;
    void (*run)(void *context);
    void *context;
};
yoke_status yk_thread_open(const struct yk_thread_spec *spec, struct yk_thread *out);
void yk_thread_join(struct yk_thread *thread);
/* Between these calls an attending thread does something long (it compiles, say) that is not more
 * urgent than other work. No effect in other threads. */
void yk_thread_begin_long(void);
void yk_thread_end_long(void);
/* Processor the caller runs on right now (operating system's number). */
int yk_thread_cpu(void);
/* Keeps the calling thread on processor `cpu` (it moves there at once) until yk_thread_unpin
 * restores its affinity. Returns 0 if the system refuses; then there is nothing to restore. */
struct yk_affinity {
    unsigned long bits[1024 / (8 * sizeof(unsigned long))];
};
int yk_thread_pin(int cpu, struct yk_affinity *before);
void yk_thread_unpin(const struct yk_affinity *before);

/* A place for one thread to sleep; zero-initialise. A wake before the sleep is remembered (once),
 * so no wake is lost. Any thread may wake, without waiting; only one thread sleeps. */
struct yk_parker {
    _Atomic unsigned state;
};
/* Sleeps until woken, or until timeout_ns has passed (< 0: no limit). Returns 1 if woken, 0 after a
 * timeout.
 */
int yk_parker_sleep(struct yk_parker *parker, int64_t timeout_ns);
/* The same until about that time, as yk_clock_sleep_until. */
int yk_parker_sleep_until(struct yk_parker *parker, int64_t time_ns);
void yk_parker_wake(struct yk_parker *parker);

/* For spin loops of a few hundred ns. */
void yk_pause(void);
void yk_yield(void);

#endif
