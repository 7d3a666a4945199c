/* new_file.h - a file that appears whole or not at all.
 *
 * It is written beside its place under another name and takes its place at the end, by rename: with
 * the mode of the file it replaces, and behind a link where the path is one. What killed processes
 * left of such files is removed. A device or a pipe (/dev/full, /dev/stdout) is written as it is.
 * Needs nothing but the C library, so the command uses it too. Every function gives 0 or an errno.
 */
#ifndef YK_PLATFORM_NEW_FILE_H
#define YK_PLATFORM_NEW_FILE_H

#include <stdio.h>

enum { yk_new_file_path_bytes = 4096 };

struct yk_new_file {
    FILE *stream;                                /* write here */
    char path[yk_new_file_path_bytes];           /* without links */
    char temporary[yk_new_file_path_bytes + 40]; /* "": the path is written directly */
};

/* Why not all that was written to a stream has arrived; 0: it has. */
int yk_stream_trouble(FILE *stream);

int yk_new_file_open(struct yk_new_file *file, const char *path);
/* All is written: 0 only if every byte arrived and the file is in its place; otherwise nothing of
 * it stays. */
int yk_new_file_finish(struct yk_new_file *file);
/* The process ends now, whatever is open: what is not finished goes. A signal handler may call it.
 */
void yk_new_files_abandon(void);
/* It is not wanted any more. */
void yk_new_file_drop(struct yk_new_file *file);

#endif
