/* kept.c - see kept.h. */
#include "kept.h"

/* Of all work this much may take longer for it. */
#define KEPT_COST 0.02
/* What cores are taken to do as long as nobody knows. */
#define KEPT_SHARE 0.3

/* With fewer cores for each GPU its thread is better off wherever there is room. */
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
