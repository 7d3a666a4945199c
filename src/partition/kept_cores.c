/* kept_cores.c - see kept_cores.h: the number of cores kept free for GPU threads. */
#include "kept_cores.h"

/* Keeping cores free may lengthen the work by this part. */
#define KEPT_COST 0.02
/* Assumed share of the cores while it is unknown. */
#define KEPT_SHARE 0.3

/* With fewer cores per GPU, its thread is better off on any core that is free. */
enum { CORES_LEAST = 4 };

int yk_kept_core(int lanes, int cores, int nth)
{
    return lanes <= cores && CORES_LEAST * (nth + 1) <= lanes ? lanes - 1 - nth : -1;
}

int yk_kept_cores(int lanes, double share, int gpus)
{
    double most = KEPT_COST * lanes / (share < 0 ? KEPT_SHARE : share);
    int kept = most < gpus ? (int)most : gpus;
    return kept < lanes ? kept : lanes - 1;
}
