/* process.h - PURE. The mean of a Gaussian process: the most likely curve, given a prior and noisy
 * measurements at some places.
 *
 * The prior is zero everywhere, with a covariance for every two places. Fitting n points takes n^3
 * / 6 multiplications, a mean takes n.
 */
#ifndef YK_KNOWLEDGE_PROCESS_H
#define YK_KNOWLEDGE_PROCESS_H

enum { YK_PROCESS_PLACES = 17 };

struct yk_process_points {
    int count;
    int place[YK_PROCESS_PLACES];
    double value[YK_PROCESS_PLACES];
    double noise[YK_PROCESS_PLACES]; /* standard deviation, > 0 */
};

struct yk_process {
    const double (*prior)[YK_PROCESS_PLACES]; /* owned by the caller */
    int count, place[YK_PROCESS_PLACES];
    double weight[YK_PROCESS_PLACES];
};

void yk_process_fit(struct yk_process *process, const double prior[][YK_PROCESS_PLACES],
                    const struct yk_process_points *points);
/* The mean at a place; 0 if there are no points. */
double yk_process_mean(const struct yk_process *process, int place);

#endif
