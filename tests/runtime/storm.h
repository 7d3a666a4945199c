/* storm.h - random jobs from several threads over shared arrays, sometimes canceled, overdue or
 * lost, compared with the same jobs one by one.
 *
 * Every job is recorded in the order of submission, and so is every look of the program at an
 * array, with its contents. Afterwards the records are replayed by hand in that order: a job that
 * reported success must have read and written what the jobs before it left. */
#ifndef STORM_H
#define STORM_H

#include <stdint.h>

struct storm_spec {
    uint64_t seed;
    int64_t jobs;
    int threads; /* number of threads that submit, wait, cancel and look */
    const char *devices;
    int devices_fail; /* some devices fail: jobs may fail for that, and rows be lost */
};

struct storm_counts {
    int64_t jobs, good, canceled, overdue, lost, looks, lost_looks;
};

/* One runtime, from open to close. An error is printed and ends the process. 0: there are no such
 * devices. Adds to the counts. */
int storm_run(const struct storm_spec *spec, struct storm_counts *counts);

#endif
