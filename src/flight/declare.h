/* declare.h - see declare.c. */
#ifndef YK_FLIGHT_DECLARE_H
#define YK_FLIGHT_DECLARE_H

#include "flight.h"

struct yk_job_declared {
    struct yk_declared args[YOKE_ARGS_MAX];
    struct yk_declaration all;
};

/* Writes to *out which rows the job's kernel touches. *out points into the job. Call it only when
 * the device has its memory for the job. */
void yk_job_declare(const struct yk_job *job, int device, struct yk_job_declared *out);

#endif
