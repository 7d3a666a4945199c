/* busy.h - threads that do nothing but keep cores busy: somebody else's load. */
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

/* As many threads as that, bound to no core; ends the program if there cannot be so many. */
void busy_start(struct busy *busy, int count);
void busy_stop(struct busy *busy);

#endif
