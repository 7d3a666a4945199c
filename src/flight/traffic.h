/* traffic.h - see traffic.c. */
#ifndef YK_FLIGHT_TRAFFIC_H
#define YK_FLIGHT_TRAFFIC_H

#include "../job/job.h"

struct yk_traffic { /* bytes that an item moves over a device's link */
    double both;    /* both directions together */
    double busier;  /* the direction that moves more */
    double whole;   /* not per item: bytes from the host, of arrays that all items need whole */
};
/* Estimates the traffic of the job's items. `learned` may be NULL. With runtime.lock held. */
void yk_job_traffic(const struct yk_job *job, int device, const struct yk_learned *learned,
                    struct yk_traffic *out);

#endif
