/* first_job_kernels.c - the loops of first_job.c. Each item takes some ns for each of `rounds`. */
#include "first_job_kernels.h"

/* Heron's square root of i + 1, with `rounds` steps from 1 on. */
YOKE_KERNEL(k_points, i, YOKE_VALUE(int32_t, rounds), YOKE_OUT(double, x))
{
    double v = 1;
    for (int32_t r = 0; r < rounds; ++r)
        v = 0.5 * (v + (double)(i + 1) / v);
    x[i] = v;
}

/* The integral of 4 / (1 + x^2) from 0 to 1, which is pi, with `rounds` points in each item. */
YOKE_KERNEL(k_area, i, YOKE_VALUE(int64_t, items), YOKE_VALUE(int32_t, rounds),
            YOKE_REDUCE(SUM, double, area))
{
    const double width = 1.0 / items / rounds;
    double sum = 0;
    for (int32_t r = 0; r < rounds; ++r) {
        const double x = (double)i / items + (r + 0.5) * width;
        sum += 4 / (1 + x * x);
    }
    yoke_reduce(area, sum * width);
}

/* Where `rounds` steps of a generator end, counted in 256 bins. */
YOKE_KERNEL(k_bins, i, YOKE_VALUE(int32_t, rounds), YOKE_ADD(int64_t, bins))
{
    uint64_t s = (uint64_t)i * 2654435761u + 1;
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 6364136223846793005u + 1442695040888963407u;
    yoke_add(&bins[s >> 56], (int64_t)1);
}
