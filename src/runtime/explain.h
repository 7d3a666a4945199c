/* explain.h - what the latest job of each kernel did, and why: for YOKE_EXPLAIN, and for whoever
 * asks in another process later (`yoke explain`).
 */
#ifndef YK_RUNTIME_EXPLAIN_H
#define YK_RUNTIME_EXPLAIN_H

#include <stdio.h>
#include <yoke/yoke.h>

#include "../life/told.h"

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
