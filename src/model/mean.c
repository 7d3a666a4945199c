/* mean.c - see mean.h: a fading mean that doubts outliers. */
#include "mean.h"

#include <math.h>

/* A sample is far off if it differs by FAR_SPREADS standard deviations and by FAR_PART of the mean.
 */
#define FAR_SPREADS 4.0
#define FAR_PART    0.15
/* Two samples that are far off agree within this part. */
#define SAME_PART 0.15

double yk_mean_spread(const struct yk_mean *mean)
{
    return mean->weight > 1 ? sqrt(mean->square / (mean->weight - 1)) : 0;
}

static void begin(struct yk_mean *mean, double value)
{
    *mean = (struct yk_mean){ .weight = 1, .mean = value };
}

/* Returns 1 if the sample must not be added: it is ignored, or the mean has restarted from it. */
static int is_doubted(struct yk_mean *mean, double value)
{
    const double off = fabs(value - mean->mean);
    if (off <= fmax(FAR_PART * mean->mean, FAR_SPREADS * yk_mean_spread(mean))) {
        mean->doubt = 0;
        return 0;
    }
    if ((mean->weight <= 1 && value < mean->mean) ||
        (mean->doubt > 0 && fabs(value - mean->doubt) <= SAME_PART * mean->doubt))
        begin(mean, value);
    else
        mean->doubt = value;
    return 1;
}

void yk_mean_add(struct yk_mean *mean, double value, double fade)
{
    double off;
    if (mean->weight <= 0) {
        begin(mean, value);
        return;
    }
    if (is_doubted(mean, value))
        return;
    mean->weight *= fade;
    mean->square *= fade;
    off = value - mean->mean;
    mean->weight += 1;
    mean->mean += off / mean->weight;
    mean->square += off * (value - mean->mean);
}

double yk_middle(double *numbers, int count)
{
    int i, at;
    for (i = 1; i < count; i++) {
        double number = numbers[i];
        for (at = i; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

double yk_student_95(double freedom)
{
    static const double at[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042 };
    enum { COUNT = sizeof at / sizeof *at };
    const double limit = 1.95996;
    int below;
    if (!(freedom >= 1))
        return INFINITY;
    if (freedom >= COUNT) /* first term of the expansion: accurate to 0.1 % here */
        return limit * (1 + (limit * limit + 1) / (4 * freedom));
    below = (int)freedom;
    return at[below - 1] + (freedom - below) * (at[below] - at[below - 1]);
}

double yk_mean_half(const struct yk_mean *mean)
{
    if (!(mean->weight > 1))
        return INFINITY;
    return yk_student_95(mean->weight - 1) * yk_mean_spread(mean) / sqrt(mean->weight);
}
