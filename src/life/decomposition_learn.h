/* decomposition_learn.h - see decomposition_learn.c. */
#ifndef YK_LIFE_DECOMPOSITION_LEARN_H
#define YK_LIFE_DECOMPOSITION_LEARN_H

struct yk_job;
struct yk_memory;

/* For a job that ended well, with any partitioner: stores each device's time in `memory`. crowded:
 * 1: it ran beside other jobs. readied: 1: it made memory ready, which later jobs need not do. With
 * runtime.lock held. */
void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory, int crowded, int readied);

#endif
