/* study.h - what the studies on simulated machines share. */
#ifndef BENCH_SIMULATED_STUDY_H
#define BENCH_SIMULATED_STUDY_H

#include "simulator/simulate.h"

/* One loop on one machine. */
struct study_case {
    struct yk_machine machine;
    char line[2048];   /* the machine as `yoke sim` reads it */
    char profile[128]; /* likewise */
    int64_t items;
    double core_seconds; /* of an average item */
};

struct study_run {
    const char *partitioner;
    int64_t threads;
    enum yk_simulate_waiting waiting;
    int runs; /* one after the other; the last one counts, with what the others taught */
};

/* Seconds / the least that any schedule could take; INFINITY if not all was done. `verbose`: 1
 * prints who did what. */
double study_ratio(const struct study_case *what, const struct study_run *how, int verbose);
/* Parses `line`; ends the program if that is wrong. */
void study_machine(struct study_case *what);

/* 0 if all limits were met. */
int study_paper(int count, char **words);
int study_alpha(int count, char **words);
int study_machines(int count, char **words);
int study_changes(int count, char **words);

#endif
