/* process.h - PURE. The mean of a Gaussian process: the curve that is likeliest, by a prior and
 * what was measured with noise at some places, at any other.
 *
 * The prior is zero everywhere, with a covariance for every two places. To fit n points takes n^3 /
 * 6 multiplications, a mean n.
 */
#ifndef YK_MODEL_PROCESS_H
#define YK_MODEL_PROCESS_H

enum { YK_PROCESS_PLACES = 17 };

struct yk_process_points {
    int count;
    int place[YK_PROCESS_PLACES];
    double value[YK_PROCESS_PLACES];
    double noise[YK_PROCESS_PLACES]; /* as a deviation, > 0 */
};

struct yk_process {
    const double (*prior)[YK_PROCESS_PLACES]; /* the caller's */
    int count, place[YK_PROCESS_PLACES];
    double weight[YK_PROCESS_PLACES];
};

void yk_process_fit(struct yk_process *process, const double prior[][YK_PROCESS_PLACES],
                    const struct yk_process_points *points);
/* 0 where nothing is known. */
double yk_process_mean(const struct yk_process *process, int place);

#endif
