/* explain.h - what the latest job of each kernel did, and why: for YOKE_EXPLAIN, and for whoever
 * asks in another process later (`yoke explain`).
 *
 * A story is worked out when somebody asks, at the latest when the runtime closes: until then the
 * job keeps its crew, which has all the figures, and the next job of the kernel that is kept lets
 * it go. So nobody waits for sentences at the end of a job. A crew that would keep more memory than
 * is good tells at once; such jobs are long. Of jobs under a millisecond only some are kept, the
 * 1st, 2nd, 4th, 8th ... of a kernel: the others have one crew between them, still warm from the
 * job before.
 */
#ifndef YK_RUNTIME_EXPLAIN_H
#define YK_RUNTIME_EXPLAIN_H

#include <stdio.h>
#include <yoke/yoke.h>

struct yk_job;
struct yk_told; /* of one kernel */

/* A job went well and has its crew still. Under runtime.lock. Gives the one before, if nobody else
 * looks at it any more: to be released without the lock. NULL: nothing is. */
struct yk_job *yk_told_note(struct yk_job *job);
/* The jobs kept so are let go, their stories with them. No job is left; no lock is held. */
void yk_told_forget(const yoke_runtime *runtime);

/* What one of the writers below writes, in memory of the caller's; NULL: there is none. */
typedef void yk_told_writer(const yoke_runtime *runtime, FILE *stream);
char *yk_told_text(const yoke_runtime *runtime, yk_told_writer *writer);
/* All of it, line by line, where log lines go, whatever their level. */
void yk_runtime_explain(const yoke_runtime *runtime);
/* For people: a heading for each kernel, a table of its devices, a sentence for each. */
void yk_told_print(const yoke_runtime *runtime, FILE *stream);
/* For programs: an array of JSON objects. */
void yk_told_print_json(const yoke_runtime *runtime, FILE *stream);
/* An object with the program's name and both; nothing if there were no jobs. */
void yk_told_print_run(const yoke_runtime *runtime, FILE *stream);

#endif
