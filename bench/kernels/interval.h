/* interval.h - how sure a median is. */
#ifndef INTERVAL_H
#define INTERVAL_H

struct interval {
    double median, low, high;
};

/* The median of `count` values, which are sorted, and an interval that holds the true one in at
 * least 95 of 100 such samples, whatever the distribution: from the r-th smallest value to the r-th
 * largest, with the largest r for which a fair coin shows heads fewer than r times in `count`
 * throws with a probability of at most 2.5 %. 15 values: the 4th to the 12th. At least 6 values. */
struct interval interval_of(double *values, int count);

#endif
