/* process.c - see process.h. Uses the Cholesky root of the covariance; the noise keeps it from
 * being singular. */
#include "process.h"

#include <math.h>
#include <string.h>

static void factor(const double prior[][YK_PROCESS_PLACES], const struct yk_process_points *points,
                   double root[YK_PROCESS_PLACES][YK_PROCESS_PLACES])
{
    for (int i = 0; i < points->count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = prior[points->place[i]][points->place[j]];
            if (i == j)
                sum += points->noise[i] * points->noise[i];
            for (int k = 0; k < j; k++)
                sum -= root[i][k] * root[j][k];
            root[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / root[j][j];
        }
}

void yk_process_fit(struct yk_process *process, const double prior[][YK_PROCESS_PLACES],
                    const struct yk_process_points *points)
{
    double root[YK_PROCESS_PLACES][YK_PROCESS_PLACES], *weight = process->weight;
    process->prior = prior;
    process->count = points->count;
    memcpy(process->place, points->place, sizeof process->place);
    factor(prior, points, root);
    for (int i = 0; i < points->count; i++) {
        double sum = points->value[i];
        for (int k = 0; k < i; k++)
            sum -= root[i][k] * weight[k];
        weight[i] = sum / root[i][i];
    }
    for (int i = points->count - 1; i >= 0; i--) {
        double sum = weight[i];
        for (int k = i + 1; k < points->count; k++)
            sum -= root[k][i] * weight[k];
        weight[i] = sum / root[i][i];
    }
}

double yk_process_mean(const struct yk_process *process, int place)
{
    double mean = 0;
    for (int i = 0; i < process->count; i++)
        mean += process->weight[i] * process->prior[place][process->place[i]];
    return mean;
}
