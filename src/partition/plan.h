/* plan.h - PURE. Where the rows of a decomposition should be: bounds for every device, for each
 * kernel that runs over them.
 *
 * Programs run the same few kernels over and over on arrays that stay on devices. A plan is for all
 * of these jobs together. Its cost is the mean time of a job, plus the time for rows that travel
 * between kernels with different bounds; a new plan also costs one move of rows from where they are
 * now. It replaces the present plan only if, over the expected number of jobs (as many as were
 * seen: ski rental), it gains more than the move costs and more than the error of the model. So
 * noise in measured speeds moves no rows.
 */
#ifndef YK_PARTITION_PLAN_H
#define YK_PARTITION_PLAN_H

#include "plan_time.h"

/* Finds the best cuts. Returns 1 if they are worth the move from `now`, or if `now` is NULL: there
 * are no cuts yet. Returns 0 also if no set of devices can do all the work. */
int yk_plan_find(struct yk_plan *plan, const struct yk_cuts *now, struct yk_cuts *best);
/* The number of jobs from which a move pays: so many have to be expected (ski rental). Infinite if
 * its gain is not sure. */
double yk_plan_pays_at(const struct yk_plan_move *move);
/* Moves all bounds to the nearest multiples of plan->grain, unless a job takes longer by more than
 * two copies begin in: these would fetch the rows between, on both sides of a bound. yk_plan_find
 * does so by itself. */
void yk_plan_align(const struct yk_plan *plan, struct yk_cuts *cuts);
/* Mean time of a job if each device were faster by the standard error of its cost: a device that
 * was measured little may be better than it seems. The plan is the same afterwards. */
double yk_plan_least_ns(struct yk_plan *plan, const struct yk_cuts *cuts);

#endif
