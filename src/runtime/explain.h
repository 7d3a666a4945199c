/* explain.h - writes what the latest job of each kernel did, and why: for YOKE_EXPLAIN, and for
 * another process later (`yoke explain`). All jobs must be over; no lock is needed. */
#ifndef YK_RUNTIME_EXPLAIN_H
#define YK_RUNTIME_EXPLAIN_H

#include <stdio.h>
#include <yoke/yoke.h>

#include "../life/story.h"

/* A function that writes the stories to a stream. */
typedef void yk_story_writer(const yoke_runtime *runtime, FILE *stream);
/* Returns what the writer writes, in memory that the caller frees; NULL: no memory. */
char *yk_story_text(const yoke_runtime *runtime, yk_story_writer *writer);
/* Writes the stories as people read them, line by line, where log lines go, at any log level. */
void yk_runtime_explain(const yoke_runtime *runtime);
/* For programs: an array of JSON objects. */
void yk_story_print_json(const yoke_runtime *runtime, FILE *stream);
/* A JSON object with the program's name, the stories for people, and that array; nothing if there
 * were no jobs. */
void yk_story_print_run(const yoke_runtime *runtime, FILE *stream);

#endif
