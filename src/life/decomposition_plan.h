/* decomposition_plan.h - see decomposition_plan.c. */
#ifndef YK_LIFE_DECOMPOSITION_PLAN_H
#define YK_LIFE_DECOMPOSITION_PLAN_H

struct yk_decomposition;
struct yk_job;

/* Starts or continues a round with this job. Makes a new plan if something changed or enough jobs
 * have run. With runtime.lock held. */
void yk_decomposition_plan(const struct yk_job *job);
/* Returns 1 if the next job should make a plan. */
int yk_decomposition_is_due(const struct yk_decomposition *decomposition);

#endif
