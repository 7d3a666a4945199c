/* subject.h - defines which jobs are of one kind for the knowledge base: those to which one lesson,
 * or lessons of other sizes, apply. */
#ifndef YK_LIFE_SUBJECT_H
#define YK_LIFE_SUBJECT_H

#include "../job/job.h"

/* Hash of the kernel's content, as far as it is visible: of a function written by hand its name and
 * file. */
uint64_t yk_subject_content(const yoke_kernel *kernel);
/* The same for a kernel with an alternative. */
uint64_t yk_subject_of_two(uint64_t kernel, uint64_t alternative);
/* The requested partitioner; "": none. Weights change often, so all of them are "weight". */
const char *yk_subject_partitioner(const struct yk_job *job);
/* Hash of what is the same for jobs of all sizes. */
uint64_t yk_subject_of(const struct yk_job *job, uint64_t content, const char *partitioner);
/* The sizes. */
void yk_subject_sizes(const struct yk_job *job, struct yk_sizes *out);

#endif
