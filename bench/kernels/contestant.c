/* contestant.c - see contestant.h. */
#include "contestant.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REST_NS 10000000

void contestant_problem(const struct problem_kind *kind, int64_t items, struct problem *out)
{
    if (!problem_open(kind, items, out)) {
        fprintf(stderr, "no memory for %s of %lld items\n", kind->name, (long long)items);
        exit(1);
    }
    kind->fill(out);
}

void contestant_rest(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
}
