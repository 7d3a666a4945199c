/* storm.h - random jobs from several threads over arrays that they share, canceled, overdue and
 * lost now and then, against the same jobs one by one.
 *
 * Every job is noted in the order in which it was submitted, and every look of the program at an
 * array with what it saw. When all is over the notes are gone through by hand, in that order: who
 * says that it went well has to have read and written what the jobs before it left.
 */
#ifndef STORM_H
#define STORM_H

#include <stdint.h>

struct storm_spec {
    uint64_t seed;
    int64_t jobs;
    int threads; /* that submit, wait, cancel and look */
    const char *devices;
    int devices_fail; /* some of them: jobs may end so, and rows be lost */
};

struct storm_counts {
    int64_t jobs, good, canceled, overdue, lost, looks, lost_looks;
};

/* One runtime, from open to close. What is wrong is printed, and the process ended. 0: there are no
 * such devices. Adds to the counts. */
int storm_run(const struct storm_spec *spec, struct storm_counts *counts);

#endif
