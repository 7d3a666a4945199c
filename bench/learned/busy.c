/* busy.c - see busy.h. Each thread iterates a polynomial in registers, so it uses only its core. */
#include "busy.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOOK_EVERY = 1 << 16 };

static void *compute(void *context)
{
    struct busy *busy = context;
    volatile double seen;
    double x = 0.4;
    int i;
    while (!atomic_load_explicit(&busy->stop, memory_order_relaxed))
        for (i = 0; i < LOOK_EVERY; i++)
            x = 3.7 * x * (1 - x);
    seen = x;
    (void)seen;
    return NULL;
}

void busy_start(struct busy *busy, int count)
{
    atomic_store(&busy->stop, 0);
    for (busy->count = 0; busy->count < count; busy->count++)
        if (pthread_create(&busy->threads[busy->count], NULL, compute, busy)) {
            fprintf(stderr, "only %d of %d busy threads could be started\n", busy->count, count);
            exit(1);
        }
}

void busy_stop(struct busy *busy)
{
    atomic_store(&busy->stop, 1);
    while (busy->count > 0)
        pthread_join(busy->threads[--busy->count], NULL);
}
