/* mean.h - PURE. A mean of times with its 95 % confidence interval.
 *
 * Newer samples weigh more. Times can be too long for many reasons (a page fault, another program),
 * so a time far from the mean is ignored until a second one agrees with it. Then the mean restarts
 * from that time, because the machine has changed. If there is only one earlier sample, the mean
 * restarts from a far shorter time at once, because no disturbance makes a time shorter.
 */
#ifndef YK_MODEL_MEAN_H
#define YK_MODEL_MEAN_H

/* Zero: no samples. */
struct yk_mean {
    double weight; /* faded number of samples */
    double mean;
    double square; /* faded sum of squared differences from the mean */
    double doubt;  /* the latest sample, if it is ignored until a second one agrees; 0: none */
};

/* `fade`: factor by which earlier samples lose weight; 1: all have the same weight. */
void yk_mean_add(struct yk_mean *mean, double value, double fade);
/* The mean lies within +- this with a probability of 95 %; infinite for one sample. */
double yk_mean_half(const struct yk_mean *mean);
/* Standard deviation of the samples; 0: unknown. */
double yk_mean_spread(const struct yk_mean *mean);
/* Median of `count` numbers (at least one). Sorts them. */
double yk_middle(double *numbers, int count);
/* Student's t: 95 % of all values lie within +- this many standard deviations; `freedom` need not
 * be whole. */
double yk_student_95(double freedom);

#endif
