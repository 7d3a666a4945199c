/* admit.h - see admit.c. All take runtime.lock. */
#ifndef YK_LIFE_ADMIT_H
#define YK_LIFE_ADMIT_H

#include "../job/job.h"

/* The runtime's newest device takes part in the jobs that run now, where it may. */
void yk_jobs_admit(yoke_runtime *runtime);
/* No further device will be added to the runtime. */
void yk_jobs_admit_no_more(yoke_runtime *runtime);
/* Returns the ns that the longest of the jobs that run now will still take, at the present speed of
 * its devices; 0: that is unknown, or none runs. Only jobs that began before since_ns count. */
double yk_jobs_rest_ns(yoke_runtime *runtime, int64_t since_ns);

#endif
