/* busy.h - threads that only keep cores busy: the load of other programs. */
#ifndef BENCH_LEARNED_BUSY_H
#define BENCH_LEARNED_BUSY_H

#include <pthread.h>
#include <stdatomic.h>

enum { BUSY_MOST = 1024 };

struct busy {
    pthread_t threads[BUSY_MOST];
    int count;
    atomic_int stop;
};

/* Starts `count` threads, bound to no core. Ends the program if that fails. */
void busy_start(struct busy *busy, int count);
void busy_stop(struct busy *busy);

#endif
