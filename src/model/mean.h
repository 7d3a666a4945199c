/* mean.h - PURE. A mean of times that is as sure as one can say: its 95 % confidence interval.
 *
 * Newer samples weigh more, and one that is far off is doubted: times are too long for many reasons
 * (a page fault, another program), so a long one counts little until a second one says the same,
 * and then it counts for all before it, for the machine has changed. A short one is believed at
 * once where there was nothing but a single sample, since nothing takes less time than it takes.
 */
#ifndef YK_MODEL_MEAN_H
#define YK_MODEL_MEAN_H

/* Zero: no samples. */
struct yk_mean {
    double weight; /* faded number of samples */
    double mean;
    double square; /* faded sum of squared differences from the mean */
    double doubt;  /* the latest sample, where it was far off and waits for another one; 0: none */
};

/* Factors by which earlier samples fade. 1: all count alike. */
void yk_mean_add(struct yk_mean *mean, double value, double fade);
/* The mean lies within +- this with a probability of 95 %; infinite for one sample. */
double yk_mean_half(const struct yk_mean *mean);
/* Standard deviation of a sample; 0: unknown. */
double yk_mean_spread(const struct yk_mean *mean);
/* The middle one of so many numbers (at least one), the mean of two. Sorts them. */
double yk_middle(double *numbers, int count);
/* Student's t: 95 % of all lie within +- this many standard deviations; `freedom` need not be
 * whole. */
double yk_student_95(double freedom);

#endif
