/* host_results.h - see host_results.c. */
#ifndef YK_FLIGHT_HOST_RESULTS_H
#define YK_FLIGHT_HOST_RESULTS_H

#include "../job/job.h"

/* If the device's kernels can write host memory: takes some for the job's partial results and sums,
 * and marks these as held there. Those that find no room are held like other arguments. */
void yk_host_results_open(struct yk_job *job, int device);
/* Gives the memory back. */
void yk_host_results_close(struct yk_job *job, int device);
/* Returns the address of the first row of an argument that is held in host memory. */
char *yk_host_results_memory(const struct yk_job *job, int device, int p);
/* Call it when the lane's flight ended well: copies what its kernel wrote there into the arrays. */
void yk_host_results_land(struct yk_job *job, int device, int lane);

#endif
