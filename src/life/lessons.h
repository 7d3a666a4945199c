/* lessons.h - see lessons.c. */
#ifndef YK_LIFE_LESSONS_H
#define YK_LIFE_LESSONS_H

#include "../job/job.h"

/* What is remembered of jobs like it; NULL: nothing. A job whose partitioner splits by lessons of
 * which there are too few is one that `auto` splits from here on. Under runtime.lock, as are the
 * next two: */
const struct yk_memory *yk_job_recall(struct yk_job *job, int device_count);
/* it is `auto`'s, for memory is still to be pinned: what that begins from; */
const struct yk_memory *yk_job_yield(struct yk_job *job, const struct yk_memory *memory);
/* it is its partitioner's, which from now on has a memory of its own. */
void yk_job_keep_apart(struct yk_job *job, const struct yk_memory *memory);
/* Its partitioner as the user should see it. */
enum { YK_PARTITIONER_TEXT = 128 };
const char *yk_job_partitioner_text(const struct yk_job *job, char text[YK_PARTITIONER_TEXT]);

#endif
