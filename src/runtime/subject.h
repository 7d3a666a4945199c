/* subject.h - which jobs are of one kind for the knowledge base: those that one lesson, or lessons
 * of other sizes, can tell something of.
 */
#ifndef YK_RUNTIME_SUBJECT_H
#define YK_RUNTIME_SUBJECT_H

#include "job.h"

/* What runs, as far as one can tell from outside: of a function by hand its name and file. */
uint64_t yk_subject_content(const yoke_kernel *kernel);
/* The same of a kernel that has an alternative. */
uint64_t yk_subject_of_two(uint64_t kernel, uint64_t alternative);
/* The partitioner that was asked for; "": none. Weights come and go: all are "weight". */
const char *yk_subject_partitioner(const struct yk_job *job);
/* What is the same for jobs of all sizes. */
uint64_t yk_subject_of(const struct yk_job *job, uint64_t content, const char *partitioner);
/* And what is not. */
void yk_subject_sizes(const struct yk_job *job, struct yk_sizes *out);

#endif
