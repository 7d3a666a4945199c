/* interval.h - the confidence interval of a median. */
#ifndef INTERVAL_H
#define INTERVAL_H

struct interval {
    double median, low, high;
};

/* Sorts the `count` values and returns their median, with an interval that contains the true median
 * in at least 95 of 100 such samples, for any distribution. The interval goes from the r-th
 * smallest value to the r-th largest. r is the largest number for which `count` throws of a fair
 * coin show fewer than r heads with a probability of at most 2.5 %. With 15 values: the 4th to the
 * 12th. At least 6 values are needed. */
struct interval interval_of(double *values, int count);

#endif
