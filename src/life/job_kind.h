/* job_kind.h - defines which jobs are of one kind for the knowledge base: their lessons differ only
 * in sizes, so lessons of other sizes can be derived from them. Needs no lock. */
#ifndef YK_LIFE_JOB_KIND_H
#define YK_LIFE_JOB_KIND_H

#include "../job/job.h"

/* Returns a hash of the kernel's content, as far as yoke can see it: of a function written by hand
 * only the name and file. */
uint64_t yk_job_kind_content(const yoke_kernel *kernel);
/* Returns the hash for a kernel with an alternative. */
uint64_t yk_job_kind_of_two(uint64_t kernel, uint64_t alternative);
/* Returns the requested partitioner; "": none. Weights change often, so all count as "weight". */
const char *yk_job_kind_partitioner(const struct yk_job *job);
/* Returns a hash of what jobs of all sizes have in common. */
uint64_t yk_job_kind_of(const struct yk_job *job, uint64_t content, const char *partitioner);
/* Sets the sizes that distinguish jobs of one kind. */
void yk_job_kind_sizes(const struct yk_job *job, struct yk_sizes *out);

#endif
