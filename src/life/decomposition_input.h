/* decomposition_input.h - see decomposition_input.c. */
#ifndef YK_LIFE_DECOMPOSITION_INPUT_H
#define YK_LIFE_DECOMPOSITION_INPUT_H

struct yk_job;
struct yk_plan;

/* Fills in the input of a plan for the job's decomposition. Chooses its leading member, which has
 * the rarest kernel; if that is another one than before, the present round does not count. With
 * runtime.lock held. */
void yk_decomposition_describe(const struct yk_job *job, struct yk_plan *plan);

#endif
