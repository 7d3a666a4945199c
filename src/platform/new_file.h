/* new_file.h - a file that appears complete or not at all.
 *
 * It is written beside its final path under another name, and renamed at the end. It gets the mode
 * of the file it replaces; if the path is a link, it replaces the file that the link points to.
 * Temporary files left by killed processes are removed. A device or a pipe (/dev/full, /dev/stdout)
 * is written directly. Needs only the C library, so the command uses it, too. Every function
 * returns 0 or an errno.
 */
#ifndef YK_PLATFORM_NEW_FILE_H
#define YK_PLATFORM_NEW_FILE_H

#include <stdio.h>

enum { yk_new_file_path_bytes = 4096 };

struct yk_new_file {
    FILE *stream;                                /* write here */
    char path[yk_new_file_path_bytes];           /* with links resolved */
    char temporary[yk_new_file_path_bytes + 40]; /* "": the path is written directly */
};

/* The errno of a stream's failed write; 0: everything written has arrived. */
int yk_stream_trouble(FILE *stream);

int yk_new_file_open(struct yk_new_file *file, const char *path);
/* Ends the file: 0 only if every byte arrived and the file is in its place; otherwise nothing of it
 * stays. */
int yk_new_file_finish(struct yk_new_file *file);
/* Removes all unfinished files. For a process that must end at once; a signal handler may call it.
 */
void yk_new_files_abandon(void);
/* Removes the unfinished file. */
void yk_new_file_drop(struct yk_new_file *file);

#endif
