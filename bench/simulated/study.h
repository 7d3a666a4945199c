/* study.h - what the studies on simulated machines share. */
#ifndef BENCH_SIMULATED_STUDY_H
#define BENCH_SIMULATED_STUDY_H

#include "simulator/simulate.h"

/* One loop on one machine. */
struct study_case {
    struct yk_machine machine;
    char line[2048];   /* the machine as `yoke sim` reads it */
    char profile[128]; /* as `yoke sim` reads it */
    int64_t items;
    double core_seconds; /* of an average item */
};

struct study_run {
    const char *partitioner;
    int64_t threads;
    enum yk_simulate_waiting waiting;
    int runs;     /* runs one after the other, which learn */
    double *each; /* the ratio of each run is written here; NULL: only the last one counts */
};

/* Seconds / the least time of any schedule; INFINITY if not all items were done. `verbose`: 1
 * prints what each device did. */
double study_ratio(const struct study_case *what, const struct study_run *how, int verbose);
/* Parses `line`; ends the program if the line is wrong. */
void study_machine(struct study_case *what);

/* 0: all limits were met. */
int study_paper(int count, char **words);
int study_alpha(int count, char **words);
int study_machines(int count, char **words);
int study_changes(int count, char **words);

#endif
